// What a fragment of ours says of its tracks, whatever init it belongs to.
import { keep, type Lent } from '../../src/base/bytes/memory.ts';
import { initSegment } from '../../src/stream/formats/fmp4-init.ts';
import { readInit, readMoof } from '../../src/stream/formats/fmp4-reader.ts';
import { readBoxes } from '../../src/stream/formats/mp4-box.ts';
import { clip } from '../fixtures/media/clip.ts';

export interface FragmentTrack {
  trackId: number;
  baseTime: number;
  duration: number;
  startsWithKey: boolean;
}

/** Every init of ours numbers pictures and sound alike, and a fragment leaves nothing to its init. */
const tracks = readInit(initSegment(clip.tracks));

/** Throws where `bytes` are not one whole fragment. */
export function fragmentTracks(bytes: Lent): FragmentTrack[] {
  const [moof, mdat, ...more] = readBoxes(keep(bytes));
  if (moof?.type !== 'moof' || mdat?.type !== 'mdat' || more.length > 0)
    throw new Error('this is not one fragment');
  return readMoof(moof.body, tracks).map(({ track, decodeTime, samples }) => ({
    trackId: track.id,
    baseTime: decodeTime,
    duration: samples.reduce((sum, { duration }) => sum + duration, 0),
    startsWithKey: samples[0]?.isKey ?? false,
  }));
}
