// Names of what belongs to the list of a show: they say which bytes of which recording they are.
import type { ShowRange } from './show-list.ts';

/** Of the list of a show, as its page asks for it: it leads to the one that is there now. */
export const showFile = 'show.m3u8';

/** Longer than a piece becomes. */
const pieceBytesMax = 64 * 1_048_576;

export interface NamedPiece extends ShowRange {
  /** Of the show's source. */
  source: string;
}

/** `show-SOURCE.m3u8` */
export function listName(source: string): string {
  return `show-${source}.m3u8`;
}

/** `show-SOURCE.PART.AT.SIZE.m4s`, of an init `….mp4`; numbers are short, as a list of hours has thousands of them. */
export function pieceName(
  source: string,
  { part, at, size }: ShowRange,
  kind: 'init' | 'media',
): string {
  const range = [part, at, size].map((number) => number.toString(36)).join('.');
  return `show-${source}.${range}.${kind === 'init' ? 'mp4' : 'm4s'}`;
}

const written =
  /^show-([0-9a-z]{1,16})(?:\.m3u8|\.([0-9a-z]{1,4})\.([0-9a-z]{1,9})\.([0-9a-z]{1,6})\.m(?:4s|p4))$/;

/** A list is its source's name; undefined where it is neither. */
export function readShowName(file: string): NamedPiece | string | undefined {
  const [, source, part = '', at = '', size = ''] = written.exec(file) ?? [];
  if (source === undefined || part === '') return source;
  const [partOf, from, bytes] = [part, at, size].map((digits) => Number.parseInt(digits, 36));
  if (partOf === undefined || from === undefined || bytes === undefined) return undefined;
  if (bytes === 0 || bytes > pieceBytesMax) return undefined;
  return { source, part: partOf, at: from, size: bytes };
}
