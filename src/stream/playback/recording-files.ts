// Answers under `/recordings/ID/`: a recording's playlists, its media and its cover.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../base/api/errors.ts';
import {
  type MediaCall,
  type MediaHandler,
  noMedia,
  playlistAnswer,
  takesGzip,
} from '../../base/api/media-answer.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofNetwork } from '../../base/db/whose.ts';
import type { Log } from '../../base/lib/log.ts';
import {
  coverFile,
  mp4File,
  recordingFolder,
  sourceFile,
  sourceIndex,
  variantFiles,
} from '../recording/recording-folder.ts';
import { findRecording, type RecordedVideo } from '../recording/recording-store.ts';
import { variantNames } from '../recording/variants.ts';
import { fileAnswer, tagOf } from './file-answer.ts';
import { RecordedPlaylists, type RecordedPlaylistsOptions } from './recorded-playlists.ts';
import { VideoReaders } from './video-readers.ts';

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

interface RecordingFilesOptions extends RecordedPlaylistsOptions {
  store: Pick<Store, 'for'>;
  dataDir: string;
  now: () => number;
  log: Log;
}

export function recordingFiles(given: RecordingFilesOptions): MediaHandler {
  const { store, dataDir, now, log } = given;
  const playlists = new RecordedPlaylists(given);
  const readers = new VideoReaders(now);
  return async (call) => {
    const { params, header } = call;
    const { id = '', file = '' } = params;
    const type = typeOfFile.get(file);
    const playlist = ofPlaylist.get(file);
    if (!/^[1-9]\d{0,15}$/.test(id) || !(type || playlist)) return noMedia('No such file');
    const video = await findRecording(store.for(ofNetwork(call.address)), Number(id));
    if (!video) return noMedia('No such video');
    try {
      const folder = recordingFolder(dataDir, video.recording);
      if (playlist) {
        const made = await playlists.find(folder, playlist, call);
        return playlistAnswer(made, { gzip: takesGzip(header), cache: 'recorded' });
      }
      const name = file === mp4File ? await servedVideo(folder, video, { call, readers }) : file;
      return await fileAnswer(join(folder, name), type ?? '', header);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') log.warn('a file of a recording cannot be read', { id, file, error });
      // A file that was never made is not there; one that was made and cannot be read is gone.
      return noMedia('The file is not there', code === 'ENOENT' ? 404 : 410);
    }
  };
}

/** The progressive file once the video's row says its size, before that what was recorded. */
async function servedVideo(
  folder: string,
  { video_size }: RecordedVideo,
  { call, readers }: { call: MediaCall; readers: VideoReaders },
): Promise<string> {
  const reader = `${call.params['id']} ${call.address}`;
  const made = await stat(join(folder, mp4File)).catch(() => undefined);
  const isMade = made?.size === video_size;
  if (isMade && !(await goesOn(call.header, join(folder, sourceFile), () => readers.has(reader))))
    return mp4File;
  readers.served(reader);
  return sourceFile;
}

/** Whether it asks for more of what was recorded: ranges of two files would not fit together. */
async function goesOn(
  header: MediaCall['header'],
  recorded: string,
  isReading: () => boolean,
): Promise<boolean> {
  if (header('range') === null) return false;
  const begunWith = header('if-range');
  return begunWith === null ? isReading() : begunWith === (await tagOf(recorded));
}
