// Playlists of recordings: kept once made, made one after another, each once however many ask for it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { PlaylistText } from '../lib/media-answer.ts';
import { inTurns, nextTurn } from '../lib/turn-slice.ts';
import { MediaError } from '../media/packet.ts';
import { segmentsIn } from '../recording/recording-index.ts';
import { statFile } from './file-answer.ts';
import { KeptTexts } from './kept-texts.ts';
import { vodPlaylist } from './vod-playlist.ts';

/** By their size together: one of a long push takes 50 ms to make. */
const playlistBytesMax = 32 * 1_048_576;

/** Off the main thread. */
const gzipped = promisify<string, Buffer>(gzip);

/** A playlist, and how much of its file it names. */
interface KeptPlaylist extends PlaylistText {
  readonly mediaBytes: number;
}

export class RecordedPlaylists {
  private readonly kept = new KeptTexts<KeptPlaylist>(playlistBytesMax);
  /** Those who ask meanwhile wait for the same. */
  private readonly making = new Map<string, Promise<KeptPlaylist>>();
  /** Settles when what is being made is made: a crowd of them takes no more of a turn than one. */
  private last: Promise<unknown> = Promise.resolve();

  /** `index` and `file` are names in the recording's folder. */
  async find(
    folder: string,
    { index, file }: { index: string; file: string },
  ): Promise<PlaylistText> {
    const path = join(folder, index);
    const { size } = await statFile(join(folder, file));
    const made = this.kept.get(path) ?? (await this.made(path, file));
    // The media it names must be there too: a playlist of nothing would be a lie.
    if (size < made.mediaBytes) throw new MediaError('The file of the recording was cut');
    return made;
  }

  private made(path: string, file: string): Promise<KeptPlaylist> {
    const known = this.making.get(path);
    if (known) return known;
    const made = this.last.then(() => makePlaylist(path, file));
    this.making.set(path, made);
    const settled = (playlist?: KeptPlaylist) => {
      if (playlist) this.kept.set(path, playlist);
      this.making.delete(path);
    };
    this.last = made.then(settled, () => settled());
    return made;
  }
}

async function makePlaylist(index: string, file: string): Promise<KeptPlaylist> {
  const segments = await inTurns(segmentsIn(await readFile(index, 'utf8')));
  const last = segments.at(-1);
  if (!last) throw new MediaError('The index of the recording is empty');
  const text = await vodPlaylist(segments, file);
  // To hand over the text takes as long as to join it: each in a turn of its own.
  await nextTurn();
  return { text, gzip: new Uint8Array(await gzipped(text)), mediaBytes: last.at + last.size };
}
