// 200 pages of one address that write, in the same moment, the lines that take longest to clean.
import { enterCrowd, frame } from '../rude/rude-page.ts';
import type { Attack } from './attack.ts';

const pagesMax = 200;
const opensAtOnce = 10;
/** A page that says more is cut. */
const lines = 28;

export const attack: Attack = {
  name: 'dear-lines',
  sentence: `${pagesMax} pages of one address send ${lines} lines each, of letters and joiners`,
  refusals: ['page pace', 'page messages'],
  over: 'http',
  run: async ({ port, show }, { from, signal }) => {
    const order = { port, from, channel_id: show.id, count: pagesMax, opensAtOnce, signal };
    const pages = await enterCrowd(order);
    const text = '\u0645\u200c'.repeat(780);
    const line = frame(1, Buffer.from(JSON.stringify({ type: 'chat', text })));
    const all = Buffer.concat(Array.from({ length: lines }, () => line));
    await Promise.all(pages.map((page) => page.write(all)));
    // Of none there is nothing to wait for.
    if (pages.length > 0) await Promise.race(pages.map((page) => page.first('notice')));
    for (const page of pages) page.end();
    await Promise.all(pages.map(({ closed }) => closed));
  },
};
