// How a push does, told from packets that come as a test says.
import { describe, expect, test } from 'bun:test';
import { PushHealth } from './push-health.ts';

interface Sent {
  /** When it comes, in seconds of the clock, and its time in the media's. */
  at: number;
  dts: number;
  kind?: 'video' | 'audio';
  isKey?: boolean;
  bytes?: number;
}

function push() {
  const meter = { heardAt: 0 };
  const timeline = { jumps: 0, backward: 0 };
  const health = new PushHealth({ meter, timeline });
  const send = ({ at, dts, kind = 'video', isKey = false, bytes = 1_000 }: Sent) => {
    meter.heardAt = at * 1_000;
    health.packet({
      kind,
      dtsMs: dts * 1_000,
      ptsMs: dts * 1_000,
      isKey,
      bytes: new Uint8Array(bytes),
    });
  };
  /** Pictures of 1,000 bytes, 25 a second, with a key frame every so many seconds, and sound of 200 bytes, 50 a second. */
  const sendFrom = (
    from: number,
    to: number,
    { keyEvery = 2, lateBy = (_: number): number => 0 } = {},
  ) => {
    for (let n = Math.round(from * 50); n < Math.round(to * 50); n++) {
      const dts = n / 50;
      const at = 1_000 + dts + lateBy(dts);
      send({ at, dts, kind: 'audio', bytes: 200 });
      if (n % 2 === 0) send({ at, dts, isKey: n % (50 * keyEvery) === 0 });
    }
  };
  return {
    send,
    sendFrom,
    timeline,
    health,
    now: (at: number) => health.now((1_000 + at) * 1_000),
  };
}

test('nothing is known before a whole second has come', () => {
  const { sendFrom, now } = push();
  expect(now(0)).toMatchObject({ videoKbps: null, framesPerSecond: null, lateMs: null });
  sendFrom(0, 0.9);
  expect(now(0.9)).toMatchObject({ videoKbps: null, audioKbps: null, framesPerSecond: null });
});

test('rates are those of the last ten seconds', () => {
  const { sendFrom, now } = push();
  sendFrom(0, 5);
  expect(now(5)).toMatchObject({ videoKbps: 200, audioKbps: 80, framesPerSecond: 25 });
  sendFrom(5, 20);
  expect(now(20)).toMatchObject({ videoKbps: 200, audioKbps: 80, framesPerSecond: 25 });
  // Half of these ten it was silent.
  expect(now(25)).toMatchObject({ videoKbps: 100, audioKbps: 40, framesPerSecond: 25 });
  expect(now(500)).toMatchObject({ videoKbps: 0, audioKbps: 0, framesPerSecond: null });
});

test('pictures are counted by the time of the media, so a late push has as many', () => {
  const { sendFrom, now } = push();
  sendFrom(0, 20, { lateBy: (dts) => dts });
  expect(now(40).framesPerSecond).toBeCloseTo(25, 5);
  expect(now(40).videoKbps).toBeCloseTo(100, 5);
});

describe('key frames', () => {
  test('are as far apart as the last two, and as the two of the last minute that were furthest', () => {
    const { sendFrom, now } = push();
    sendFrom(0, 1);
    expect(now(1)).toMatchObject({ keyFrameMs: null, keyFrameMsMax: 960 });
    sendFrom(1, 24, { keyEvery: 8 });
    expect(now(24)).toMatchObject({ keyFrameMs: 8_000, keyFrameMsMax: 8_000 });
    sendFrom(24, 60);
    expect(now(60)).toMatchObject({ keyFrameMs: 2_000, keyFrameMsMax: 8_000 });
    sendFrom(60, 90);
    expect(now(90)).toMatchObject({ keyFrameMs: 2_000, keyFrameMsMax: 2_000 });
  });

  test('that do not come at all are seen too', () => {
    const { sendFrom, now } = push();
    sendFrom(0, 30, { keyEvery: 1_000 });
    expect(now(30)).toMatchObject({ keyFrameMs: null, keyFrameMsMax: 29_960 });
  });

  test('have no distance over a cut', () => {
    const { sendFrom, now, health } = push();
    sendFrom(0, 4.1);
    health.resumed();
    sendFrom(13.9, 14.5);
    expect(now(14.5)).toMatchObject({ keyFrameMs: null, keyFrameMsMax: 2_000, returns: 1 });
  });
});

describe('lateness', () => {
  test('is how much slower than the clock a push comes', () => {
    const { sendFrom, now } = push();
    sendFrom(0, 30);
    expect(now(29.98).lateMs).toBeWithin(0, 41);
    sendFrom(30, 50, { lateBy: (dts) => (dts - 30) / 10 });
    expect(now(52).lateMs).toBeWithin(1_950, 2_100);
  });

  test('grows while nothing comes', () => {
    const { sendFrom, now } = push();
    sendFrom(0, 30);
    expect(now(36).lateMs).toBeWithin(5_950, 6_060);
  });

  test('is none of an encoder whose clock is a little slow, however long it lasts', () => {
    const { sendFrom, now } = push();
    sendFrom(0, 600, { lateBy: (dts) => dts / 1_000 });
    expect(now(600.6).lateMs).toBeWithin(0, 120);
  });

  test('begins anew after a jump and after a cut, where the media goes on without a gap', () => {
    const { sendFrom, now, timeline, health } = push();
    sendFrom(0, 20);
    timeline.jumps += 1;
    sendFrom(20, 25, { lateBy: () => 15 });
    expect(now(39.98).lateMs).toBeWithin(0, 41);
    health.resumed();
    expect(now(40).lateMs).toBeNull();
    sendFrom(25, 30, { lateBy: () => 25 });
    expect(now(54.98).lateMs).toBeWithin(0, 41);
  });
});
