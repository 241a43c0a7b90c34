// What a node tells those that pass a stream on to RTMP players: its tracks and packets, as bytes of the link.
import type { Lent } from '../../base/bytes/memory.ts';
import {
  bytesCodec,
  jsonCodec,
  linkTopic,
  readWords,
  writeWords,
} from '../../base/links/link-topic.ts';
import type { LentPacket, Track } from '../formats/packet.ts';
import type { EncoderWords } from '../live/live-stream.ts';
import type { PushEnding } from '../live/stream-reader.ts';

/** Whoever passes a stream on asks for a play address, and says which push it has of it already, and of which holder. */
export interface RelayAsked {
  playId: string;
  after: string | undefined;
}

/** What the players must know before packets; it comes with each key frame, and where it has changed. */
export interface RelayedTracks {
  tracks: readonly Track[];
  words: EncoderWords;
}

/** First of all. */
interface Begin {
  kind: 'begin';
  /** The push and its epoch: packets of one line are on one timeline. */
  line: string;
}

interface Packets {
  kind: 'packets';
  described: RelayedTracks | undefined;
  /** The push was cut and came back before them. */
  isResumed: boolean;
}

interface End {
  kind: 'end';
  how: PushEnding;
}

export type RelayHead = Begin | Packets | End;

/** Written once for all nodes that are told. */
export const packetsTopic = linkTopic<never, RelayAsked, Uint8Array>('packets', {
  question: jsonCodec(checkAsked),
  answer: bytesCodec,
});

/** A packet's place in the bytes: kind and key, when it is decoded, how much later it is shown, how long it is. */
type Place = [flags: number, dtsMs: number, laterMs: number, length: number];

const isVideo = 1;
const isKeyFrame = 2;

interface Words {
  head: RelayHead;
  places: Place[];
}

export function writeRelayed(head: RelayHead, packets: readonly LentPacket[] = []): Uint8Array {
  const words = { head: written(head), places: packets.map(placeOf) };
  return writeWords(
    words,
    packets.map(({ bytes }) => bytes as Uint8Array),
  );
}

/** The packets' bytes are those of the message. */
export function readRelayed(whole: Uint8Array): { head: RelayHead; packets: LentPacket[] } {
  const { words, bytes: media } = readWords(whole);
  const { head, places } = words as Words;
  let at = 0;
  const packets = places.map(([flags, dtsMs, laterMs, size]): LentPacket => {
    const bytes: Lent = media.subarray(at, at + size);
    at += size;
    const kind = (flags & isVideo) > 0 ? 'video' : 'audio';
    return { kind, dtsMs, ptsMs: dtsMs + laterMs, isKey: (flags & isKeyFrame) > 0, bytes };
  });
  return { head: read(head), packets };
}

function placeOf({ kind, dtsMs, ptsMs, isKey, bytes }: LentPacket): Place {
  const flags = (kind === 'video' ? isVideo : 0) | (isKey ? isKeyFrame : 0);
  return [flags, dtsMs, ptsMs - dtsMs, bytes.length];
}

/** With a track's record as text. */
function written(head: RelayHead): unknown {
  if (head.kind !== 'packets' || !head.described) return head;
  const { tracks, words } = head.described;
  const asText = tracks.map((track) => ({
    ...track,
    record: Buffer.from(track.record).toString('base64'),
  }));
  return { ...head, described: { words, tracks: asText } };
}

function read(head: RelayHead): RelayHead {
  if (head.kind !== 'packets' || !head.described) return head;
  const { tracks, words } = head.described;
  const asBytes = tracks.map((track) => ({
    ...track,
    record: new Uint8Array(Buffer.from(String(track.record), 'base64')),
  }));
  return { ...head, described: { words, tracks: asBytes } };
}

function checkAsked(value: unknown): RelayAsked {
  const asked = value as RelayAsked;
  if (typeof asked?.playId !== 'string') throw new Error('which stream is not said');
  return asked;
}
