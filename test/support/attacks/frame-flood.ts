// Megabytes of the smallest WebSocket frames in one write: messages, pings, pongs, pieces of a message with and without an end.
import { frame, newTicket, RudePage } from '../rude/rude-page.ts';
import type { Attack } from './attack.ts';

const rounds = 5;
/** About a megabyte of each. */
const frames = 170_000;
const nothing = new Uint8Array(0);

const letter = Buffer.from('x');

export const floods: Record<string, Buffer> = {
  messages: repeated(frame(1, letter)),
  pings: repeated(frame(9, nothing)),
  pongs: repeated(frame(10, nothing)),
  'empty pieces': Buffer.concat([frame(1, letter, false), repeated(frame(0, nothing, false))]),
  'empty pieces of nothing': Buffer.concat([
    frame(1, nothing, false),
    repeated(frame(0, nothing, false)),
  ]),
  'messages of 4,000 pieces': repeated(inPieces(4_000), 29),
  'an end of no message': repeated(frame(0, nothing)),
  'frames of no kind': repeated(frame(3, nothing)),
  'the longest messages': repeated(frame(1, Buffer.alloc(4_096, '[')), 250),
  'messages that are too long': repeated(frame(1, Buffer.alloc(4_097, '[')), 250),
};

export const attack: Attack = {
  name: 'frame-flood',
  sentence: `${frames} frames of a few bytes in one write, of every kind, over and over`,
  refusals: ['page flood', 'page hello'],
  over: 'http',
  run: async ({ port, show }, { from, signal }) => {
    const way = { port, from, signal };
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
        // Over and over: some are seen only by a look now and then.
        await page.flood(bytes, AbortSignal.timeout(1_000));
        page.end();
        await page.closed;
      }
    }
  },
};

function repeated(bytes: Buffer, count = frames): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => bytes));
}

/** A letter each. */
function inPieces(count: number): Buffer {
  const rest = repeated(frame(0, letter, false), count - 2);
  return Buffer.concat([frame(1, letter, false), rest, frame(0, letter)]);
}
