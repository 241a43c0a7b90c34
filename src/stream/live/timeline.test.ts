// Timestamps as encoders bend them: wraps, jumps, reconnects, tracks that jump one after the other.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Packet } from '../formats/packet.ts';
import { Timeline } from './timeline.ts';

type Kind = Packet['kind'];
interface Stamp {
  kind: Kind;
  /** The encoder's own time, which does not wrap or jump. */
  atMs: number;
}

const hourMs = 3_600_000;
const wrap = 2 ** 32;

/** Pictures every 33 ms and sound every 21 ms, in the order of their times. */
function stamps(fromMs: number, toMs: number): Stamp[] {
  const all: Stamp[] = [];
  for (let n = 0; fromMs + n * 33 < toMs; n++) all.push({ kind: 'video', atMs: fromMs + n * 33 });
  for (let n = 0; fromMs + n * 21 < toMs; n++) all.push({ kind: 'audio', atMs: fromMs + n * 21 });
  return all.sort((a, b) => a.atMs - b.atMs);
}

const wire = (ms: number) => ((ms % wrap) + wrap) % wrap;

/** Where each stamp is placed, with the encoder's clock set forward by `shiftMs(stamp)`. */
function placed(
  timeline: Timeline,
  all: readonly Stamp[],
  shiftMs: (stamp: Stamp, n: number) => number,
): number[] {
  return all.map((stamp, n) =>
    timeline.place(stamp.kind, wire(Math.round(stamp.atMs + shiftMs(stamp, n)))),
  );
}

/** Fails where a track's times fall. */
function expectMonotony(all: readonly Stamp[], times: readonly number[]): void {
  const last: Record<Kind, number> = { video: 0, audio: 0 };
  for (const [n, ms] of times.entries()) {
    const { kind } = all[n] as Stamp;
    expect(ms).toBeGreaterThanOrEqual(last[kind]);
    last[kind] = ms;
  }
}

describe('without jumps', () => {
  test.each([0, 5_000, wrap - 1, wrap - 5_000, 2 ** 31 - 1_000, 2 ** 31])(
    'a clock that begins at %d keeps its distances, over every wrap',
    (start) => {
      const all = stamps(0, 10_000);
      const times = placed(new Timeline(), all, () => start);
      expect(times).toEqual(all.map(({ atMs }) => atMs));
    },
  );

  test('fifty days go on over the wrap', () => {
    const timeline = new Timeline();
    const step = 4_000;
    for (let ms = 0; ms < wrap + 10 * step; ms += step)
      if (timeline.place('video', wire(ms)) !== ms) throw new Error(`lost at ${ms}`);
  });

  test('a packet from before a wrap that comes after it stands where it belongs', () => {
    const timeline = new Timeline();
    expect(timeline.place('video', wrap - 10)).toBe(0);
    expect(timeline.place('video', 23)).toBe(33);
    expect(timeline.place('audio', wrap - 5)).toBe(5);
    expect(timeline.place('video', 56)).toBe(66);
  });

  test('sound that begins before the picture does not make the timeline negative', () => {
    const timeline = new Timeline();
    timeline.place('video', 1_000);
    expect(timeline.place('audio', 900)).toBe(0);
    expect(timeline.place('audio', 1_020)).toBe(20);
  });

  test('the small disorder of a careless muxer is held back, not taken for a jump', () => {
    const timeline = new Timeline();
    for (const at of [0, 33, 66, 400]) timeline.place('video', at);
    expect(timeline.place('video', 100)).toBe(400);
    expect(timeline.place('video', 433)).toBe(433);
  });
});

describe('a jump', () => {
  test.each([-hourMs, hourMs, -10 * hourMs, 2 ** 31, -(2 ** 31), 2 ** 31 - 1])(
    'of %d ms leaves a step of one picture, with both tracks jumping at once',
    (jumpMs) => {
      const all = stamps(0, 10_000);
      const times = placed(new Timeline(), all, ({ atMs }) => (atMs >= 5_000 ? jumpMs : 0));
      expectMonotony(all, times);
      for (const [n, { atMs }] of all.entries())
        expect(Math.abs((times[n] as number) - atMs)).toBeLessThanOrEqual(40);
    },
  );

  test.each([-hourMs, hourMs])('of %d ms may reach the tracks a second apart', (jumpMs) => {
    const all = stamps(0, 10_000);
    const jumpAt = { video: 5_000, audio: 6_000 };
    const times = placed(new Timeline(), all, ({ kind, atMs }) =>
      atMs >= jumpAt[kind] ? jumpMs : 0,
    );
    expectMonotony(all, times);
    for (const [n, { atMs }] of all.entries())
      expect(Math.abs((times[n] as number) - atMs)).toBeLessThanOrEqual(40);
  });

  test.each([-1_000, -2_000, -4_000])(
    'of a few seconds (%d ms) that reaches sound later leaves no hole',
    (jumpMs) => {
      const all = stamps(0, 10_000);
      const jumpAt = { video: 5_000, audio: 5_200 };
      const times = placed(new Timeline(), all, ({ kind, atMs }) =>
        atMs >= jumpAt[kind] ? jumpMs : 0,
      );
      expectMonotony(all, times);
      for (const [n, { atMs }] of all.entries())
        expect(Math.abs((times[n] as number) - atMs)).toBeLessThanOrEqual(60);
    },
  );

  test('forth and back again returns to the place before it', () => {
    const all = stamps(0, 30_000);
    const away = ({ atMs }: Stamp) => (atMs >= 10_000 && atMs < 20_000 ? hourMs : 0);
    const times = placed(new Timeline(), all, away);
    expectMonotony(all, times);
    expect(Math.abs((times.at(-1) as number) - (all.at(-1) as Stamp).atMs)).toBeLessThanOrEqual(80);
  });

  test('tracks whose clocks have nothing in common run side by side', () => {
    const all = stamps(0, 10_000);
    const times = placed(new Timeline(), all, ({ kind }) => (kind === 'audio' ? 7 * hourMs : 0));
    expectMonotony(all, times);
    for (const [n, { atMs }] of all.entries())
      expect(Math.abs((times[n] as number) - atMs)).toBeLessThanOrEqual(40);
  });
});

test('however often the clock jumps, times rise and keep near the encoder’s own distances', () => {
  const jump = fc.record({
    afterMs: fc.integer({ min: 1_000, max: 8_000 }),
    // By an hour or more, forth or back, up to half of what 32 bits hold.
    byMs: fc.integer({ min: hourMs, max: 2 ** 31 - hourMs }),
    isBack: fc.boolean(),
    lagMs: fc.integer({ min: 0, max: 900 }),
    first: fc.constantFrom<Kind>('video', 'audio'),
  });
  fc.assert(
    fc.property(
      fc.array(jump, { maxLength: 6 }),
      fc.integer({ min: 0, max: wrap - 1 }),
      (jumps, startMs) => {
        let atMs = 0;
        const turns = jumps.map(({ afterMs, byMs, isBack, lagMs, first }) => {
          atMs += afterMs + lagMs;
          return { byMs: isBack ? -byMs : byMs, first, atMs, lagMs };
        });
        const all = stamps(0, atMs + 3_000);
        const times = placed(new Timeline(), all, (stamp) =>
          turns.reduce((sum, { byMs, first, atMs, lagMs }) => {
            const from = first === stamp.kind ? atMs - lagMs : atMs;
            return stamp.atMs >= from ? sum + byMs : sum;
          }, startMs),
        );
        expectMonotony(all, times);
        for (const [n, stamp] of all.entries()) {
          const offMs = Math.abs((times[n] as number) - stamp.atMs);
          expect(offMs).toBeLessThanOrEqual(100 * jumps.length);
        }
      },
    ),
    { numRuns: 300, seed: 10 },
  );
});

test('whatever numbers come, times never fall within a track and stay whole', () => {
  const any = fc.record({
    kind: fc.constantFrom<Kind>('video', 'audio'),
    timestamp: fc.integer({ min: 0, max: wrap - 1 }),
  });
  fc.assert(
    fc.property(fc.array(any, { maxLength: 200 }), (packets) => {
      const timeline = new Timeline();
      const last: Record<Kind, number> = { video: 0, audio: 0 };
      for (const { kind, timestamp } of packets) {
        const ms = timeline.place(kind, timestamp);
        expect(Number.isSafeInteger(ms)).toBe(true);
        expect(ms).toBeGreaterThanOrEqual(last[kind]);
        // One packet carries the timeline no further than a gap that is none yet.
        expect(ms).toBeLessThanOrEqual(Math.max(last.video, last.audio) + 5_000);
        last[kind] = ms;
      }
    }),
    { seed: 11 },
  );
});

describe('a restart', () => {
  test.each([0, 7 * hourMs, wrap - 3])(
    'goes on after what was before, from whatever number (%d)',
    (startMs) => {
      const timeline = new Timeline();
      const before = placed(timeline, stamps(0, 3_000), () => 500);
      const latest = Math.max(...before);
      timeline.restart();
      const all = stamps(0, 3_000);
      const times = placed(timeline, all, () => startMs);
      expect(times).toEqual(all.map(({ atMs }) => latest + 40 + atMs));
    },
  );

  test('as the very first thing changes nothing', () => {
    const timeline = new Timeline();
    timeline.restart();
    expect(timeline.place('audio', 77)).toBe(0);
  });
});

test('jumps and packets that go back are counted; wraps, reconnects and the other track’s jump are not', () => {
  const timeline = new Timeline();
  const all = stamps(0, 4_000);
  placed(timeline, all, ({ atMs }) => wrap - 2_000 + (atMs > 3_000 ? hourMs : 0));
  expect(timeline).toMatchObject({ jumps: 1, backward: 0 });
  timeline.restart();
  placed(timeline, all, () => 0);
  expect(timeline).toMatchObject({ jumps: 1, backward: 0 });
  timeline.place('video', 3_900);
  expect(timeline).toMatchObject({ jumps: 1, backward: 1 });
});
