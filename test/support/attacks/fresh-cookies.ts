// One address that is a new viewer again and again: a page without a cookie, a session, a share.
import { newTicket, RudePage } from '../rude/rude-page.ts';
import type { Attack } from './attack.ts';

/** More than a network may bring in at once and in the seconds that this takes. */
const viewersMax = 1_200;
const atOnce = 20;

export const attack: Attack = {
  name: 'fresh-cookies',
  sentence: `${viewersMax} new viewers of one address, each with a session and a share`,
  refusals: ['page entries'],
  over: 'http',
  run: async ({ port, show }, { from, signal }) => {
    let left = viewersMax;
    const way = { port, from, signal };
    const worker = async () => {
      while (left > 0 && !signal.aborted) {
        left -= 1;
        await visit();
      }
    };
    const visit = async () => {
      try {
        const ticket = await newTicket(way, show.id);
        const page = await RudePage.open(way);
        page.hello(ticket);
        if (await page.first('welcome')) page.say({ type: 'share', how: 'copy' });
        await page.heard();
        page.end();
        await page.closed;
      } catch {
        // Refused before it was a page: the next one is tried.
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  },
};
