// New parameters before every key frame: 40,000 pairs in one message, and a few hundred a second for a while.
import { aggregate, header, otherRecord, picture, slice } from '../rude/rude-media.ts';
import { type RudeMessage, startRudePush } from '../rude/rude-push.ts';
import type { Attack } from './attack.ts';

/** 3.6 MB of them. */
const pairsAtOnce = 40_000;
/** As much as 136 kbit/s is, with their headers. */
const pairsPerSecond = 150;
const slowMs = 10_000;
/** A cut push comes back as encoders do. */
const returnMs = 1_000;

const headers = [1, 2].map((n) => header(otherRecord(n)));
const keyFrame = picture([slice(8)]);

/** New parameters and the key frame that needs them. */
export function pair(n: number): RudeMessage[] {
  const timestamp = 60 * n;
  return [
    { type: 'video', timestamp, body: headers[n % headers.length] ?? keyFrame },
    { type: 'video', timestamp, body: keyFrame },
  ];
}

export const attack: Attack = {
  name: 'alternating-headers',
  sentence: 'new parameters before every key frame: 40,000 in one message, then 136 kbit/s of them',
  refusals: ['push changes'],
  over: 'rtmp',
  run: async ({ rtmpPort, channels }, { from, signal }) => {
    const [first, second] = channels;
    if (!first || !second) throw new Error('it needs two channels');
    const open = (key: string) => startRudePush({ port: rtmpPort, key, from, signal });
    const whole = await open(first.stream_key);
    const pairs = Array.from({ length: pairsAtOnce }, (_, n) => pair(n)).flat();
    await whole.send({ type: 'aggregate', timestamp: 0, body: aggregate(pairs) });
    const until = performance.now() + slowMs;
    for (let n = 0; performance.now() < until && !signal.aborted; ) {
      const slow = await open(second.stream_key);
      while (performance.now() < until && !slow.isClosed && !signal.aborted) {
        for (const message of pair(n)) await slow.send(message);
        n += 1;
        await Bun.sleep(1_000 / pairsPerSecond);
      }
      slow.drop();
      if (!signal.aborted) await Bun.sleep(returnMs);
    }
    whole.drop();
    await whole.closed;
  },
};
