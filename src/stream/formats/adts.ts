// AAC as MPEG-TS carries it (ISO 13818-7 6.2): frames that each begin with a header of their own.
import { MediaError } from './packet.ts';

/** The AudioSpecificConfig that the header of a frame stands for. */
export function configOfAdts(frame: Uint8Array): Uint8Array {
  checkAdts(frame);
  const [, , third = 0, fourth = 0] = frame;
  const objectType = (third >> 6) + 1;
  const rateIndex = (third >> 2) & 15;
  const channels = ((third & 1) << 2) | (fourth >> 6);
  return Uint8Array.of(
    (objectType << 3) | (rateIndex >> 1),
    ((rateIndex & 1) << 7) | (channels << 3),
  );
}

/** The frame without its header. */
export function withoutAdts(frame: Uint8Array): Uint8Array {
  checkAdts(frame);
  const isChecked = ((frame[1] ?? 0) & 1) === 0;
  return frame.subarray(isChecked ? 9 : 7);
}

function checkAdts(frame: Uint8Array): void {
  const [first, second = 0] = frame;
  if (frame.length < 9 || first !== 0xff || (second & 0xf6) !== 0xf0)
    throw new MediaError('The sound has a frame without its header');
  if (((frame[6] ?? 0) & 3) !== 0)
    throw new MediaError('The sound has several frames behind one header');
}
