// A file over HTTP: whole, in ranges, or word that the reader has it already.
import { anyOrigin, type MediaAnswer, type MediaCall } from '../../base/api/media-answer.ts';
import { hasTag } from '../../base/api/request.ts';
import type { StoredFile } from '../recording/stored-recording.ts';
import { askedRange } from './byte-range.ts';

/** A file may be made anew, as the progressive one is: soon everyone shall have it. */
const cache = 'public, max-age=60';

export function fileAnswer(
  file: StoredFile,
  type: string,
  header: MediaCall['header'],
): MediaAnswer {
  const { size, tag: etag, address } = file;
  // The range goes along: whoever follows asks there for the same.
  if (address !== undefined)
    return {
      status: 302,
      headers: { location: address, 'cache-control': 'no-store', ...anyOrigin },
      body: null,
    };
  const headers = {
    'content-type': type,
    etag,
    'accept-ranges': 'bytes',
    'cache-control': cache,
    ...anyOrigin,
    ...closeHeader(header),
  };
  const known = header('if-none-match');
  if (known !== null && hasTag(known, etag)) return { status: 304, headers, body: null };
  // Ranges of a file that was made anew in between would not fit together (RFC 9110 13.1.5).
  const isSame = (header('if-range') ?? etag) === etag;
  const asked = isSame ? askedRange(header('range'), size) : 'whole';
  if (asked === 'unsatisfiable')
    return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` }, body: null };
  if (asked === 'whole') return { status: 200, headers, body: file.body({ at: 0, size }, type) };
  const { from, to } = asked;
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${from}-${to}/${size}` },
    body: file.body({ at: from, size: to - from + 1 }, type),
  };
}

/** Bun closes as it is asked to and does not say so; FFmpeg 8 then sends its next request in vain (RFC 9112 9.6). */
function closeHeader(header: MediaCall['header']): Record<string, string> {
  return header('connection')?.toLowerCase() === 'close' ? { connection: 'close' } : {};
}
