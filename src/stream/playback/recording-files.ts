// Answers under `/recordings/ID/`: a recording's playlists, its media, its cover and its storyboard.
import { ApiError, unavailable } from '../../base/api/errors.ts';
import {
  anyOrigin,
  type MediaAnswer,
  type MediaCall,
  type MediaHandler,
  noMedia,
  playlistAnswer,
  takesGzip,
} from '../../base/api/media-answer.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofNetwork } from '../../base/db/whose.ts';
import type { Log } from '../../base/lib/log.ts';
import { BucketError } from '../../base/objects/bucket-problem.ts';
import {
  coverFile,
  mp4File,
  sizeFiles,
  sourceFile,
  sourceIndex,
} from '../recording/recording-folder.ts';
import type { RecordingStorage } from '../recording/recording-storage.ts';
import { findRecording, type RecordedVideo } from '../recording/recording-store.ts';
import type { StoredFile, StoredRecording } from '../recording/stored-recording.ts';
import { noStoryboard, sheetFiles, storyboardFile } from '../recording/storyboard.ts';
import { ladderSizeNames, variantNames } from '../recording/variants.ts';
import type { BucketReaders } from './bucket-readers.ts';
import { fileAnswer } from './file-answer.ts';
import { multivariantList, stillName, type Variant } from './multivariant.ts';
import {
  type PlaylistFiles,
  RecordedPlaylists,
  type RecordedPlaylistsOptions,
} from './recorded-playlists.ts';
import type { RecordedSize } from './recorded-size.ts';
import { VideoReaders } from './video-readers.ts';

const sizes = [...variantNames, ...ladderSizeNames].map((name) => ({ name, ...sizeFiles(name) }));

const storyboardType = 'text/vtt; charset=utf-8';

/** What a name in a request may mean; nothing else is ever looked for on the disk. */
const typeOfFile = new Map([
  ...[sourceFile, mp4File, ...sizes.map(({ file }) => file)].map(
    (file) => [file, 'video/mp4'] as const,
  ),
  ...[coverFile, ...sheetFiles].map((file) => [file, 'image/jpeg'] as const),
  [storyboardFile, storyboardType],
]);

const sourcePlaylist = 'index.m3u8';
const stillPlaylist = 'still.m3u8';
/** Of all sizes. */
const everySizeFile = 'all.m3u8';

const ofPlaylist = new Map([
  [sourcePlaylist, { index: sourceIndex, file: sourceFile }],
  ...sizes.map(({ name, index, file }) => [`${name}.m3u8`, { index, file }] as const),
]);

interface RecordingFilesOptions extends RecordedPlaylistsOptions {
  store: Pick<Store, 'for'>;
  storage: RecordingStorage;
  bucketReaders: BucketReaders;
  now: () => number;
  log: Log;
}

export function recordingFiles(given: RecordingFilesOptions): MediaHandler {
  const { store, storage, bucketReaders, now, log } = given;
  const playlists = new RecordedPlaylists(given);
  const readers = new VideoReaders(now);
  return async (call) => {
    const { params, header } = call;
    const { id = '', file = '' } = params;
    const type = typeOfFile.get(file);
    const playlist = ofPlaylist.get(file);
    const isKnown = type || playlist || file === everySizeFile;
    if (!/^[1-9]\d{0,15}$/.test(id) || !isKnown) return noMedia('No such file');
    const look = () => findRecording(store.for(ofNetwork(call.address)), Number(id));
    const video = await look();
    if (!video) return noMedia('No such video');
    const served = async (one: RecordedVideo): Promise<MediaAnswer> => {
      const recording = storage.of(one);
      if (file === everySizeFile) {
        const hasStill = call.query(stillName) !== null;
        const find = (names: PlaylistFiles) => playlists.size(recording, names, call);
        const text = await sizesOf(one, { hasStill, find });
        return playlistAnswer({ text, gzip: noBytes }, { gzip: false, cache: 'recorded' });
      }
      if (playlist) {
        const made = await playlists.find(recording, playlist, call);
        return playlistAnswer(made, { gzip: takesGzip(header), cache: 'recorded' });
      }
      const found =
        file === mp4File
          ? await servedVideo(recording, one, { call, readers })
          : await recording.find(file).catch((error) => {
              if (file !== storyboardFile || error.code !== 'ENOENT') throw error;
            });
      if (!found) return emptyStoryboard;
      const answer = fileAnswer(found, type ?? '', header);
      const { body } = answer;
      if (!(body instanceof ReadableStream)) return answer;
      return { ...answer, body: bucketReaders.given(body, call.address) };
    };
    try {
      return await served(video).catch(async (error) => {
        // Since its row was read it may have gone into the bucket, or come back.
        const moved = error.code === 'ENOENT' ? await look() : undefined;
        if (!moved || moved.storage === video.storage) throw error;
        return await served(moved);
      });
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (error instanceof BucketError && error.reason !== 'missing')
        throw unavailable('The recording cannot be read now', error);
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') log.warn('a file of a recording cannot be read', { id, file, error });
      // A file that was never made is not there; one that was made and cannot be read is gone.
      return noMedia('The file is not there', code === 'ENOENT' ? 404 : 410);
    }
  };
}

/** Players ask for it of any recording, those from before there were storyboards, too. */
const emptyStoryboard: MediaAnswer = {
  status: 200,
  headers: {
    'content-type': storyboardType,
    // It may be made yet.
    'cache-control': 'public, max-age=60',
    ...anyOrigin,
  },
  body: noStoryboard,
};

/** So short a list is sent as it is. */
const noBytes = new Uint8Array(0);

/**
 * The source, the variants that its row says are made, and what the ladder has left of other sizes; what is damaged is
 * not offered.
 */
async function sizesOf(
  { made }: RecordedVideo,
  { hasStill, find }: { hasStill: boolean; find(names: PlaylistFiles): Promise<RecordedSize> },
): Promise<string> {
  const isVariant = (playlist: string) => variantNames.some((name) => playlist === `${name}.m3u8`);
  const isThere = (playlist: string) => {
    if (playlist === stillPlaylist) return hasStill;
    return !isVariant(playlist) || made.split(' ').some((one) => one.endsWith(`/${playlist}`));
  };
  const listed: Variant[] = [];
  // One after another: a caller takes one place at a time in the line of those who wait.
  for (const [playlist, names] of ofPlaylist) {
    if (!isThere(playlist)) continue;
    const found = await find(names).catch((error: unknown) => {
      if (playlist === sourcePlaylist) throw error;
      // A node of the version before refuses to look for what the ladder alone makes, and no row says that it is there.
      if (error instanceof ApiError && (isVariant(playlist) || error.isCounted)) throw error;
    });
    if (found) listed.push({ ...found, playlist });
  }
  const picturesPerSecond = listed[0]?.picturesPerSecond;
  // Live it is listed so, too: players pass over a size whose pictures are fewer.
  return multivariantList(
    listed.map((one) => (one.playlist === stillPlaylist ? { ...one, picturesPerSecond } : one)),
  );
}

/** The progressive file once the video's row says its size, before that what was recorded. */
async function servedVideo(
  recording: StoredRecording,
  { video_size }: RecordedVideo,
  { call, readers }: { call: MediaCall; readers: VideoReaders },
): Promise<StoredFile> {
  const reader = `${call.params['id']} ${call.address}`;
  const made = await recording.find(mp4File).catch(() => undefined);
  if (made?.size === video_size) {
    const isReading = () => readers.has(reader);
    if (!(await goesOn(call.header, recording, isReading))) return made;
  }
  readers.served(reader);
  return await recording.find(sourceFile);
}

/** Whether it asks for more of what was recorded: ranges of two files would not fit together. */
async function goesOn(
  header: MediaCall['header'],
  recording: StoredRecording,
  isReading: () => boolean,
): Promise<boolean> {
  if (header('range') === null) return false;
  const begunWith = header('if-range');
  if (begunWith === null) return isReading();
  const recorded = await recording.find(sourceFile).catch(() => undefined);
  return begunWith === recorded?.tag;
}
