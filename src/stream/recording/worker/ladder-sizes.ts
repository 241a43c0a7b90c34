// Sizes that were made while the push was on become the recording's, where they are all that its source is.
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inTurns } from '../../../base/turns/turn-slice.ts';
import { ladderFiles, orNothing, sizeFiles, sourceIndex } from '../recording-folder.ts';
import { indexText, type RecordedSegment, segmentsIn } from '../recording-index.ts';
import { ladderSizeNames, type SizeName } from '../variants.ts';
import { putInPlace, temporaryName } from './output-file.ts';

/** Those that no job makes later. */
export async function takeLadderSizes(folder: string): Promise<void> {
  const segments = await inTurns(segmentsIn(await readFile(join(folder, sourceIndex), 'utf8')));
  for (const name of ladderSizeNames) await takeLadderSize(folder, name, segments);
}

/**
 * How many bytes it has, where nothing of it is missing; else what is there of it is removed. Its media comes last, so
 * that a kill leaves it to be taken again, or taken.
 */
export async function takeLadderSize(
  folder: string,
  name: SizeName,
  source: readonly RecordedSegment[],
): Promise<number | undefined> {
  const made = ladderFiles(name);
  const [media, text] = await Promise.all([
    orNothing(stat(join(folder, made.file))),
    orNothing(readFile(join(folder, made.index), 'utf8')),
  ]);
  const found = await indexed(text ?? '');
  const segments = media && wholeSegments(found, { name, source, size: media.size });
  if (segments) {
    const { file, index } = sizeFiles(name);
    const newIndex = temporaryName(index);
    await writeFile(join(folder, newIndex), indexText(segments), { mode: 0o600 });
    await putInPlace(folder, newIndex, index);
    await putInPlace(folder, made.file, file);
  }
  for (const left of Object.values(made)) await rm(join(folder, left), { force: true });
  return segments && media.size;
}

/**
 * Undefined where it is damaged, or not the same segments. Dates of segments are whole milliseconds, and both have them
 * from the same clock. A player begins where it can in the source, so that lists of both have the same segments.
 */
function wholeSegments(
  found: readonly RecordedSegment[],
  of: { name: SizeName; source: readonly RecordedSegment[]; size: number },
): RecordedSegment[] | undefined {
  const { name, source } = of;
  const isSound = name === 'sound';
  const last = found.at(-1);
  if (!last || last.at + last.size > of.size || found.length !== source.length) return undefined;
  const whole: RecordedSegment[] = [];
  for (const [at, { startsAt, durationMs, isIndependent, isDiscontinuity }] of source.entries()) {
    const one = found[at];
    const isSame =
      one?.startsAt === startsAt &&
      one.durationMs === durationMs &&
      one.isDiscontinuity === isDiscontinuity &&
      (one.isIndependent || !isIndependent || isSound);
    if (!isSame) return undefined;
    if (one.size > 0) whole.push({ ...one, isIndependent });
    // A push may end with a picture alone; at its end one size may lack what another has (RFC 8216 6.2.4).
    else if (!isSound || one !== last) return undefined;
  }
  return whole;
}

/** Nothing where it is damaged. */
async function indexed(text: string): Promise<RecordedSegment[]> {
  return await inTurns(segmentsIn(text)).catch(() => []);
}
