// The playlist of a show that is on, from its beginning: pieces of its recordings, added as they come, never changed.
import { targetDurationMs } from '../packaging/segment-writer.ts';
import type { ByteRange, RecordedSegment } from '../recording/recording-index.ts';
import { rateOf } from './multivariant.ts';
import { measuredMsMin, type RecordedSize } from './recorded-size.ts';

/** Where a piece of media lies: in which of the show's recordings, and where in that. */
export interface ShowRange extends ByteRange {
  part: number;
}

/**
 * Whoever goes back needs no low latency, and a list of twelve hours is loaded again and again: so a piece is several
 * segments, and ends before one that a player can begin with.
 */
const pieceMsMin = 6_000;
/** Where no key frame comes it ends all the same. */
const pieceMsMax = 10_000;
const pieceBytesMax = 8 * 1_048_576;

/** Segments follow each other without a gap where their dates do, to this (`Show`). */
const gapMsMin = 20;

interface Piece extends ShowRange {
  durationMs: number;
  init: RecordedSegment['init'];
  /** What stands before it in the list. */
  tags: string;
}

/** Where the list ends so far. */
export interface ShowEnd {
  /** Of the show's media that is listed. */
  mediaMs: number;
  /** The date of what comes next. */
  dateMs: number;
}

export class ShowList {
  /** The name of a piece, or of an init. */
  private readonly nameOf: (range: ShowRange, kind: 'init' | 'media') => string;

  private entries = '';
  private listedMs = 0;
  private listedBytes = 0;
  private peak = 0;
  private picture = { width: 0, height: 0 };
  /** It grows until a key frame comes behind it. */
  private piece: Piece | undefined;
  private init: RecordedSegment['init'] | undefined;
  private part: number | undefined;
  /** The date at which the segment behind the last one begins, if it follows without a gap. */
  private nextDate = 0;
  /** Undefined while there is nothing in it. */
  end: ShowEnd | undefined;

  constructor(nameOf: ShowList['nameOf']) {
    this.nameOf = nameOf;
  }

  add(part: number, segment: RecordedSegment): void {
    if (this.piece && !this.goesOn(this.piece, part, segment)) this.endPiece();
    this.piece ??= this.begin(part, segment);
    const { piece } = this;
    piece.size = segment.at + segment.size - piece.at;
    piece.durationMs += segment.durationMs;
    this.nextDate = segment.startsAt + segment.durationMs;
  }

  /** Nothing follows what has come, or what follows is not known to: it is listed as it is. */
  endPiece(): void {
    const { piece } = this;
    if (!piece) return;
    this.piece = undefined;
    const seconds = (piece.durationMs / 1000).toFixed(3);
    this.entries += `${piece.tags}#EXTINF:${seconds},\n${this.nameOf(piece, 'media')}\n`;
    this.listedMs += piece.durationMs;
    this.listedBytes += piece.size;
    this.peak = Math.max(this.peak, rateOf(piece, measuredMsMin));
    this.end = { mediaMs: this.listedMs, dateMs: this.nextDate };
    const { width, height } = piece.init;
    if (width * height > this.picture.width * this.picture.height) this.picture = { width, height };
  }

  /** The list itself. */
  text({ isOver }: { isOver: boolean }): string {
    const head = [
      '#EXTM3U',
      '#EXT-X-VERSION:7',
      // It must not change.
      `#EXT-X-TARGETDURATION:${Math.ceil((pieceMsMax + targetDurationMs) / 1000)}`,
      '#EXT-X-MEDIA-SEQUENCE:0',
      '#EXT-X-PLAYLIST-TYPE:EVENT',
    ].join('\n');
    return `${head}\n${this.entries}${isOver ? '#EXT-X-ENDLIST\n' : ''}`;
  }

  /** What it takes of a line, and its picture. */
  get size(): RecordedSize {
    const { peak, listedBytes: size, listedMs: durationMs, picture } = this;
    return { rates: { peak, average: rateOf({ size, durationMs }, measuredMsMin) }, ...picture };
  }

  private goesOn(piece: Piece, part: number, segment: RecordedSegment): boolean {
    const { init, isDiscontinuity, isIndependent, at } = segment;
    if (part !== piece.part || init !== piece.init || isDiscontinuity) return false;
    if (at !== piece.at + piece.size || this.isGapBefore(segment)) return false;
    const isLong = piece.durationMs >= pieceMsMin || piece.size >= pieceBytesMax;
    return !(isLong && isIndependent) && piece.durationMs < pieceMsMax;
  }

  private begin(part: number, segment: RecordedSegment): Piece {
    const { init, at, startsAt } = segment;
    // Between two recordings something may be missing, and players go by the times in the media.
    const isHole = part !== this.part && this.isGapBefore(segment);
    const isBreak = this.part !== undefined && (segment.isDiscontinuity || isHole);
    let tags = isBreak ? '#EXT-X-DISCONTINUITY\n' : '';
    if (init !== this.init)
      tags += `#EXT-X-MAP:URI="${this.nameOf({ part, at: init.at, size: init.size }, 'init')}"\n`;
    tags += `#EXT-X-PROGRAM-DATE-TIME:${new Date(startsAt).toISOString()}\n`;
    this.part = part;
    this.init = init;
    return { part, at, size: 0, durationMs: 0, init, tags };
  }

  private isGapBefore({ startsAt }: RecordedSegment): boolean {
    return Math.abs(startsAt - this.nextDate) >= gapMsMin;
  }
}
