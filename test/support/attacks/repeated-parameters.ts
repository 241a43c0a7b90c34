// Parameter sets without end: a record of 255, a picture of 4 MB that repeats the last of them, one of empty units.
import { header, picture, recordOf, slice } from '../rude/rude-media.ts';
import { type RudeMessage, startRudePush } from '../rude/rude-push.ts';
import type { Attack } from './attack.ts';

const pictureBytes = 4_000_000;
const returnMs = 500;

export const attack: Attack = {
  name: 'repeated-parameters',
  sentence: 'a record of 255 PPS, and pictures of 4 MB of repeats, of new sets and of empty units',
  refusals: ['push media'],
  over: 'rtmp',
  run: async ({ rtmpPort, channels }, { from, signal }) => {
    for (const [n, messages] of forms().entries()) {
      const channel = channels[n % channels.length];
      if (signal.aborted || !channel) return;
      const push = await startRudePush({ port: rtmpPort, key: channel.stream_key, from, signal });
      for (const message of messages) await push.send(message);
      // Whoever is not cut for it leaves by itself, and the channel is free for the next.
      await Promise.race([push.closed, Bun.sleep(returnMs)]);
      push.drop();
      await push.closed;
    }
  },
};

/** What a push sends, each on a connection of its own. */
export function forms(): RudeMessage[][] {
  const video = (body: Uint8Array): RudeMessage => ({ type: 'video', timestamp: 0, body });
  const few = Array.from({ length: 31 }, (_, n) => parameters(n));
  const [last = new Uint8Array()] = few.slice(-1);
  const filled = (unit: Uint8Array) =>
    picture([
      ...Array<Uint8Array>(Math.floor(pictureBytes / (4 + unit.length))).fill(unit),
      slice(8),
    ]);
  return [
    [video(header(recordOf(Array.from({ length: 255 }, (_, n) => parameters(n)))))],
    [video(header(recordOf(few))), video(filled(last))],
    [video(header(recordOf(few))), video(filled(parameters(200)))],
    [video(header(recordOf(few))), video(filled(new Uint8Array(0)))],
    [video(header(recordOf(few))), video(filled(slice(1)))],
  ];
}

/** A PPS of its own, with id 0. */
function parameters(n: number): Uint8Array {
  return Uint8Array.of(0x68, 0xeb, 0xe3, 0xcb, n);
}
