// Pushes that want all the memory: as fast as the socket takes it, without key frames, with stamps that stand still.
import { clipRecord, header, picture, slice } from '../rude/rude-media.ts';
import { type RudePush, startRudePush } from '../rude/rude-push.ts';
import type { Attack } from './attack.ts';

const pictureBytes = 1_000_000;
const lastsMs = 10_000;
const returnMs = 500;

/** How its stamps go on, and which of its pictures are key frames. */
export const ways = [
  { stampMs: 40, keyEvery: 50 },
  { stampMs: 40, keyEvery: Infinity },
  { stampMs: 0, keyEvery: 1 },
] as const;

export const attack: Attack = {
  name: 'memory-hog',
  sentence: 'every channel pushed to at once: no pause, no key frames, stamps that stand still',
  refusals: ['push account_memory'],
  over: 'rtmp',
  run: async ({ rtmpPort, channels }, { from, signal }) => {
    const until = performance.now() + lastsMs;
    const goesOn = () => performance.now() < until && !signal.aborted;
    await Promise.all(
      channels.map(async ({ stream_key: key }, n) => {
        for (let at = n; goesOn(); at++) {
          const push = await startRudePush({ port: rtmpPort, key, from, signal });
          await hog(push, ways[at % ways.length] ?? ways[0], goesOn);
          push.drop();
          if (goesOn()) await Bun.sleep(returnMs);
        }
      }),
    );
  },
};

/** Sends until it is cut, or `goesOn` no more. */
export async function hog(
  push: RudePush,
  { stampMs, keyEvery }: (typeof ways)[number],
  goesOn: () => boolean,
): Promise<void> {
  await push.send({ type: 'video', timestamp: 0, body: header(clipRecord()) });
  for (let n = 0; goesOn() && !push.isClosed; n++) {
    const isKey = n % keyEvery === 0;
    const body = picture([slice(pictureBytes, { isKey })], { isKey });
    await push.send({ type: 'video', timestamp: n * stampMs, body });
  }
}
