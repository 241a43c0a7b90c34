// What lies in a data folder: recordings and all else, and files that nobody should have left there.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { recordingFileNames } from '../../src/stream/recording/recording-folder.ts';

export class FolderSizes {
  private readonly dataDir: string;
  private readonly root: string;

  constructor(dataDir: string) {
    this.dataDir = dataDir;
    this.root = join(dataDir, 'recordings');
  }

  /** Names of the recordings' folders. */
  folders(): string[] {
    return namesIn(this.root);
  }

  measure(): { diskBytes: number; otherBytes: number } {
    const folders = this.folders().map((name) => join(this.root, name));
    const diskBytes = folders.reduce((sum, folder) => sum + bytesIn(folder), 0);
    return { diskBytes, otherBytes: bytesIn(this.dataDir) };
  }

  /** What is left over beside so many videos. */
  strangers(videos: readonly unknown[]): string[] {
    const folders = this.folders();
    const files = folders.flatMap((folder) =>
      namesIn(join(this.root, folder)).map((file) => ({ folder, file })),
    );
    const found = files
      .filter(({ file }) => !recordingFileNames.includes(file))
      .map(({ folder, file }) => `${folder}/${file} was left over`);
    if (folders.length !== videos.length)
      found.push(`${videos.length} videos have ${folders.length} folders`);
    return found;
  }
}

/** Files may go while they are looked at. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Of the files in it, not of its folders. */
function bytesIn(folder: string): number {
  return namesIn(folder).reduce((sum, name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (found?.isFile() ? found.size : 0);
  }, 0);
}
