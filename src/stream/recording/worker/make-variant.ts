// Makes a smaller variant of a video: H.264 at another size and AAC, in the source's segments.
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ladderFiles, orNothing, variantFiles } from '../recording-folder.ts';
import { largestPicture, type RecordedSegment, readIndex } from '../recording-index.ts';
import { type VariantName, variantSize } from '../variants.ts';
import { indexOfFile, wallTimeOf } from './file-index.ts';
import { putInPlace, temporaryName } from './output-file.ts';
import { openSource, rotationIn, type Source } from './source-reader.ts';
import { transcode } from './transcode.ts';
import { loadTranscoder } from './transcoder.ts';

/** `video` is the whole recording as one file. Returns how many bytes the variant has. */
export async function makeVariant(
  folder: string,
  video: string,
  name: VariantName,
): Promise<number> {
  const source = await openSource(folder);
  await source.file.close();
  const { segments } = source;
  const { file, index } = variantFiles(name);
  if (await isMadeByLadder(folder, name, segments)) {
    const made = ladderFiles(name);
    await putInPlace(folder, made.file, file);
    await putInPlace(folder, made.index, index);
    return (await stat(join(folder, file))).size;
  }
  const av = await loadTranscoder();
  const [newFile, newIndex] = [temporaryName(file), temporaryName(index)];
  const size = variantSize(name, largestPicture(segments));
  await transcode(av, {
    video,
    into: join(folder, newFile),
    name,
    size,
    startsMs: startsOf(segments),
    rotation: rotationIn(source),
    doesSoundChange: doesSoundChange(source),
  });
  const lines = await indexOfFile(join(folder, newFile), wallTimeOf(segments));
  await writeFile(join(folder, newIndex), lines, { mode: 0o600 });
  await putInPlace(folder, newFile, file);
  await putInPlace(folder, newIndex, index);
  return (await stat(join(folder, file))).size;
}

/** In the file of all media, which has no pauses. */
function startsOf(segments: readonly RecordedSegment[]): number[] {
  let endMs = 0;
  return segments.map(({ durationMs }) => {
    endMs += durationMs;
    return endMs - durationMs;
  });
}

/** Whether it was made while the push was on, with nothing missing; what is there and is not whole is removed. */
async function isMadeByLadder(
  folder: string,
  name: VariantName,
  segments: readonly RecordedSegment[],
): Promise<boolean> {
  const { file, index } = ladderFiles(name);
  const [media, text] = await Promise.all([
    orNothing(stat(join(folder, file))),
    orNothing(readFile(join(folder, index), 'utf8')),
  ]);
  if (media && text !== undefined && isSame(indexed(text), { segments, size: media.size }))
    return true;
  for (const left of [file, index]) await rm(join(folder, left), { force: true });
  return false;
}

/** Nothing where it is damaged. */
function indexed(text: string): RecordedSegment[] {
  try {
    return readIndex(text);
  } catch {
    return [];
  }
}

/** Dates of segments are whole milliseconds, and both have them from the same clock. */
function isSame(
  made: readonly RecordedSegment[],
  { segments, size }: { segments: readonly RecordedSegment[]; size: number },
): boolean {
  const last = made.at(-1);
  const isWhole = last !== undefined && last.at + last.size <= size;
  return (
    isWhole &&
    made.length === segments.length &&
    made.every(({ startsAt, durationMs, isIndependent }, at) => {
      const of = segments[at];
      return (
        of?.startsAt === startsAt &&
        of.durationMs === durationMs &&
        (isIndependent || !of.isIndependent)
      );
    })
  );
}

/** As after a reconnect with other settings. */
function doesSoundChange({ tracksAt }: Source): boolean {
  const sounds = [...tracksAt.values()].flat().filter(({ kind }) => kind === 'audio');
  return new Set(sounds.map(({ entry }) => Buffer.from(entry).toString('hex'))).size > 1;
}
