// Reads a media playlist as a player would, strictly (RFC 8216, RFC 8216bis); nothing here knows how ours is made.

export interface ListedPart {
  uri: string;
  durationMs: number;
  isIndependent: boolean;
  /** It was not made in time. */
  isGap: boolean;
}

/** How far another size of the stream is. */
export interface ListedReport {
  uri: string;
  sequence: number;
  part: number;
}

export interface ListedSegment {
  sequence: number;
  /** Undefined while it grows: only parts of it are listed. */
  uri: string | undefined;
  durationMs: number;
  parts: ListedPart[];
  /** Its discontinuity sequence number. */
  discontinuity: number;
  map: string | undefined;
  startsAt: string | undefined;
  /** Nothing is there to be loaded. */
  isGap: boolean;
}

export interface MediaPlaylist {
  targetMs: number;
  /** Undefined in a playlist without parts. */
  partTargetMs: number | undefined;
  partHoldBackMs: number | undefined;
  mediaSequence: number;
  discontinuitySequence: number;
  segments: ListedSegment[];
  hint: string | undefined;
  reports: ListedReport[];
  isEnded: boolean;
}

export class PlaylistError extends Error {}

/** Throws a PlaylistError that says what is wrong. */
export function readMediaPlaylist(text: string): MediaPlaylist {
  return new Reader(text).read();
}

/** Tags that may stand once, and before the first segment or part. */
const headTags = [
  'EXT-X-VERSION',
  'EXT-X-TARGETDURATION',
  'EXT-X-MEDIA-SEQUENCE',
  'EXT-X-DISCONTINUITY-SEQUENCE',
  'EXT-X-PART-INF',
  'EXT-X-SERVER-CONTROL',
  'EXT-X-PLAYLIST-TYPE',
  'EXT-X-INDEPENDENT-SEGMENTS',
];

class Reader {
  private readonly lines: string[];
  private readonly head = new Map<string, string>();

  private readonly segments: ListedSegment[] = [];
  private open: ListedSegment | undefined;
  private extinfMs: number | undefined;
  private discontinuity = 0;
  private map: string | undefined;
  private hint: string | undefined;
  private readonly reports: ListedReport[] = [];
  private isEnded = false;

  constructor(text: string) {
    if (!text.endsWith('\n')) throw new PlaylistError('the last line has no end');
    this.lines = text.slice(0, -1).split('\n');
  }

  read(): MediaPlaylist {
    if (this.lines[0] !== '#EXTM3U') throw new PlaylistError('the first line is not #EXTM3U');
    for (const line of this.lines.slice(1)) this.take(line);
    if (this.extinfMs !== undefined) throw new PlaylistError('an EXTINF without a segment');
    if (this.open && this.open.parts.length > 0) this.segments.push(this.open);
    if (this.head.get('EXT-X-VERSION') === undefined) throw new PlaylistError('no version');
    const partInf = this.head.get('EXT-X-PART-INF');
    const control = this.head.get('EXT-X-SERVER-CONTROL') ?? '';
    const holdBack = attribute(control, 'PART-HOLD-BACK');
    return {
      targetMs: milliseconds(this.head.get('EXT-X-TARGETDURATION'), 'target duration'),
      partTargetMs:
        partInf === undefined
          ? undefined
          : milliseconds(attribute(partInf, 'PART-TARGET'), 'part target'),
      partHoldBackMs: holdBack === undefined ? undefined : milliseconds(holdBack, 'hold back'),
      mediaSequence: this.mediaSequence,
      discontinuitySequence: Number(this.head.get('EXT-X-DISCONTINUITY-SEQUENCE') ?? 0),
      segments: this.segments,
      hint: this.hint,
      reports: this.reports,
      isEnded: this.isEnded,
    };
  }

  private get mediaSequence(): number {
    return whole(this.head.get('EXT-X-MEDIA-SEQUENCE') ?? '0', 'media sequence');
  }

  private take(line: string): void {
    if (this.isEnded) throw new PlaylistError(`after the end: ${line}`);
    if (line === '' || line.startsWith('#EXT')) this.takeTag(line);
    else if (!line.startsWith('#')) this.takeSegment(line);
  }

  private takeTag(line: string): void {
    const [, tag = '', value = ''] = /^#([A-Z0-9-]+)(?::(.*))?$/.exec(line) ?? [];
    if (headTags.includes(tag)) this.takeHead(tag, value);
    else if (tag === 'EXTINF') this.extinfMs = milliseconds(value.split(',')[0], 'EXTINF');
    else if (tag === 'EXT-X-DISCONTINUITY') this.takeDiscontinuity();
    else if (tag === 'EXT-X-MAP') this.takeMap(quoted(value, 'URI'), attribute(value, 'BYTERANGE'));
    else if (tag === 'EXT-X-PROGRAM-DATE-TIME') this.next.startsAt = dated(value);
    else if (tag === 'EXT-X-PART') this.takePart(value);
    else if (tag === 'EXT-X-GAP') this.next.isGap = true;
    else if (tag === 'EXT-X-PRELOAD-HINT') this.hint = quoted(value, 'URI');
    else if (tag === 'EXT-X-RENDITION-REPORT') this.takeReport(value);
    else if (tag === 'EXT-X-ENDLIST') this.isEnded = true;
    else if (tag !== 'EXT-X-BYTERANGE' && line !== '') throw new PlaylistError(`what is ${line}`);
  }

  private takeHead(tag: string, value: string): void {
    if (this.head.has(tag)) throw new PlaylistError(`${tag} stands twice`);
    if (this.segments.length > 0 || this.open) throw new PlaylistError(`${tag} stands too late`);
    this.head.set(tag, value);
  }

  /** The segment that the next lines are about. */
  private get next(): ListedSegment {
    this.open ??= {
      sequence: this.mediaSequence + this.segments.length,
      uri: undefined,
      durationMs: 0,
      parts: [],
      discontinuity:
        Number(this.head.get('EXT-X-DISCONTINUITY-SEQUENCE') ?? 0) + this.discontinuity,
      map: this.map,
      startsAt: undefined,
      isGap: false,
    };
    return this.open;
  }

  private takeDiscontinuity(): void {
    if (this.open) throw new PlaylistError('a discontinuity inside a segment');
    this.discontinuity += 1;
  }

  private takeMap(uri: string, range: string | undefined): void {
    if (this.open) throw new PlaylistError('a map inside a segment');
    this.map = range === undefined ? uri : `${uri} ${range}`;
  }

  private takePart(value: string): void {
    const durationMs = milliseconds(attribute(value, 'DURATION'), 'DURATION');
    const isIndependent = attribute(value, 'INDEPENDENT') === 'YES';
    const isGap = attribute(value, 'GAP') === 'YES';
    this.next.parts.push({ uri: quoted(value, 'URI'), durationMs, isIndependent, isGap });
    this.next.durationMs += durationMs;
  }

  private takeReport(value: string): void {
    const sequence = whole(attribute(value, 'LAST-MSN') ?? '', 'last sequence');
    const part = whole(attribute(value, 'LAST-PART') ?? '', 'last part');
    this.reports.push({ uri: quoted(value, 'URI'), sequence, part });
  }

  private takeSegment(uri: string): void {
    if (this.extinfMs === undefined) throw new PlaylistError(`${uri} has no EXTINF`);
    this.segments.push({ ...this.next, uri, durationMs: this.extinfMs });
    this.open = undefined;
    this.extinfMs = undefined;
  }
}

function attribute(list: string, name: string): string | undefined {
  for (const [, key, value] of list.matchAll(/([A-Z0-9-]+)=("[^"]*"|[^",]*)/g))
    if (key === name) return value;
  return undefined;
}

function quoted(list: string, name: string): string {
  const text = attribute(list, name);
  if (!text || !/^"[^"]+"$/.test(text)) throw new PlaylistError(`no ${name} in ${list}`);
  return text.slice(1, -1);
}

/** Written in seconds; to the millisecond, so that sums are exact. */
function milliseconds(text: string | undefined, what: string): number {
  if (text === undefined || !/^\d+(\.\d+)?$/.test(text))
    throw new PlaylistError(`the ${what} is no duration: ${text}`);
  return Math.round(Number(text) * 1000);
}

function whole(text: string, what: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new PlaylistError(`the ${what} is no number: ${text}`);
  return Number(text);
}

function dated(text: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/.test(text))
    throw new PlaylistError(`no date: ${text}`);
  return text;
}
