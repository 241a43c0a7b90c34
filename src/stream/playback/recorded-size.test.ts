// What a list of sizes says of a recording whose encoder was begun anew again and again.
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/engines.ts';
import { audioTrackOf } from '../formats/aac.ts';
import { initSegment, trackIdOf } from '../formats/fmp4-init.ts';
import type { Track } from '../formats/packet.ts';
import { partOf } from '../formats/part-samples.ts';
import { stillPicture, stillTrack } from '../ladder/still-picture.ts';
import type { RecordedSegment } from '../recording/recording-index.ts';
import { fileAt } from '../recording/stored-recording.ts';
import { indexedSize, recordedSize } from './recorded-size.ts';

const sound = audioTrackOf(Uint8Array.fromHex('1210'));
const otherSound = audioTrackOf(Uint8Array.fromHex('2b920800'));
const upright = { ...stillTrack, width: 144, height: 256 };

test('every kind of its inits is told, however many there are of one', async () => {
  const turned = Array.from({ length: 20 }, (_, at) => [at % 2 ? upright : stillTrack, sound]);
  const { file, segments } = recorded([...turned, [stillTrack, otherSound]]);
  expect(await recordedSize(indexedSize(segments), await fileAt(file))).toMatchObject({
    codecs: ['avc1.64000b', 'mp4a.40.2', 'mp4a.40.5'],
    picturesPerSecond: 2,
    width: 256,
    height: 144,
  });
});

/** A segment of a picture behind each init. */
function recorded(inits: readonly Track[][]): { file: string; segments: RecordedSegment[] } {
  const file = join(temporaryFolder(), 'source.mp4');
  const picture = stillPicture();
  const pieces: Uint8Array[] = [];
  let end = 0;
  const append = (bytes: Uint8Array) => {
    pieces.push(bytes);
    const range = { at: end, size: bytes.length };
    end += bytes.length;
    return range;
  };
  const segments = inits.map((tracks, at) => {
    const [{ width, height } = stillTrack] = tracks.filter((one) => one.kind === 'video');
    const init = { ...append(initSegment(tracks)), width, height };
    const bytes = picture();
    const samples = [{ size: bytes.length, duration: 500, compositionOffset: 0, isKey: true }];
    const run = { trackId: trackIdOf(stillTrack), baseTime: at * 500, samples, bytes };
    const place = { durationMs: 500, startsAt: at * 500, isDiscontinuity: at > 0 };
    return { init, ...append(partOf([run], at)), ...place, isIndependent: true };
  });
  writeFileSync(file, Buffer.concat(pieces));
  return { file, segments };
}
