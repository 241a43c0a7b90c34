// For frames whose cookie does not come back: a page's ticket made out to the viewer that the frame remembers.
import type { PlainAnswer, PlainCall } from '../lib/plain-answer.ts';
import { readTicket, signTicket } from '../viewers/ticket.ts';
import { readViewerId } from '../viewers/viewer-cookie.ts';
import type { TicketAnswer } from './page-data.ts';

/** Both must be signed by us: the ticket says where its page came from, the token who looks at it. */
export function exchangeTicket(
  { params, header }: PlainCall,
  { secret, now }: { secret: string; now: number },
): PlainAnswer {
  const ticket = readTicket(secret, header('x-footlight-ticket') ?? '', now);
  const viewer_id = readViewerId(secret, header('x-footlight-viewer') ?? '');
  const isOfChannel = ticket && String(ticket.channel_id) === params['id'];
  if (!isOfChannel || viewer_id === undefined) return answer(403, {});
  // A name that a link gave to one viewer is not another's.
  const exchanged = { ...ticket, viewer_id, nick: '', phone: '' };
  return answer(200, { ticket: signTicket(secret, exchanged) } satisfies TicketAnswer);
}

function answer(status: number, body: object): PlainAnswer {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { status, headers, body: JSON.stringify(body) };
}
