// A black picture, coded once and for all: what stands beside the sound for players that take no sound alone.
import { videoTrackOf } from '../formats/h264.ts';
import type { VideoTrack } from '../formats/packet.ts';

/** By x264: 256x144, which every decoder takes, at level 1.1. */
const record = Uint8Array.fromHex(
  '0164000bffe100156764000bacb8202760220000030002000003001408' + '01000668ee0392c8b0fdf8f800',
);

/**
 * Each can be decoded alone. Of two that follow each other the numbers of the pictures (`idr_pic_id`) must differ
 * (ISO 14496-10 7.4.3), so there are two, which take turns.
 */
const pictures = [
  '0000002f658882017ffef4a0f814d0626020a3a44313bbbda29336b5895b09453eeafe2d3bc593b83e8000017604164067d79b',
  '0000002f65888405fffef4a0f814d0626020a3a44313bbbda29336b5895b09453eeafe2d3bc593b83e8000017604164067d79b',
].map((hex) => Uint8Array.fromHex(hex));

export const stillTrack: VideoTrack = videoTrackOf(record);

/** The next one, whenever it is called. */
export function stillPicture(): () => Uint8Array {
  let made = 0;
  return () => pictures[made++ % pictures.length] as Uint8Array;
}
