// Makes a smaller variant of a video: H.264 at another size in the source's segments, with the source's sound.
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sizeFiles } from '../recording-folder.ts';
import { largestPicture } from '../recording-index.ts';
import { type VariantName, variantSize } from '../variants.ts';
import { takeLadderSize } from './ladder-sizes.ts';
import { putInPlace, temporaryName } from './output-file.ts';
import { openSource } from './source-reader.ts';
import { transcode } from './transcode.ts';
import { loadTranscoder } from './transcoder.ts';

/** `video` is the whole recording as one file. Returns how many bytes the variant has. */
export async function makeVariant(
  folder: string,
  video: string,
  name: VariantName,
): Promise<number> {
  const source = await openSource(folder);
  try {
    const { segments } = source;
    const taken = await takeLadderSize(folder, name, segments);
    if (taken !== undefined) return taken;
    const av = await loadTranscoder();
    const { file, index } = sizeFiles(name);
    const [newFile, newIndex] = [temporaryName(file), temporaryName(index)];
    const size = variantSize(name, largestPicture(segments));
    const into = join(folder, newFile);
    const lines = await transcode(av, { video, source, into, name, size });
    await writeFile(join(folder, newIndex), lines, { mode: 0o600 });
    await putInPlace(folder, newFile, file);
    await putInPlace(folder, newIndex, index);
    return (await stat(join(folder, file))).size;
  } finally {
    await source.file.close();
  }
}
