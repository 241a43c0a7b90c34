// Makes a smaller variant of a video: H.264 at another size, the sound as it is, in fragments of two seconds.
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MediaError } from '../../formats/packet.ts';
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
  checkSound(source);
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
  });
  const lines = await indexOfFile(join(folder, newFile), wallTimeOf(segments));
  await writeFile(join(folder, newIndex), lines, { mode: 0o600 });
  await putInPlace(folder, newFile, file);
  await putInPlace(folder, newIndex, index);
  return (await stat(join(folder, file))).size;
}

/** Sound is copied, and a fragmented file has one way to decode it; the source's playlist has one for each init. */
function checkSound({ tracksAt }: Source): void {
  const sounds = [...tracksAt.values()].flat().filter(({ kind }) => kind === 'audio');
  if (new Set(sounds.map(({ entry }) => Buffer.from(entry).toString('hex'))).size > 1)
    throw new MediaError('The sound of the recording changes on the way; a variant cannot follow');
}
