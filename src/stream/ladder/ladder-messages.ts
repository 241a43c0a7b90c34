// What the service and the process of a ladder say to each other.
import type { Track } from '../formats/packet.ts';
import type { Failure } from '../recording/worker/why-failed.ts';
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

/** From the process. Bytes go with a record (the AVCDecoderConfigurationRecord) and with a part. */
export type FromProcess =
  | { kind: 'ready' }
  | { kind: 'record'; rung: PictureRungName }
  | ({ kind: 'part'; rung: PictureRungName; isIndependent: boolean } & PartPlace)
  /** It is done with a part of the source, though a picture of it may still be to come; `cpuMs`: of all it has done. */
  | ({ kind: 'taken'; cpuMs: number } & PartPlace)
  | { kind: 'rested' }
  | { kind: 'ended' }
  | ({ kind: 'failed' } & Failure);

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
