// One viewer with many connections at once, each of which says that it has played all the time.
import { newTicket, RudePage } from '../rude/rude-page.ts';
import type { Attack } from './attack.ts';

const sockets = 25;
const seconds = 10;

export const attack: Attack = {
  name: 'many-sockets',
  sentence: `one viewer watches by ${sockets} connections at once, for ${seconds} seconds`,
  refusals: ['page sessions'],
  over: 'http',
  run: async ({ port, show }, { from, signal }) => {
    const way = { port, from, signal };
    const ticket = await newTicket(way, show.id);
    const pages: RudePage[] = [];
    for (let n = 0; n < sockets && !signal.aborted; n += 1) {
      const page = await RudePage.open(way);
      pages.push(page);
      page.hello(ticket);
      await page.first('welcome');
    }
    for (let second = 0; second < seconds && !signal.aborted; second += 1) {
      for (const page of pages) page.say({ type: 'report', played_ms: 1_000 });
      await Bun.sleep(1_000);
    }
    for (const page of pages) page.end();
    await Promise.all(pages.map(({ closed }) => closed));
  },
};
