// 150 viewers behind one address who write as fast as they are let, so that nobody else is heard.
import { enterCrowd } from '../rude/rude-page.ts';
import type { Attack } from './attack.ts';

const viewers = 150;
const opensAtOnce = 15;
const seconds = 10;
/** Of each; twice what one viewer may write for long. */
const lineEveryMs = 1_000;

export const attack: Attack = {
  name: 'chat-flood',
  sentence: `${viewers} viewers of one address write as fast as they can`,
  refusals: ['page chat', 'page pace', 'page messages'],
  over: 'http',
  run: async ({ port, show }, { from, signal }) => {
    const order = { port, from, channel_id: show.id, count: viewers, opensAtOnce, signal };
    const pages = await enterCrowd(order);
    const text = 'Everybody look here! '.repeat(3);
    for (let second = 0; second < seconds && !signal.aborted; second += 1) {
      // First all that one may write at once.
      for (let n = second === 0 ? 5 : 1; n > 0; n -= 1)
        for (const page of pages) page.say({ type: 'chat', text });
      await Bun.sleep(lineEveryMs);
    }
    for (const page of pages) page.end();
    await Promise.all(pages.map(({ closed }) => closed));
  },
};
