// Answers under `/recordings/ID/`: a recording's playlists, its media and its cover.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql } from '../db/sql.ts';
import type { Log } from '../lib/log.ts';
import {
  anyOrigin,
  type MediaAnswer,
  type MediaCall,
  type MediaHandler,
  noMedia,
  type PlaylistText,
  playlistAnswer,
  takesGzip,
} from '../lib/media-answer.ts';
import { MediaError } from '../media/packet.ts';
import {
  coverFile,
  mp4File,
  recordingsFolder,
  sourceFile,
  sourceIndex,
  variantFiles,
} from '../recording/recording-folder.ts';
import { readIndex } from '../recording/recording-index.ts';
import { findRecording, type RecordedVideo } from '../recording/recording-store.ts';
import { variantNames } from '../recording/variants.ts';
import { askedRange } from './byte-range.ts';
import { KeptTexts } from './kept-texts.ts';
import { vodPlaylist } from './vod-playlist.ts';

/** Playlists that are kept made, by their size together: one of a long push takes 20 ms to make. */
const playlistBytesMax = 32 * 1_048_576;

/** A file may be made anew, as the progressive one is: soon everyone shall have it. */
const cache = 'public, max-age=60';

const variants = variantNames.map((name) => ({ name, ...variantFiles(name) }));

/** What a name in a request may mean; nothing else is ever looked for on the disk. */
const typeOfFile = new Map([
  ...[sourceFile, mp4File, ...variants.map(({ file }) => file)].map(
    (file) => [file, 'video/mp4'] as const,
  ),
  [coverFile, 'image/jpeg'],
]);

const ofPlaylist = new Map([
  ['index.m3u8', { index: sourceIndex, file: sourceFile }],
  ...variants.map(({ name, index, file }) => [`${name}.m3u8`, { index, file }] as const),
]);

export function recordingFiles(given: { sql: Sql; dataDir: string; log: Log }): MediaHandler {
  const { sql, dataDir, log } = given;
  const kept = new KeptTexts<KeptPlaylist>(playlistBytesMax);
  return async ({ params, header }) => {
    const { id = '', file = '' } = params;
    const type = typeOfFile.get(file);
    const playlist = ofPlaylist.get(file);
    if (!/^[1-9]\d{0,15}$/.test(id) || !(type || playlist)) return noMedia('No such file');
    const video = await findRecording(sql, Number(id));
    if (!video) return noMedia('No such video');
    const folder = join(recordingsFolder(dataDir), video.recording);
    try {
      if (playlist) {
        const made = await playlistOf(kept, folder, playlist);
        return playlistAnswer(made, { gzip: takesGzip(header), cache: 'recorded' });
      }
      const name = file === mp4File ? await servedVideo(folder, video) : file;
      return await fileAnswer(join(folder, name), type ?? '', header);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') log.warn('a file of a recording cannot be read', { id, file, error });
      // What was never made is not there; what was and cannot be read is gone.
      return noMedia('The file is not there', code === 'ENOENT' ? 404 : 410);
    }
  };
}

/** The progressive file once the video's row says its size, before that what was recorded. */
async function servedVideo(folder: string, { video_size }: RecordedVideo): Promise<string> {
  const made = await stat(join(folder, mp4File)).catch(() => undefined);
  return made?.size === video_size ? mp4File : sourceFile;
}

async function playlistOf(
  kept: KeptTexts<KeptPlaylist>,
  folder: string,
  { index, file }: { index: string; file: string },
): Promise<PlaylistText> {
  const path = join(folder, index);
  const { size } = await statFile(join(folder, file));
  const made = kept.get(path) ?? (await makePlaylist(path, file));
  kept.set(path, made);
  // The media it names must be there too: a playlist of nothing would be a lie.
  if (size < made.mediaBytes) throw new MediaError('The file of the recording was cut');
  return made;
}

async function makePlaylist(index: string, file: string): Promise<KeptPlaylist> {
  const segments = readIndex(await readFile(index, 'utf8'));
  const last = segments.at(-1);
  if (!last) throw new MediaError('The index of the recording is empty');
  const text = vodPlaylist(segments, file);
  return { text, gzip: Bun.gzipSync(text), mediaBytes: last.at + last.size };
}

/** Throws where it is not there, or there is nothing in it. */
async function statFile(path: string) {
  const found = await stat(path);
  if (!found.isFile() || found.size === 0) throw new MediaError('A file of the recording is empty');
  return found;
}

async function fileAnswer(
  path: string,
  type: string,
  header: MediaCall['header'],
): Promise<MediaAnswer> {
  const { size, mtimeMs } = await statFile(path);
  const etag = `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;
  // Ranges of a file that was made anew in between would not fit together (RFC 9110 13.1.5).
  const isSame = (header('if-range') ?? etag) === etag;
  const asked = isSame ? askedRange(header('range'), size) : 'whole';
  const headers = {
    'content-type': type,
    etag,
    'accept-ranges': 'bytes',
    'cache-control': cache,
    ...anyOrigin,
    ...closeHeader(header),
  };
  if (asked === 'unsatisfiable')
    return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` }, body: null };
  const file = Bun.file(path, { type });
  if (asked === 'whole') return { status: 200, headers, body: file };
  const { from, to } = asked;
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${from}-${to}/${size}` },
    body: file.slice(from, to + 1, type),
  };
}

/** A playlist, and how much of its file it names. */
interface KeptPlaylist extends PlaylistText {
  readonly mediaBytes: number;
}

/** Bun closes as it is asked to and does not say so; FFmpeg 8 then sends its next request in vain (RFC 9112 9.6). */
function closeHeader(header: MediaCall['header']): Record<string, string> {
  return header('connection')?.toLowerCase() === 'close' ? { connection: 'close' } : {};
}
