// What the service and the process of a ladder say to each other: two lengths, words as JSON, then as many bytes.
import type { Track } from '../formats/packet.ts';
import type { PictureRung, PictureRungName } from './ladder-rungs.ts';

/** A part of the source, by its segment's number and its place in that. */
export interface PartPlace {
  readonly sequence: number;
  readonly at: number;
}

/** To the process. Bytes go with a part alone: those of the source. */
export type ToProcess =
  | {
      kind: 'source';
      tracks: readonly WrittenTrack[];
      rungs: readonly PictureRung[];
      picturesPerSecond: number;
    }
  | ({ kind: 'part'; rungs: readonly PictureRungName[] } & PartPlace)
  /** What waits is not wanted any more; it begins anew with the next part, which is the first of a segment. */
  | { kind: 'rest' }
  /** Nothing follows: what it still has is to be told. */
  | { kind: 'end' };

export type WhyFailed = 'failed' | 'no_decoder' | 'too_large';

/** From the process. Bytes go with a record (the AVCDecoderConfigurationRecord) and with a part. */
export type FromProcess =
  | { kind: 'ready' }
  | { kind: 'record'; rung: PictureRungName }
  | ({ kind: 'part'; rung: PictureRungName; isIndependent: boolean } & PartPlace)
  /** It is done with a part of the source, though a picture of it may still be to come; `cpuMs`: of all it has done. */
  | ({ kind: 'taken'; cpuMs: number } & PartPlace)
  | { kind: 'rested' }
  | { kind: 'ended' }
  | { kind: 'failed'; why: WhyFailed; problem: string };

/** A track with its record in base64. */
export type WrittenTrack = { [K in Track['kind']]: Written<Extract<Track, { kind: K }>> }[
  | 'video'
  | 'audio'];
type Written<T extends Track> = Omit<T, 'record'> & { record: string };

export function writtenTrack(track: Track): WrittenTrack {
  return { ...track, record: Buffer.from(track.record).toString('base64') };
}

export function readTrack(written: WrittenTrack): Track {
  return { ...written, record: new Uint8Array(Buffer.from(written.record, 'base64')) };
}

const headBytes = 8;
/** A part has up to `pushLimits.partBytes` of samples; whoever says more makes a mistake. */
const bytesMax = 16 * 1_048_576;
const nothing: Uint8Array = new Uint8Array();

/** The words, and behind them the bytes, which are not copied. */
export function messagePieces(words: ToProcess | FromProcess, bytes = nothing): Uint8Array[] {
  const text = Buffer.from(JSON.stringify(words));
  const head = Buffer.alloc(headBytes + text.length);
  head.writeUInt32BE(text.length, 0);
  head.writeUInt32BE(bytes.length, 4);
  head.set(text, headBytes);
  return bytes.length > 0 ? [head, bytes] : [head];
}

/** Puts messages together from pieces of any length. */
export class MessageReader<Words extends ToProcess | FromProcess> {
  private kept: Uint8Array[] = [];
  private keptBytes = 0;

  /** Those that are whole now; throws where they are none of ours. */
  push(piece: Uint8Array): { words: Words; bytes: Uint8Array<ArrayBuffer> }[] {
    this.kept.push(piece);
    this.keptBytes += piece.length;
    const messages = [];
    for (let one = this.take(); one; one = this.take()) messages.push(one);
    return messages;
  }

  private take() {
    if (this.keptBytes < headBytes) return undefined;
    const head = this.joined(headBytes);
    const [textBytes, dataBytes] = [head.readUInt32BE(0), head.readUInt32BE(4)];
    if (textBytes > bytesMax || dataBytes > bytesMax) throw new Error('no message of a ladder');
    const dataAt = headBytes + textBytes;
    const end = dataAt + dataBytes;
    if (this.keptBytes < end) return undefined;
    const all = this.joined(end);
    const words = JSON.parse(all.toString('utf8', headBytes, dataAt)) as Words;
    const bytes = new Uint8Array(all.subarray(dataAt, end));
    this.kept = [all.subarray(end)];
    this.keptBytes -= end;
    return { words, bytes };
  }

  /** All that is kept, in one piece, where its first so many bytes are not yet. */
  private joined(count: number): Buffer {
    const [first = nothing] = this.kept;
    if (first.length >= count) return Buffer.from(first.buffer, first.byteOffset, first.length);
    const all = Buffer.concat(this.kept);
    this.kept = [all];
    return all;
  }
}
