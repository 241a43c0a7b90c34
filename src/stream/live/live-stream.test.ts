import { describe, expect, test } from 'bun:test';
import { liveChannel as channel } from '../../../test/fixtures/live-channel.ts';
import { audioTrack, videoTrack } from '../../../test/fixtures/media/synthetic.ts';
import type { Track } from '../formats/packet.ts';
import { LiveStream } from './live-stream.ts';
import type { StreamReader } from './stream-reader.ts';

const bytes = new Uint8Array(4);
const otherVideo: Track = { ...videoTrack, record: Uint8Array.of(...videoTrack.record, 1) };

/** What a reader is told, as words. */
function listener(): StreamReader & { heard: string[]; take(): string } {
  const heard: string[] = [];
  return {
    heard,
    take: () => heard.splice(0).join(' '),
    track: ({ kind }) => heard.push(`${kind}-track`),
    packet: ({ kind, dtsMs, isKey }) =>
      heard.push(`${kind === 'audio' ? 'a' : isKey ? 'K' : 'v'}${dtsMs}`),
    resumed: () => heard.push('resumed'),
    ended: () => heard.push('ended'),
  };
}

function onAir() {
  const stream = new LiveStream(channel, 0);
  const reader = listener();
  const leave = stream.join(reader);
  const picture = (timestamp: number, isKey = false, compositionMs = 0) =>
    stream.picture({ timestamp, compositionMs, isKey, bytes });
  const sound = (timestamp: number) => stream.sound({ timestamp, bytes });
  return { stream, reader, leave, picture, sound };
}

describe('who joins', () => {
  test('gets the tracks and all since the last key frame, then what comes, each packet once', () => {
    const { stream, picture, sound } = onAir();
    stream.track(videoTrack);
    stream.track(audioTrack);
    picture(0, true);
    picture(33);
    picture(66, true);
    sound(70);
    picture(99);
    const late = listener();
    stream.join(late);
    expect(late.take()).toBe('video-track audio-track K66 a70 v99');
    picture(132);
    expect(late.take()).toBe('v132');
  });

  test('before the push has begun gets it from its first packet', () => {
    const { stream, reader, picture } = onAir();
    expect(reader.take()).toBe('');
    stream.track(videoTrack);
    picture(0, true);
    expect(reader.take()).toBe('video-track K0');
  });

  test('leaves alone: others go on', () => {
    const { stream, reader, leave, picture } = onAir();
    const other = listener();
    stream.join(other);
    stream.track(videoTrack);
    leave();
    leave();
    picture(0, true);
    expect([reader.take(), other.take()]).toEqual(['video-track', 'video-track K0']);
  });

  test('may leave while it is told something', () => {
    const { stream, reader, picture } = onAir();
    const leaver = { ...listener(), packet: () => leave() };
    const leave = stream.join(leaver);
    const after = listener();
    stream.join(after);
    stream.track(videoTrack);
    picture(0, true);
    picture(33);
    expect([reader.take(), after.take()]).toEqual(['video-track K0 v33', 'video-track K0 v33']);
  });

  test('of sound alone gets the last half second', () => {
    const { stream, sound } = onAir();
    stream.track(audioTrack);
    for (let at = 0; at <= 700; at += 100) sound(at);
    const late = listener();
    stream.join(late);
    expect(late.take()).toBe('audio-track a600 a700');
  });
});

describe('pictures', () => {
  test('before the first key frame are left out, sound is not', () => {
    const { stream, reader, picture, sound } = onAir();
    stream.track(videoTrack);
    stream.track(audioTrack);
    picture(0);
    sound(10);
    picture(33);
    picture(66, true);
    picture(99);
    expect(reader.take()).toBe('video-track audio-track a10 K66 v99');
  });

  test('and sound without a track are left out', () => {
    const { reader, picture, sound } = onAir();
    picture(0, true);
    sound(0);
    expect(reader.take()).toBe('');
  });

  test('are shown when their composition time says, never before 0', () => {
    const { stream } = onAir();
    const shown: number[] = [];
    stream.join({ ...listener(), packet: ({ ptsMs }) => shown.push(ptsMs) });
    stream.track(videoTrack);
    stream.picture({ timestamp: 1_000, compositionMs: -50, isKey: true, bytes });
    stream.picture({ timestamp: 1_033, compositionMs: 66, isKey: false, bytes });
    expect(shown).toEqual([0, 99]);
  });

  test('are shown when they are decoded where their composition time is out of reach', () => {
    const { stream } = onAir();
    const shown: number[] = [];
    stream.join({ ...listener(), packet: ({ ptsMs }) => shown.push(ptsMs) });
    stream.track(videoTrack);
    for (const [at, compositionMs] of [2 ** 23 - 1, 5_001, 5_000, -5_001, -(2 ** 23)].entries())
      stream.picture({ timestamp: 40 * at, compositionMs, isKey: true, bytes });
    expect(shown).toEqual([0, 40, 5_080, 120, 160]);
  });

  test('of new parameters await a key frame, and the old group is no longer handed out', () => {
    const { stream, reader, picture } = onAir();
    stream.track(videoTrack);
    picture(0, true);
    stream.track(otherVideo);
    picture(33);
    const late = listener();
    stream.join(late);
    picture(66, true);
    expect(reader.take()).toBe('video-track K0 video-track K66');
    expect(late.take()).toBe('video-track K66');
  });

  test('whose parameters come again unchanged just go on', () => {
    const { stream, reader, picture } = onAir();
    stream.track(videoTrack);
    picture(0, true);
    stream.track({ ...videoTrack });
    picture(33);
    expect(reader.take()).toBe('video-track K0 v33');
  });
});

describe('a push that was cut', () => {
  test('goes on with its tracks anew, a key frame first, later on the same timeline', () => {
    const { stream, reader, picture, sound } = onAir();
    stream.track(videoTrack);
    picture(5_000, true);
    picture(5_033);
    stream.resume();
    sound(0);
    stream.track(videoTrack);
    picture(0);
    picture(33, true);
    expect(reader.take()).toBe('video-track K0 v33 resumed video-track K106');
  });

  test('hands nothing of before to who joins in between', () => {
    const { stream, picture } = onAir();
    stream.track(videoTrack);
    picture(0, true);
    stream.resume();
    const between = listener();
    stream.join(between);
    stream.track(videoTrack);
    picture(0, true);
    expect(between.take()).toBe('video-track K40');
  });

  test('may come back without pictures', () => {
    const { stream, reader, picture, sound } = onAir();
    stream.track(videoTrack);
    stream.track(audioTrack);
    picture(0, true);
    stream.resume();
    stream.track(audioTrack);
    sound(0);
    const late = listener();
    stream.join(late);
    expect(reader.take()).toBe('video-track audio-track K0 resumed audio-track a40');
    expect(late.take()).toBe('audio-track a40');
  });
});

test('the end is told once, and nothing after it', () => {
  const { stream, reader, picture } = onAir();
  stream.track(videoTrack);
  picture(0, true);
  stream.end('over');
  stream.end('over');
  picture(33);
  expect(reader.take()).toBe('video-track K0 ended');
});

test('what an encoder says counts while it publishes, and not for the next', () => {
  const stream = new LiveStream(channel, 0);
  const hold = { isHeld: true };
  const publication = stream.publication({
    isHeld: () => hold.isHeld,
    onMedia: () => {},
    onEnd: () => {},
  });
  const words = { frameRate: 30, videoKbps: 800, audioKbps: undefined, encoder: 'one' };
  publication.describe(words);
  expect(stream.words).toEqual(words);
  hold.isHeld = false;
  publication.describe({ ...words, frameRate: 60 });
  expect(stream.words.frameRate).toBe(30);
  stream.resume();
  expect(stream.words.frameRate).toBeUndefined();
});
