// Megabytes of the smallest WebSocket frames in one write: messages, pings, pongs, pieces of a message.
import { frame, newTicket, RudePage } from '../support/rude-page.ts';
import type { Attack } from './attack.ts';

const rounds = 5;
/** About a megabyte of each. */
const frames = 170_000;
const nothing = new Uint8Array(0);

export const floods: Record<string, Buffer> = {
  messages: repeated(frame(1, Buffer.from('x'))),
  pings: repeated(frame(9, nothing)),
  pongs: repeated(frame(10, nothing)),
  pieces: Buffer.concat([frame(1, Buffer.from('x'), false), repeated(frame(0, nothing, false))]),
  'the longest messages': repeated(frame(1, Buffer.alloc(4_096, '[')), 250),
  'messages that are too long': repeated(frame(1, Buffer.alloc(4_097, '[')), 250),
};

export const attack: Attack = {
  name: 'frame-flood',
  sentence: `${frames} frames of a few bytes in one write, of every kind, ${rounds} times`,
  refusals: ['page flood', 'page hello'],
  run: async ({ port, show }, { from, signal }) => {
    const way = { port, from };
    for (let round = 0; round < rounds; round += 1) {
      for (const bytes of Object.values(floods)) {
        if (signal.aborted) return;
        // Also by one who has not even said hello.
        const isStranger = round === 0;
        const page = await RudePage.open(way);
        if (!isStranger) {
          page.hello(await newTicket(way, show.id));
          await page.first('welcome');
        }
        await page.write(bytes);
        // Pieces of a message are none yet: who sends them is not cut.
        await Promise.race([page.closed, Bun.sleep(500)]);
        page.end();
        await page.closed;
      }
    }
  },
};

function repeated(bytes: Buffer, count = frames): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => bytes));
}
