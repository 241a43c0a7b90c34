// Answers under `/hls/PLAYID/` for who goes back in a show that is on: its list from the beginning, and the pieces of it.
import { ApiError, unavailable } from '../../base/api/errors.ts';
import {
  type MediaAnswer,
  type MediaCall,
  type MediaHandler,
  noMedia,
  pieceAnswer,
  playlistAnswer,
  takesGzip,
} from '../../base/api/media-answer.ts';
import type { Log } from '../../base/lib/log.ts';
import { BucketError } from '../../base/objects/bucket-problem.ts';
import { sourceFile } from '../recording/recording-folder.ts';
import type { BucketReaders } from './bucket-readers.ts';
import { multivariantList } from './multivariant.ts';
import type { ListedShow, ShowLists } from './show-lists.ts';
import { listName, type NamedPiece, readShowName, showFile } from './show-names.ts';
import type { ShowSource, ShowSources } from './show-sources.ts';

export interface ShowListFilesOptions {
  sources: ShowSources;
  lists: ShowLists;
  bucketReaders: BucketReaders;
  log: Log;
}

const cache = 'growing';

/** So short a list is sent as it is. */
const noBytes = new Uint8Array(0);

/** Where the list ends: milliseconds of the show's media, and the date of what comes there. */
export const showEndId = 'footlight.show-end';

/** Undefined for what is no name of ours. */
export function showListFiles(
  options: ShowListFilesOptions,
): (call: MediaCall) => ReturnType<MediaHandler> | undefined {
  const { sources, lists, log } = options;
  const answer = async (playId: string, file: string, call: MediaCall): Promise<MediaAnswer> => {
    const named = file === showFile ? undefined : readShowName(file);
    if (typeof named === 'object') {
      const source = await sources.find(playId, call.address);
      if (source?.name !== named.source) return noShow();
      return await pieceOf(source, named, { ...options, call });
    }
    const listed = await lists.find(playId, call.address);
    if (!listed || (named !== undefined && listed.source.name !== named)) return noShow();
    if (named === undefined) return playlistAnswer(firstText(listed), { gzip: false, cache });
    return playlistAnswer(listed.text, { gzip: takesGzip(call.header), cache });
  };
  return (call) => {
    const { playId = '', file = '' } = call.params;
    if (file !== showFile && readShowName(file) === undefined) return undefined;
    return answer(playId, file, call).catch((error) => {
      if (error instanceof ApiError) throw error;
      if (error instanceof BucketError && error.reason !== 'missing')
        throw unavailable('The recording cannot be read now', error);
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') log.warn('a show cannot be gone back in', { playId, file, error });
      return noShow();
    });
  };
}

function noShow(): MediaAnswer {
  return noMedia('Nothing of it is recorded');
}

/** What a page reads to know how far one may go back, and every player before the list. */
function firstText({ source, list }: ListedShow) {
  const { mediaMs, dateMs } = list.end ?? { mediaMs: 0, dateMs: 0 };
  const end = `#EXT-X-SESSION-DATA:DATA-ID="${showEndId}",VALUE="${Math.round(mediaMs)} ${Math.round(dateMs)}"`;
  const text = multivariantList([{ ...list.size, playlist: listName(source.name) }], {
    tags: [end],
  });
  return { text, gzip: noBytes };
}

async function pieceOf(
  { parts }: ShowSource,
  { part, at, size }: NamedPiece,
  { call, bucketReaders }: ShowListFilesOptions & { call: MediaCall },
): Promise<MediaAnswer> {
  const found = await parts[part]?.recording.find(sourceFile);
  if (!found || at + size > found.size) return noShow();
  const body = found.body({ at, size }, 'video/mp4');
  return pieceAnswer(
    body instanceof ReadableStream ? bucketReaders.given(body, call.address) : body,
  );
}
