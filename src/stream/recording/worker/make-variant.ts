// Makes a smaller variant of a video: H.264 at another size and AAC, in fragments of two seconds.
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { variantFiles } from '../recording-folder.ts';
import { largestPicture } from '../recording-index.ts';
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
  const av = await loadTranscoder();
  const source = await openSource(folder);
  await source.file.close();
  const { segments } = source;
  const { file, index } = variantFiles(name);
  const [newFile, newIndex] = [temporaryName(file), temporaryName(index)];
  const size = variantSize(name, largestPicture(segments));
  await transcode(av, {
    video,
    into: join(folder, newFile),
    name,
    size,
    rotation: rotationIn(source),
    doesSoundChange: doesSoundChange(source),
  });
  const lines = await indexOfFile(join(folder, newFile), wallTimeOf(segments));
  await writeFile(join(folder, newIndex), lines, { mode: 0o600 });
  await putInPlace(folder, newFile, file);
  await putInPlace(folder, newIndex, index);
  return (await stat(join(folder, file))).size;
}

/** As after a reconnect with other settings. */
function doesSoundChange({ tracksAt }: Source): boolean {
  const sounds = [...tracksAt.values()].flat().filter(({ kind }) => kind === 'audio');
  return new Set(sounds.map(({ entry }) => Buffer.from(entry).toString('hex'))).size > 1;
}
