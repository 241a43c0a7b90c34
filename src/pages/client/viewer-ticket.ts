// In a frame whose cookies are lost, the viewer's signed id is kept by the browser and exchanged for a ticket.
import type { TicketAnswer, ViewerKey, WatchData } from '../page-data.ts';
import { keptText } from './kept-text.ts';

const viewerKey: ViewerKey = 'footlight_viewer';

/** The ticket to connect with: the page's own, or that of the viewer this browser has been before. */
export async function viewerTicket(data: WatchData): Promise<string> {
  const { ticket, viewer_token, ticket_url } = data;
  if (viewer_token === '') return ticket;
  const kept = keptText('browser', viewerKey);
  const known = kept.read();
  const earlier =
    known === undefined || known === viewer_token
      ? undefined
      : await exchanged(ticket_url, { ticket, known });
  if (earlier === undefined) kept.keep(viewer_token);
  return earlier ?? ticket;
}

async function exchanged(
  url: string,
  { ticket, known }: { ticket: string; known: string },
): Promise<string | undefined> {
  try {
    const headers = { 'x-footlight-viewer': known, 'x-footlight-ticket': ticket };
    const answer = await fetch(url, { headers });
    if (!answer.ok) return undefined;
    const { ticket: earlier }: TicketAnswer = await answer.json();
    return earlier;
  } catch {
    // The page's own ticket is as good for watching.
    return undefined;
  }
}
