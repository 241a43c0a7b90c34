// The test clip with larger pictures: what fills a slow reader's buffers in seconds, not in minutes.
import { readVideoTag } from '../../src/media/flv.ts';
import type { Clip } from '../../src/rtmp/paced-push.ts';
import { testClip } from './clip-push.ts';

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
