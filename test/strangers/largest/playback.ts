// The fullest stream that the bounds of a push allow, for whoever plays it.
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryPool } from '../../../src/base/bytes/memory.ts';
import { inTurns, nextTurn } from '../../../src/base/turns/turn-slice.ts';
import { LastGop, LiveStream } from '../../../src/stream/live/live-stream.ts';
import { pushLimits } from '../../../src/stream/live/push-limits.ts';
import { uncounted } from '../../../src/stream/live/push-memory.ts';
import { GrowingSegment } from '../../../src/stream/packaging/growing-segment.ts';
import { Segmenter } from '../../../src/stream/packaging/segmenter.ts';
import { liveFiles } from '../../../src/stream/playback/live-files.ts';
import { LiveWindow } from '../../../src/stream/playback/live-window.ts';
import { RecordedPlaylists } from '../../../src/stream/playback/recorded-playlists.ts';
import { RtmpPlays } from '../../../src/stream/playback/rtmp-play.ts';
import { indexLine } from '../../../src/stream/recording/recording-index.ts';
import { storedInFolder } from '../../../src/stream/recording/stored-recording.ts';
import { Answers } from '../../../src/stream/rtmp/answers.ts';
import { MessageWriter } from '../../../src/stream/rtmp/message-writer.ts';
import { Playing } from '../../../src/stream/rtmp/playing.ts';
import { rtmpLimits } from '../../../src/stream/rtmp/rtmp-limits.ts';
import { SendTurns } from '../../../src/stream/rtmp/send-turns.ts';
import { liveChannel as channel } from '../../fixtures/live-channel.ts';
import { audioTrack, videoTrack } from '../../fixtures/media/synthetic.ts';
import { temporaryFolder } from '../../support/engines.ts';
import type { Largest } from '../../support/stretch.ts';

const megabyte = 1_048_576;

export const playback: readonly Largest[] = [
  {
    name: 'the live playlist, plain and compressed: the most segments, parts and parameters',
    prepare: () => {
      const { window } = fullWindow();
      return () => window.playlist().gzip.length;
    },
  },
  {
    name: 'a part comes that 20,000 players wait for',
    prepare: () => {
      const { window, part } = fullWindow();
      const answer = liveFiles(() => window);
      const asked = { _HLS_msn: String(window.lastSequence), _HLS_part: '20' };
      const answers = Array.from({ length: 20_000 }, async () => {
        const { status, headers, body } = await answer(playlistCall(asked));
        return new Response(body, { status, headers });
      });
      return async () => {
        part();
        await Promise.all(answers);
      };
    },
  },
  {
    name: 'nothing comes that 20,000 players wait for',
    prepare: () => {
      const { window } = fullWindow();
      const asked = { sequence: window.lastSequence ?? 0, part: 20 };
      const waiting = Array.from({ length: 20_000 }, (_, n) =>
        window.awaitPart(asked, 1, { address: `network ${n}` }),
      );
      return () => Promise.all(waiting);
    },
  },
  {
    name: 'a whole segment of the fastest push',
    prepare: () => {
      const { live, picture } = packager();
      for (let at = 0; at < 3_000; at += 40) picture(at, new Uint8Array(megabyte).fill(1));
      const segments = Array.from({ length: 60 }, (_, n) => live.segment(n + 1));
      const sizes = segments.map((held) => (held?.segment.isComplete ? held.segment.size : 0));
      const file = `${sizes.indexOf(Math.max(...sizes)) + 1}.m4s`;
      const answer = liveFiles(() => live);
      return async () => new Response((await answer(pieceCall(file))).body);
    },
  },
  {
    name: 'a part of the most bytes',
    prepare: () => {
      const { picture } = packager();
      for (let n = 0; n < 8; n += 1) picture(n, new Uint8Array(megabyte - 1).fill(1));
      return () => picture(200, Uint8Array.of(1));
    },
  },
  {
    name: 'a part of the most pictures',
    prepare: () => {
      const { picture } = packager();
      for (let n = 0; n < 199; n += 1) picture(n, Uint8Array.of(1));
      return () => picture(260, Uint8Array.of(1));
    },
  },
  {
    name: 'the last group of pictures, of the most bytes',
    prepare: () => {
      const gop = fullGop(16, megabyte - 1_000);
      return () => gop.all;
    },
  },
  {
    name: 'the last group of pictures, of the most packets',
    prepare: () => {
      const gop = fullGop(pushLimits.lastGopPackets, 100);
      return () => gop.all;
    },
  },
  {
    name: 'an RTMP player joins: as many bytes as it is given',
    prepare: () => joining(30, 139_000),
  },
  {
    name: 'an RTMP player joins: as many packets as it is given',
    prepare: () => joining(pushLimits.lastGopPackets - 1, 600),
  },
  {
    name: '600 RTMP players join, who read nothing',
    prepare: () => {
      const { come, taken } = crowd({ room: 524_288 });
      return async () => {
        await inTurns(Array.from({ length: 600 }).values().map(come));
        await taken(600 * 524_288);
      };
    },
  },
  {
    name: 'a key frame for 1,000 RTMP players',
    prepare: async () => {
      const beginningBytes = 1_000;
      const { come, taken, picture } = crowd({ beginningBytes });
      await inTurns(Array.from({ length: 1_000 }).values().map(come));
      await taken(1_000 * beginningBytes);
      return async () => {
        picture(200_000);
        await taken(1_000 * (beginningBytes + 200_000));
      };
    },
  },
  {
    name: 'a stream ends that 1,000 RTMP players play',
    prepare: async () => {
      const { come, end, isOver, leave } = crowd();
      await inTurns(Array.from({ length: 1_000 }).values().map(come));
      return async () => {
        end();
        while (!isOver()) await nextTurn();
        // They have taken little of the beginning: the rest would be sent in the turns of what is measured next.
        await leave();
      };
    },
  },
  {
    name: 'the playlist of a recording: the most segments',
    prepare: () => recorded(false),
  },
  {
    name: 'the playlist of a recording: the most segments, each with parameters of its own',
    prepare: () => recorded(true),
  },
];

/** A window as full as it gets. */
function fullWindow() {
  const window = new LiveWindow({ partTargetMs: () => 220, onEnded: () => {} });
  let sequence = 1_700_000_000;
  let segment: GrowingSegment | undefined;
  const part = (bytes = new Uint8Array(8)) => {
    const init = { sequence, bytes: new Uint8Array(1_000), tracks: [] };
    const startsAt = 1_700_000_000_000 + sequence;
    segment ??= new GrowingSegment({
      sequence: sequence++,
      init,
      isDiscontinuity: true,
      startsAt,
      startMs: 0,
    });
    const added = { bytes, durationMs: 5, isIndependent: true };
    segment.add(added);
    window.partAdded(segment, added);
  };
  const endSegment = () => {
    segment?.complete();
    segment = undefined;
    window.segmentEnded();
  };
  for (let n = 0; n <= pushLimits.windowSegments; n += 1) {
    if (n > 0) endSegment();
    for (let m = 0; m < 20; m += 1) part();
  }
  return { window, part, endSegment };
}

function playlistCall(query: Record<string, string>) {
  return {
    params: { playId: 'play', file: 'live.m3u8' },
    query: (name: string) => query[name] ?? null,
    header: (name: string) => (name === 'accept-encoding' ? 'gzip' : null),
    address: '192.0.2.7',
  };
}

function pieceCall(file: string) {
  return { ...playlistCall({}), params: { playId: 'play', file } };
}

/** A stream with its packager, and pictures of it from a second on, when it is clear that there is no sound. */
function packager() {
  const stream = new LiveStream(channel, 0);
  const live = new LiveWindow({ partTargetMs: () => 220, onEnded: () => {} });
  stream.join(new Segmenter({ readers: [live], firstSequence: 1, now: () => 0 }));
  stream.track(videoTrack);
  const picture = (atMs: number, bytes: Uint8Array) => {
    const isKey = atMs === -1_000;
    stream.picture({ timestamp: 1_000 + atMs, compositionMs: 0, isKey, bytes });
  };
  for (let at = -1_000; at < 0; at += 100) picture(at, Uint8Array.of(1));
  return { live, picture };
}

function fullGop(count: number, bytes: number): LastGop {
  const gop = new LastGop(new MemoryPool());
  for (let n = 0; n < count; n += 1) {
    const packet = { kind: 'video', dtsMs: n, ptsMs: n, isKey: n === 0 } as const;
    gop.push({ ...packet, bytes: new Uint8Array(bytes).fill(1) }, true);
  }
  if (gop.bytes === 0) throw new Error('it is too long to be kept');
  return gop;
}

function joining(count: number, bytes: number) {
  const stream = new LiveStream(channel, 0);
  stream.track(videoTrack);
  stream.track(audioTrack);
  for (let n = 0; n < count; n += 1) {
    const picture = { timestamp: n, compositionMs: 0, isKey: n === 0 };
    stream.picture({ ...picture, bytes: new Uint8Array(bytes).fill(1) });
  }
  const plays = new RtmpPlays();
  let sentBytes = 0;
  const player = {
    waitingBytes: 0,
    takenBytes: 0,
    send: (batch: { wire(streamId: number): Uint8Array }) => {
      sentBytes += batch.wire(1).length;
    },
    end: () => {},
  };
  return async () => {
    plays.play(stream, player as never);
    await nextTurn();
    if (sentBytes < count) throw new Error('the player is sent nothing');
  };
}

/** RTMP players with a connection's way out each, at sockets whose writes cost about as much as the system's. */
function crowd({ room = Infinity, beginningBytes = 1_000_000 } = {}) {
  const stream = new LiveStream(channel, 0);
  stream.track(videoTrack);
  let at = 0;
  const picture = (bytes: number) =>
    stream.picture({
      timestamp: at++,
      compositionMs: 0,
      isKey: true,
      bytes: new Uint8Array(bytes),
    });
  picture(beginningBytes);
  const plays = new RtmpPlays({ batchMs: 0 });
  const turns = new SendTurns({ turnMs: rtmpLimits.sendTurnMs });
  const all: MessageWriter[] = [];
  let ended = 0;
  const come = () => {
    let left = room;
    const write = (bytes: Uint8Array) => {
      const taken = Math.min(left, bytes.length);
      left -= taken;
      new Bun.CryptoHasher('sha1').update(bytes.subarray(0, taken)).digest();
      return taken;
    };
    const writer = new MessageWriter({
      ...rtmpLimits,
      socket: { write },
      turns,
      unread: uncounted,
      network: `192.0.2.${all.length % 256}`,
      onDrained: () => {},
      onOverflow: () => {},
    });
    const close = () => {
      writer.flush();
      ended += 1;
    };
    const answers = new Answers(writer);
    const isCrowded = () => false;
    const playing = new Playing({ writer, answers, streamId: 1, isCrowded, close });
    playing.started(plays.play(stream, playing));
    all.push(writer);
  };
  const sum = () => all.reduce((bytes, { takenBytes }) => bytes + takenBytes, 0);
  return {
    come,
    picture,
    end: () => stream.end('over'),
    isOver: () => ended === all.length,
    leave: () => inTurns(all.values().map((writer) => writer.close())),
    /** Resolves when they have taken so many together. */
    taken: async (bytes: number) => {
      while (sum() < bytes) await nextTurn();
    },
  };
}

/** An index on disk, as long as a recording may be. */
function recorded(hasManyInits: boolean) {
  const folder = temporaryFolder();
  const lines: string[] = [];
  for (let n = 0; n < pushLimits.recordingSegments; n += 1) {
    const at = 10_000_000_000 + n * 2_000;
    if (n === 0 || hasManyInits)
      lines.push(indexLine({ kind: 'init', at, size: 1_000, width: 1_920, height: 1_080 }));
    const segment = { at: at + 1_000, size: 1_000, durationMs: 1_800, startsAt: at };
    lines.push(
      indexLine({
        kind: 'segment',
        ...segment,
        isIndependent: true,
        isDiscontinuity: hasManyInits,
      }),
    );
  }
  writeFileSync(join(folder, 'index'), lines.join(''));
  writeFileSync(join(folder, 'file'), '');
  truncateSync(join(folder, 'file'), 20_000_000_000);
  const playlists = new RecordedPlaylists({ refusals: { note: () => {} } });

  const recording = storedInFolder(folder);
  return () =>
    playlists.find(recording, { index: 'index', file: 'file' }, { address: '192.0.2.1' });
}
