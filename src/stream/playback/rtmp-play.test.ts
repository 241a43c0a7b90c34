import { describe, expect, test } from 'bun:test';
import { liveChannel as channel } from '../../../test/fixtures/live-channel.ts';
import { audioTrack, videoTrack } from '../../../test/fixtures/media/synthetic.ts';
import { until } from '../../../test/support/live-channel.ts';
import { readAmf } from '../formats/amf.ts';
import { readAudioTag, readVideoTag } from '../formats/flv.ts';
import type { Track } from '../formats/packet.ts';
import { LiveStream, nothingSaid } from '../live/live-stream.ts';
import type { PlayerBatch, PlayerMessage } from '../rtmp/player-batch.ts';
import type { Player } from '../rtmp/rtmp-player.ts';
import { RtmpPlays } from './rtmp-play.ts';

const megabyte = 1_048_576;

/** Every packet leaves by itself, unless it is told otherwise. */
function onAir({ hasVideo = true, batchMs = 0 } = {}) {
  const stream = new LiveStream(channel, 0);
  const sent: string[] = [];
  let heard = () => {};
  const player = {
    waitingBytes: 0,
    isCrowded: false as boolean,
    takenBytes: 0,
    send: ({ messages }: PlayerBatch) => {
      sent.push(messages.map(words).join('-'));
      heard();
    },
    end: () => sent.push('end'),
  } satisfies Player;
  if (hasVideo) stream.track(videoTrack);
  stream.track(audioTrack);
  const bytes = Uint8Array.of(1, 2, 3);
  const picture = (timestamp: number, isKey = false) =>
    stream.picture({ timestamp, compositionMs: 66, isKey, bytes });
  const sound = (timestamp: number) => stream.sound({ timestamp, bytes });
  const take = () => sent.splice(0).join(' ');
  const plays = new RtmpPlays({ batchMs });
  const play = () => plays.play(stream, player);
  /** Resolves with what is sent next. */
  const next = () =>
    new Promise<string>((resolve) => {
      heard = () => resolve(take());
    });
  return { stream, player, picture, sound, take, plays, play, next };
}

/** A message as our own reader of FLV understands it. */
function words({ kind, timestamp, head, body }: PlayerMessage): string {
  const bytes = Buffer.concat([head, body]);
  if (kind === 'data') return `metadata${frameRateIn(bytes)}`;
  const tag = kind === 'video' ? readVideoTag(bytes) : readAudioTag(bytes);
  if (tag?.what === 'track') return `${kind}-track`;
  if (tag?.what === 'picture') return `${tag.isKey ? 'K' : 'v'}${timestamp}+${tag.compositionMs}`;
  return tag?.what === 'sound' ? `a${timestamp}` : 'unknown';
}

function frameRateIn(metadata: Uint8Array): string {
  const [, values] = readAmf(metadata);
  const { framerate = '' } = values as { framerate?: number };
  return String(framerate);
}

test('a player is told what the encoder says of its stream, also when another goes on with it', () => {
  const { stream, picture, take, play } = onAir();
  const publication = stream.publication({
    isHeld: () => true,
    onMedia: () => {},
    onEnd: () => {},
  });
  const words = nothingSaid;
  publication.describe({ ...words, frameRate: 30 });
  picture(0, true);
  play();
  expect(take()).toBe('metadata30 video-track audio-track K0+66');
  stream.resume();
  publication.describe({ ...words, frameRate: 25 });
  stream.track(videoTrack);
  expect(take()).toBe('metadata25-video-track');
});

test('a player gets the tracks, the last group of pictures, and then all that comes', () => {
  const { stream, picture, sound, take, play } = onAir();
  picture(0, true);
  picture(33);
  play();
  expect(take()).toBe('metadata video-track audio-track K0+66-v33+66');
  sound(40);
  picture(66, true);
  expect(take()).toBe('a40 K66+66');
  stream.end('over');
  expect(take()).toBe('end');
});

test('a player that has left is sent nothing more', () => {
  const { picture, take, play } = onAir();
  const { close } = play();
  take();
  close();
  picture(0, true);
  expect(take()).toBe('');
});

describe('a slow player', () => {
  test('is sent nothing until it has caught up, and then from a key frame on', () => {
    const { player, picture, sound, take, play, plays } = onAir();
    picture(0, true);
    const { drained } = play();
    take();
    player.waitingBytes = 4 * megabyte;
    picture(33);
    expect(take()).toBe('v33+66');
    player.waitingBytes = 4 * megabyte + 1;
    picture(66);
    player.waitingBytes = 100;
    // Not empty yet: it would only fill up again.
    picture(99, true);
    sound(100);
    expect(take()).toBe('');
    player.waitingBytes = 0;
    drained();
    picture(133);
    sound(140);
    expect(take()).toBe('');
    picture(166, true);
    sound(170);
    expect(take()).toBe('K166+66 a170');
    expect(plays.slowCount).toBe(1);
  });

  test('of a network that leaves much unread is left out earlier, and begins with a key frame', () => {
    const { player, picture, take, play, plays } = onAir();
    picture(0, true);
    player.isCrowded = true;
    const { drained } = play();
    expect(take()).toBe('metadata video-track audio-track');
    picture(33, true);
    player.waitingBytes = 65_536;
    picture(66);
    expect(take()).toBe('K33+66 v66+66');
    player.waitingBytes = 65_537;
    picture(99);
    expect([take(), plays.slowCount]).toEqual(['', 1]);
    player.waitingBytes = 0;
    drained();
    picture(133, true);
    expect(take()).toBe('K133+66');
  });

  test('of sound alone goes on with the next sound', () => {
    const { player, sound, take, play } = onAir({ hasVideo: false });
    const { drained } = play();
    take();
    player.waitingBytes = 5 * megabyte;
    sound(0);
    player.waitingBytes = 0;
    drained();
    sound(20);
    expect(take()).toBe('a20');
  });

  test('is not buried under tracks that change, and has the last ones when it has caught up', () => {
    const { stream, player, picture, take, play } = onAir();
    const { drained } = play();
    picture(0, true);
    take();
    player.waitingBytes = 5 * megabyte;
    picture(33);
    for (let n = 1; n <= 100; n++) {
      const record = Uint8Array.of(...videoTrack.record, n);
      stream.track({ ...videoTrack, record } satisfies Track);
    }
    expect(take().split(' ').length).toBeLessThan(5);
    player.waitingBytes = 0;
    drained();
    picture(66, true);
    expect(take()).toBe('metadata-video-track K66+66');
  });
});

test('a push that was cut and is back is sent with its tracks, from a key frame on', () => {
  const { stream, picture, sound, take, play } = onAir();
  picture(0, true);
  play();
  take();
  stream.resume();
  stream.track(videoTrack);
  stream.track(audioTrack);
  sound(0);
  picture(10);
  picture(33, true);
  expect(take()).toBe('metadata-video-track metadata-audio-track K73+66');
});

test('a player goes on in the stream that another node has taken, later than what it has seen', () => {
  const { stream, player, picture, sound, take } = onAir();
  const next = new LiveStream(channel, 0);
  const plays = new RtmpPlays({ batchMs: 0, goesOn: () => next });
  picture(0, true);
  picture(5_000);
  sound(5_010);
  plays.play(stream, player);
  take();
  stream.end('taken');
  expect(take()).toBe('');
  expect([plays.has(stream), plays.has(next)]).toEqual([false, true]);
  const bytes = Uint8Array.of(1, 2, 3);
  next.track(videoTrack);
  next.picture({ timestamp: 0, compositionMs: 66, isKey: true, bytes });
  next.picture({ timestamp: 40, compositionMs: 66, isKey: false, bytes });
  expect(take()).toBe('metadata-video-track K5050+66 v5090+66');
  // Who comes then has the same times.
  plays.play(next, player);
  expect(take()).toBe('metadata video-track K5050+66-v5090+66');
  next.end('over');
});

test('without another stream to go on in, a player is told that it is over', async () => {
  const { stream, picture, take, play } = onAir();
  picture(0, true);
  play();
  take();
  stream.end('taken');
  await until(() => take() === 'end', { withinMs: 2_000, otherwise: 'it is not told' });
});

test('a player that comes where no key frame is at hand waits for one', () => {
  const { picture, sound, take, play } = onAir();
  picture(0, true);
  // Beyond twelve seconds nothing is kept for newcomers.
  for (let at = 100; at <= 15_000; at += 100) picture(at);
  play();
  picture(15_100);
  sound(15_110);
  expect(take()).toBe('metadata video-track audio-track');
  picture(15_200, true);
  expect(take()).toBe('K15200+66');
});

test('a beginning larger than a slow player may have waiting is not sent', () => {
  const { stream, take, play } = onAir();
  const bytes = new Uint8Array(3 * megabyte);
  for (const timestamp of [0, 33])
    stream.picture({ timestamp, compositionMs: 0, isKey: timestamp === 0, bytes });
  play();
  expect(take()).toBe('metadata video-track audio-track');
});

describe('packets that come close together', () => {
  test('leave together', async () => {
    const { picture, sound, take, play, next } = onAir({ batchMs: 5 });
    play();
    take();
    picture(0, true);
    sound(10);
    sound(20);
    picture(33);
    expect(take()).toBe('');
    expect(await next()).toBe('K0+66-a10-a20-v33+66');
  });

  test('do not leave before their time for one who joins, and reach nobody twice', () => {
    const { stream, picture, sound, take, play } = onAir({ batchMs: 1_000 });
    picture(0, true);
    play();
    take();
    picture(33);
    sound(40);
    play();
    // What waits is not in its beginning: it gets it with the other.
    expect(take()).toBe('metadata video-track audio-track K0+66');
    stream.end('over');
    expect(take()).toBe('v33+66-a40 v33+66-a40 end end');
  });

  test('leave when they are many bytes', () => {
    const { stream, take, play } = onAir({ batchMs: 1_000 });
    play();
    take();
    const bytes = new Uint8Array(megabyte / 2);
    for (const timestamp of [0, 33, 66, 99])
      stream.picture({ timestamp, compositionMs: 0, isKey: timestamp === 0, bytes });
    expect(take()).toBe('K0+0-v33+0 v66+0-v99+0');
  });

  test('leave before the first key frame, before new tracks and at the end', () => {
    const { stream, picture, sound, take, play } = onAir({ batchMs: 1_000 });
    picture(0, true);
    play();
    take();
    sound(10);
    picture(33, true);
    expect(take()).toBe('a10');
    stream.track({ ...videoTrack, record: Uint8Array.of(...videoTrack.record, 1) });
    expect(take()).toBe('K33+66 metadata-video-track');
    picture(66, true);
    stream.end('over');
    expect(take()).toBe('K66+66 end');
  });

  test('leave together where each of them is a key frame', async () => {
    const { picture, sound, take, play, next } = onAir({ batchMs: 5 });
    play();
    take();
    picture(0, true);
    sound(10);
    picture(33, true);
    picture(66, true);
    expect(take()).toBe('');
    expect(await next()).toBe('K0+66-a10-K33+66-K66+66');
  });
});
