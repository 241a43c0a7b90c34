// A file over HTTP: whole, in ranges, or word that the reader has it already.
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { anyOrigin, type MediaAnswer, type MediaCall } from '../../base/api/media-answer.ts';
import { hasTag } from '../../base/api/request.ts';
import { MediaError } from '../formats/packet.ts';
import { askedRange } from './byte-range.ts';

/** A file may be made anew, as the progressive one is: soon everyone shall have it. */
const cache = 'public, max-age=60';

export async function fileAnswer(
  path: string,
  type: string,
  header: MediaCall['header'],
): Promise<MediaAnswer> {
  const found = await statFile(path);
  const { size } = found;
  const etag = tagFrom(found);
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
  const file = Bun.file(path, { type });
  if (asked === 'whole') return { status: 200, headers, body: file };
  const { from, to } = asked;
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${from}-${to}/${size}` },
    body: file.slice(from, to + 1, type),
  };
}

/** Throws where it is not there, or there is nothing in it. */
export async function statFile(path: string): Promise<Stats> {
  const found = await stat(path);
  if (!found.isFile() || found.size === 0) throw new MediaError('A file of the recording is empty');
  return found;
}

/** Undefined where there is no such file. */
export async function tagOf(path: string): Promise<string | undefined> {
  return await statFile(path).then(tagFrom, () => undefined);
}

function tagFrom({ size, mtimeMs }: Stats): string {
  return `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;
}

/** Bun closes as it is asked to and does not say so; FFmpeg 8 then sends its next request in vain (RFC 9112 9.6). */
function closeHeader(header: MediaCall['header']): Record<string, string> {
  return header('connection')?.toLowerCase() === 'close' ? { connection: 'close' } : {};
}
