// Answers under `/hls/PLAYID/`: the live playlist, its parts, segments and inits.
import {
  awaitedMedia,
  type MediaAnswer,
  type MediaCall,
  type MediaHandler,
  noMedia,
  type PlaylistText,
  pieceAnswer,
  playlistAnswer,
  takesGzip,
  textAnswer,
} from '../../base/api/media-answer.ts';
import type { HeldSegment, Part, Segment } from '../packaging/fragment.ts';
import { hasGap } from '../packaging/playlist.ts';
import { sourceName } from './live-ladder.ts';
import type { FoundRung, LiveWindow, WindowLadder } from './live-window.ts';
import { stillName } from './multivariant.ts';

/** How long a player may wait for a part that is not there yet: longer than any part, shorter than a proxy's patience. */
const waitMs = 6_000;

/** A player that says this takes parts from the first one on; for it the first playlist of a push does not wait. */
export const lowLatencyName = 'low_latency';
const liveFile = 'live.m3u8';
/** The playlist of one size: the source's, or a rung's. */
const sizeFile = /^(source|\d{3,4}p|sound|still)\.m3u8$/;

/** 'awaited' where the stream is on air on some node, and nothing of it is here; undefined where nothing is on. */
export type FoundWindow = LiveWindow | 'awaited' | undefined;

/** The window of a play address, while its stream is live or has just ended; later where another node has it. */
export type FindWindow = (playId: string, call: MediaCall) => Promise<FoundWindow> | FoundWindow;

/** `onAsked` is told of everyone who asks for the playlist of what is live. It must not throw, nor take long. */
export function liveFiles(find: FindWindow, onAsked?: (call: MediaCall) => void): MediaHandler {
  const bodies = new SharedBodies();
  const answer = (window: FoundWindow, call: MediaCall) => {
    const { file = '' } = call.params;
    if (window === 'awaited') return awaitedMedia();
    if (!window) return noMedia('The channel is not live');
    const size = file === liveFile ? sourceName : sizeFile.exec(file)?.[1];
    if (size !== undefined) {
      onAsked?.(call);
      if (file === liveFile && window.ladder && !isReload(call))
        return playlistAnswer(listOf(window.ladder, call), {
          gzip: takesGzip(call.header),
          cache: 'passing',
        });
      return onceFound(ofSize(window, size), (one) => playlist(one, call));
    }
    const [, of = sourceName, name = ''] = pieceOfSize.exec(file) ?? [];
    return onceFound(ofSize(window, of), (one) => pieceIn(one, name, call));
  };
  const pieceIn = (window: LiveWindow, name: string, call: MediaCall) => {
    const found = piece(window, name, call);
    // Most pieces are there; to wait for what need not be waited for costs as much as the rest.
    if (!(found instanceof Promise)) return pieceAnswer(bodies.of(found));
    return found.then((one) => pieceAnswer(bodies.of(one)));
  };
  return (call) => {
    const window = find(call.params['playId'] ?? '', call);
    if (!(window instanceof Promise)) return answer(window, call);
    return window.then((one) => answer(one, call));
  };
}

/** A name, with that of a rung before it where it is of one. */
const pieceOfSize = /^(?:(\d{3,4}p|sound|still)-)?(.*)$/;

/** Whether it is the list of what is live now, or of the sizes that it has. */
export function isLivePlaylist(file: string): boolean {
  return file === liveFile || sizeFile.test(file);
}

/** Whether it is the name of an init, a part or a segment of what is live now. */
export function isLivePiece(file: string): boolean {
  return pieceName.test(pieceOfSize.exec(file)?.[2] ?? '');
}

/** Whoever asks so has taken this address for the playlist of one size, before there were several or after. */
function isReload({ query }: MediaCall): boolean {
  return query('_HLS_msn') !== null || query('_HLS_part') !== null;
}

function listOf(ladder: WindowLadder, { query }: MediaCall): PlaylistText {
  const asked = query(lowLatencyName) === null ? '' : `?${lowLatencyName}=1`;
  return ladder.playlist(asked, { hasStill: query(stillName) !== null });
}

function ofSize(window: LiveWindow, size: string): FoundRung | Promise<FoundRung> {
  return size === sourceName ? window : window.ladder?.find(size, waitMs);
}

function onceFound(
  found: FoundRung | Promise<FoundRung>,
  answer: (window: LiveWindow) => Promise<MediaAnswer> | MediaAnswer,
): Promise<MediaAnswer> | MediaAnswer {
  if (found instanceof Promise) return found.then((one) => onceFound(one, answer));
  if (found === undefined) return noMedia('The stream has no such size');
  return typeof found === 'string' ? awaitedMedia() : answer(found);
}

async function playlist(window: LiveWindow, call: MediaCall): Promise<MediaAnswer> {
  const { query, header } = call;
  const gzip = takesGzip(header);
  const sequence = wholeNumber(query('_HLS_msn'));
  const part = wholeNumber(query('_HLS_part'));
  const isBlocking = sequence !== undefined;
  // RFC 8216bis 6.2.5.2
  if (!isBlocking && part !== undefined) return textAnswer(400, '_HLS_part needs _HLS_msn');
  if (sequence === 'wrong' || part === 'wrong')
    return textAnswer(400, '_HLS_msn and _HLS_part are numbers');
  // A player that knows nothing of parts takes a playlist without a segment for a broken one.
  if (!isBlocking && query(lowLatencyName) === null) await window.awaitSegment(waitMs, call);
  if (isBlocking) {
    const waiting = window.awaitPart({ sequence, part }, waitMs, call);
    if (waiting === 'refused') return textAnswer(400, '_HLS_msn is too far ahead');
    await waiting;
  }
  // One that holds what was asked for serves all who ask the same; one that came without it serves nobody else.
  const isShared = isBlocking && window.holds({ sequence, part });
  return playlistAnswer(window.playlist(), {
    gzip,
    cache: isShared ? 'newest' : 'passing',
  });
}

/** `EPOCH-`, and then `init-7.mp4`, `7.m4s`, its part `7.2.m4s`, or of a segment that was cut short `7.0-2.m4s`. */
const pieceName =
  /^(?:(\d{1,15})-)?(?:init-(\d{1,15})\.mp4|(\d{1,15})(?:\.(\d{1,6})|\.0-(\d{1,6}))?\.m4s)$/;

/** The bytes of an init, or what holds those of a part or of a whole segment. */
type Piece = Uint8Array | Part | HeldSegment | undefined;

function piece(window: LiveWindow, file: string, call: MediaCall): Promise<Piece> | Piece {
  const [, epoch, init, sequence, part, lastPart] = pieceName.exec(file) ?? [];
  const isNamed = ({ segment }: HeldSegment) => isOfEpoch(segment, epoch);
  if (init !== undefined) return window.init(Number(init), isNamed);
  if (sequence === undefined) return undefined;
  if (part === undefined) {
    const held = window.segment(Number(sequence));
    return held && isNamed(held) && isWhole(held, lastPart) ? held : undefined;
  }
  const asked = { sequence: Number(sequence), part: Number(part) };
  return partOf(window, { ...asked, isNamed }, call);
}

/** One that was cut short says how much of it there is. */
function isWhole({ segment }: HeldSegment, lastPart: string | undefined): boolean {
  const { isComplete, isSealed, parts } = segment;
  if (!isComplete || hasGap(segment)) return false;
  return isSealed ? Number(lastPart) === parts.length - 1 : lastPart === undefined;
}

/** A name without an epoch is of the first, or of a service that is alone. */
function isOfEpoch({ epoch }: Segment, named: string | undefined): boolean {
  return named === undefined ? epoch <= 1 : epoch === Number(named);
}

interface AskedPiece {
  sequence: number;
  part: number;
  isNamed(held: HeldSegment): boolean;
}

/** The part that the playlist announces (EXT-X-PRELOAD-HINT) is waited for. */
function partOf(window: LiveWindow, asked: AskedPiece, call: MediaCall) {
  const { sequence, part, isNamed } = asked;
  const found = () => {
    const held = window.segment(sequence);
    const found = held && isNamed(held) ? held.parts[part] : undefined;
    return found && found.bytes.length > 0 ? found : undefined;
  };
  if (window.segment(sequence)?.segment.isComplete) return found();
  const waiting = window.awaitPart(asked, waitMs, call);
  return waiting instanceof Promise ? waiting.then(found) : found();
}

/** Bun copies bytes into every answer; a Blob is copied once and then only held. It goes with its piece. */
class SharedBodies {
  private readonly blobs = new WeakMap<object, Blob>();

  of(piece: Piece): Blob | undefined {
    if (!piece) return undefined;
    const known = this.blobs.get(piece);
    if (known) return known;
    const blob = new Blob(bytesOf(piece) as Uint8Array<ArrayBuffer>[]);
    this.blobs.set(piece, blob);
    return blob;
  }
}

function bytesOf(piece: NonNullable<Piece>): Uint8Array[] {
  if (piece instanceof Uint8Array) return [piece];
  return 'parts' in piece ? piece.parts.map(({ bytes }) => bytes) : [piece.bytes];
}

function wholeNumber(text: string | null): number | 'wrong' | undefined {
  if (text === null || text === '') return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : 'wrong';
}
