// In a frame whose cookies are lost, what the viewer's cookie would hold is kept by the browser and exchanged for a ticket.
import type { TicketAnswer, ViewerKey, WatchData } from '../page-data.ts';
import { keptText } from './kept-text.ts';

const viewerKey: ViewerKey = 'footlight_viewer';
/** Nobody is kept waiting for longer: the page's own ticket is as good for watching. */
const exchangeMsMax = 5_000;

/** What the page was given to connect with. */
type ConnectionData = Pick<WatchData, 'ticket' | 'viewer_token' | 'ticket_url'>;

/** The ticket to connect with: the page's own, or that of the viewer this browser has been before. */
export async function viewerTicket({
  ticket,
  viewer_token,
  ticket_url,
}: ConnectionData): Promise<string> {
  if (viewer_token === '') return ticket;
  const kept = keptText('browser', viewerKey);
  const known = kept.read();
  if (known === undefined) kept.keep(viewer_token);
  if (known === undefined || known === viewer_token) return ticket;
  const answer = await exchanged(ticket_url, { ticket, known });
  // Refused: the service does not know the token, so it is replaced. After any other failure it is kept.
  if (answer === 'refused') kept.keep(viewer_token);
  return typeof answer === 'object' ? answer.ticket : ticket;
}

async function exchanged(
  url: string,
  { ticket, known }: { ticket: string; known: string },
): Promise<TicketAnswer | 'refused' | 'failed'> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), exchangeMsMax);
  try {
    const headers = { 'x-footlight-viewer': known, 'x-footlight-ticket': ticket };
    const answer = await fetch(url, { headers, signal: patience.signal });
    if (answer.ok) return await answer.json();
    return answer.status === 403 ? 'refused' : 'failed';
  } catch {
    return 'failed';
  } finally {
    clearTimeout(timer);
  }
}
