// Makes a smaller variant of a video: H.264 at another size and AAC, in the source's segments.
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sizeFiles } from '../recording-folder.ts';
import { largestPicture, type RecordedSegment } from '../recording-index.ts';
import { type VariantName, variantSize } from '../variants.ts';
import { indexOfFile, wallTimeOf } from './file-index.ts';
import { takeLadderSize } from './ladder-sizes.ts';
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
  const taken = await takeLadderSize(folder, name, segments);
  if (taken !== undefined) return taken;
  const { file, index } = sizeFiles(name);
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

/** As after a reconnect with other settings. */
function doesSoundChange({ tracksAt }: Source): boolean {
  const sounds = [...tracksAt.values()].flat().filter(({ kind }) => kind === 'audio');
  return new Set(sounds.map(({ entry }) => Buffer.from(entry).toString('hex'))).size > 1;
}
