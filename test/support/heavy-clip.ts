// The test clip with larger pictures, and a push of it: what fills a slow reader's buffers in seconds, not in minutes.
import { readVideoTag } from '../../src/stream/formats/flv.ts';
import type { Clip } from '../../src/stream/rtmp/paced-push.ts';
import type { Target, TargetChannel } from './attacks/attack.ts';
import { type ClipPush, startClipPush, testClip } from './clip-push.ts';
import { patience } from './machine-pace.ts';
import { pause } from './rude/rude-sockets.ts';

/** Of each picture: some 25 Mbps, in segments of some 5 MB. */
const pictureBytes = 100_000;
const tryAgainMs = 200;
const letInWithinMs = 10_000;

/** Tries again, as encoders do: where very many connect it may be turned away. */
export async function startHeavyPush(
  { rtmpPort }: Pick<Target, 'rtmpPort'>,
  { stream_key }: TargetChannel,
  signal: AbortSignal,
): Promise<ClipPush> {
  const url = `rtmp://127.0.0.1:${rtmpPort}/live/${stream_key}`;
  const clip = heavyClip(pictureBytes);
  const until = performance.now() + patience(letInWithinMs);
  for (;;) {
    try {
      return await startClipPush(url, clip);
    } catch (error) {
      await pause(tryAgainMs, signal);
      if (signal.aborted || performance.now() > until) throw error;
    }
  }
}

/** Only a decoder would mind: every picture gets another slice, of so many bytes of nothing. */
export function heavyClip(sliceBytes: number): Clip {
  const { tags, durationMs } = testClip();
  const isPicture = (body: Uint8Array) => readVideoTag(body)?.what === 'picture';
  return {
    durationMs,
    tags: tags.map((tag) =>
      tag.type === 'video' && isPicture(tag.body)
        ? { ...tag, body: Buffer.concat([tag.body, sliceOf(tag.body, sliceBytes)]) }
        : tag,
    ),
  };
}

/** Of the kind of the picture it joins: of a key frame (type 5), or of another (type 1). */
function sliceOf(body: Uint8Array, bytes: number): Uint8Array {
  const slice = Buffer.alloc(4 + bytes, 0x55);
  slice.writeUInt32BE(bytes);
  slice[4] = (body[0] ?? 0) >> 4 === 1 ? 0x65 : 0x41;
  return slice;
}
