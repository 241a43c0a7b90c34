// The playlist of a recording: byte ranges of its one file.
import type { RecordedSegment } from '../recording/recording-index.ts';

/** `file` is the address of the recording beside the playlist. */
export function vodPlaylist(segments: readonly RecordedSegment[], file: string): string {
  const listed = joined(segments);
  const longestMs = listed.reduce((most, { durationMs }) => Math.max(most, durationMs), 1_000);
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${Math.round(longestMs / 1000)}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
  ];
  if (listed.every(({ isIndependent }) => isIndependent)) lines.push('#EXT-X-INDEPENDENT-SEGMENTS');
  let init: RecordedSegment['init'] | undefined;
  for (const segment of listed) {
    const isDiscontinuity = init !== undefined && segment.isDiscontinuity;
    if (isDiscontinuity) lines.push('#EXT-X-DISCONTINUITY');
    if (segment.init !== init) {
      init = segment.init;
      lines.push(`#EXT-X-MAP:URI="${file}",BYTERANGE="${init.size}@${init.at}"`);
    }
    if (isDiscontinuity || segment === listed[0])
      lines.push(`#EXT-X-PROGRAM-DATE-TIME:${new Date(segment.startsAt).toISOString()}`);
    lines.push(
      `#EXTINF:${(segment.durationMs / 1000).toFixed(3)},`,
      `#EXT-X-BYTERANGE:${segment.size}@${segment.at}`,
      file,
    );
  }
  return [...lines, '#EXT-X-ENDLIST', ''].join('\n');
}

/** A segment that cannot be played by itself joins the one before: a viewer can then begin at any. */
function joined(segments: readonly RecordedSegment[]): RecordedSegment[] {
  const whole: RecordedSegment[] = [];
  for (const segment of segments) {
    const last = whole.at(-1);
    const goesOn =
      last?.init === segment.init && !segment.isDiscontinuity && last.at + last.size === segment.at;
    if (last && goesOn && !segment.isIndependent) {
      last.size += segment.size;
      last.durationMs += segment.durationMs;
    } else whole.push({ ...segment });
  }
  return whole;
}
