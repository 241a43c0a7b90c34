// Real bytes to be bent: the sessions of real encoders taken apart into messages, and the test clip packaged.

import { readFileSync } from 'node:fs';
import { keep } from '../../src/base/bytes/memory.ts';
import { readFlvFile } from '../../src/stream/formats/flv-file.ts';
import { LiveStream } from '../../src/stream/live/live-stream.ts';
import type { Segment } from '../../src/stream/packaging/fragment.ts';
import { Segmenter } from '../../src/stream/packaging/segmenter.ts';
import { indexLine } from '../../src/stream/recording/recording-index.ts';
import { ChunkReader } from '../../src/stream/rtmp/chunk-reader.ts';
import { isMedia, type KeptMessage, messageType } from '../../src/stream/rtmp/message.ts';
import { Publishing } from '../../src/stream/rtmp/rtmp-connection.ts';
import { rtmpLimits } from '../../src/stream/rtmp/rtmp-limits.ts';
import { captures, handshakeBytes } from '../../test/fixtures/rtmp/replay.ts';
import { clipFile } from '../../test/support/clip-push.ts';
import { readMessages } from '../../test/support/read-messages.ts';

export interface RealMedia {
  /** Handshake first. */
  sessions: readonly Uint8Array[];
  /** The messages of each session, and of the clip. */
  pushes: readonly (readonly KeptMessage[])[];
  commands: readonly KeptMessage[];
  media: readonly KeptMessage[];
  segments: readonly Segment[];
  /** What a recording of these segments is on the disk. */
  recording: { file: Uint8Array; index: string };
}

/** GStreamer's push is of a kind that is refused; there it serves too. */
export function realMedia(): RealMedia {
  const sessions = captures.map(({ bytes }) => bytes);
  const pushes = [...sessions.map(messagesOf), clipMessages()];
  const all = pushes.flat();
  const segments = packaged(clipMessages());
  return {
    sessions,
    pushes,
    commands: all.filter(({ type }) => !isMedia(type)),
    media: all.filter(({ type }) => isMedia(type)),
    segments,
    recording: recorded(segments),
  };
}

function messagesOf(session: Uint8Array): KeptMessage[] {
  const reader = new ChunkReader(rtmpLimits);
  reader.allowMedia();
  reader.feed(session.subarray(handshakeBytes));
  return readMessages(reader);
}

/** The first seconds of the clip. */
function clipMessages(): KeptMessage[] {
  return [...readFlvFile(readFileSync(clipFile))]
    .filter(({ type, timestampMs }) => type !== 'script' && timestampMs < 6_000)
    .map(({ type, timestampMs, body }) => ({
      type: type === 'video' ? messageType.video : messageType.audio,
      streamId: 1,
      timestamp: timestampMs,
      body,
    }));
}

function packaged(messages: readonly KeptMessage[]): Segment[] {
  const segments: Segment[] = [];
  const stream = new LiveStream(someChannel, 0);
  const ended = (segment: Segment) => void segments.push(segment);
  const reader = { partAdded: () => {}, segmentEnded: ended, ended: () => {} };
  const now = () => 1_700_000_000_000;
  stream.join(new Segmenter({ readers: [reader], firstSequence: 1, now }));
  const publication = stream.publication({ isHeld: () => true, onMedia() {}, onEnd() {} });
  const publishing = new Publishing(publication);
  for (const message of messages) publishing.take(message);
  stream.end('over');
  return segments;
}

export const someChannel = {
  id: 1,
  account_id: 1,
  stream_key: 'key',
  play_id: 'play',
  auto_save_live_video: 1,
  live_ladder: 0,
};

function recorded(segments: readonly Segment[]): RealMedia['recording'] {
  const pieces: Uint8Array[] = [];
  let index = '';
  let at = 0;
  const append = (bytes: Uint8Array) => {
    pieces.push(bytes);
    at += bytes.length;
  };
  for (const { init, parts, durationMs, startsAt, isDiscontinuity } of segments) {
    if (at === 0) {
      const size = init.bytes.length;
      index += indexLine({ kind: 'init', at, size, width: 640, height: 360 });
      append(init.bytes);
    }
    const from = at;
    for (const { bytes } of parts) append(keep(bytes));
    const isIndependent = parts[0]?.isIndependent ?? false;
    const range = { at: from, size: at - from };
    index += indexLine({
      kind: 'segment',
      ...range,
      durationMs,
      isIndependent,
      isDiscontinuity,
      startsAt,
    });
  }
  return { file: Buffer.concat(pieces), index };
}
