// The playlist of a recording: byte ranges of its one file.
import { inTurns } from '../../base/turns/turn-slice.ts';
import type { RecordedSegment } from '../recording/recording-index.ts';

/** `file` is the address of the recording beside the playlist. Made in slices: a recording has up to 32,768 segments. */
export async function vodPlaylist(
  segments: readonly RecordedSegment[],
  file: string,
): Promise<string> {
  const listed = await inTurns(joined(segments));
  const longestMs = listed.reduce((most, { durationMs }) => Math.max(most, durationMs), 1_000);
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${Math.round(longestMs / 1000)}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
  ];
  if (listed.every(({ isIndependent }) => isIndependent)) lines.push('#EXT-X-INDEPENDENT-SEGMENTS');
  const entries = await inTurns(inPieces(entriesOf(listed, file)));
  return [...lines, ...entries, '#EXT-X-ENDLIST', ''].join('\n');
}

/** So many entries are joined at a time: to join all of a long recording at once takes 20 ms. */
const entriesPerPiece = 256;

function* inPieces(entries: Iterable<string>): Generator<string> {
  let piece: string[] = [];
  for (const entry of entries) {
    piece.push(entry);
    if (piece.length < entriesPerPiece) continue;
    yield piece.join('\n');
    piece = [];
  }
  if (piece.length > 0) yield piece.join('\n');
}

/** The lines of each segment. */
function* entriesOf(listed: readonly RecordedSegment[], file: string): Generator<string> {
  let init: RecordedSegment['init'] | undefined;
  for (const segment of listed) {
    const isDiscontinuity = init !== undefined && segment.isDiscontinuity;
    let lines = isDiscontinuity ? '#EXT-X-DISCONTINUITY\n' : '';
    if (segment.init !== init) {
      init = segment.init;
      lines += `#EXT-X-MAP:URI="${file}",BYTERANGE="${init.size}@${init.at}"\n`;
    }
    if (isDiscontinuity || segment === listed[0])
      lines += `#EXT-X-PROGRAM-DATE-TIME:${new Date(segment.startsAt).toISOString()}\n`;
    const seconds = (segment.durationMs / 1000).toFixed(3);
    yield `${lines}#EXTINF:${seconds},\n#EXT-X-BYTERANGE:${segment.size}@${segment.at}\n${file}`;
  }
}

/** A segment that cannot be played by itself joins the one before: a viewer can then begin at any. */
function* joined(segments: readonly RecordedSegment[]): Generator<RecordedSegment> {
  let last: RecordedSegment | undefined;
  for (const segment of segments) {
    const goesOn =
      last?.init === segment.init && !segment.isDiscontinuity && last.at + last.size === segment.at;
    if (last && goesOn && !segment.isIndependent) {
      last.size += segment.size;
      last.durationMs += segment.durationMs;
      continue;
    }
    if (last) yield last;
    last = { ...segment };
  }
  if (last) yield last;
}
