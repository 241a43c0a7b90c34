// For frames whose cookie does not come back: a page's ticket made out to the viewer that the frame remembers.
import { readTicket, signTicket } from '../../audience/viewers/ticket.ts';
import { readBrowserId, viewerIdOf } from '../../audience/viewers/viewer-cookie.ts';
import type { PlainAnswer, PlainCall } from '../../base/api/plain-answer.ts';
import type { Sql } from '../../base/db/sql.ts';
import { findWatchedChannel } from '../../library/channels/watched-channel-store.ts';
import type { TicketAnswer } from './page-data.ts';

/** Both must be signed by us: the ticket says where its page came from, the token who looks at it. */
export async function exchangeTicket(
  { params, header }: PlainCall,
  { sql, secret, now }: { sql: Sql; secret: string; now: number },
): Promise<PlainAnswer> {
  const ticket = readTicket(secret, header('x-footlight-ticket') ?? '', now);
  const browserId = readBrowserId(secret, header('x-footlight-viewer') ?? '');
  const isOfChannel = ticket && String(ticket.channel_id) === params['id'];
  if (!isOfChannel || browserId === undefined) return answer(403, {});
  const { account_id } = await findWatchedChannel(sql, ticket.channel_id);
  const viewer_id = viewerIdOf(secret, { account_id, browserId });
  // A name that a link gave to one viewer is not another's.
  const exchanged = { ...ticket, viewer_id, nick: '', phone: '' };
  return answer(200, { ticket: signTicket(secret, exchanged) } satisfies TicketAnswer);
}

function answer(status: number, body: object): PlainAnswer {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { status, headers, body: JSON.stringify(body) };
}
