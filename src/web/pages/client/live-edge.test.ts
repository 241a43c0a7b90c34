// The controller against a simulated player: parts that come late, a source that drifts, a player that runs dry.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { LiveEdge } from './live-edge.ts';
import { marginMsMin, segmentMarginMsMax } from './live-margin.ts';

const partMs = 200;
const sampleEveryMs = 50;

interface Line {
  /** How late the part that ends at this time is. */
  lateMs(endMs: number): number;
  /** Source milliseconds in a millisecond of the player's clock. */
  sourceSpeed?: number;
  /** Loaded when it begins to play. */
  aheadMs?: number;
  /** What comes at once. */
  pieceMs?: number;
}

interface Seen {
  nowMs: number;
  rate: number;
  jumpMs: number;
  latencyMs: number;
  marginMs: number;
  isStarved: boolean;
}

/** Plays for a while as a browser does: it stops when nothing is in front and goes on with 100 ms. */
function play(line: Line, forMs: number): Seen[] {
  const edge = new LiveEdge();
  const speed = line.sourceSpeed ?? 1;
  const pieceMs = line.pieceMs ?? partMs;
  const seen: Seen[] = [];
  let endMs = line.aheadMs ?? 400;
  const startedMs = endMs;
  let positionMs = 0;
  let isStarved = false;
  let rate = 1;
  for (let nowMs = 0; nowMs < forMs; nowMs += sampleEveryMs) {
    const sourceMs = startedMs + nowMs * speed;
    while (endMs + pieceMs + line.lateMs(endMs + pieceMs) <= sourceMs) endMs += pieceMs;
    if (endMs - positionMs >= 100) isStarved = false;
    if (!isStarved) positionMs = Math.min(endMs, positionMs + sampleEveryMs * rate);
    if (positionMs === endMs) isStarved = true;
    const decision = edge.decide({
      nowMs,
      positionMs,
      endMs,
      newestMs: endMs,
      joinMs: endMs,
      isStarved,
    });
    positionMs += decision.jumpMs;
    rate = decision.rate;
    const { marginMs } = edge;
    seen.push({ nowMs, ...decision, latencyMs: sourceMs - positionMs, marginMs, isStarved });
  }
  return seen;
}

const quiet: Line = { lateMs: () => 10 };

function after(seen: readonly Seen[], ms: number): Seen[] {
  return seen.filter(({ nowMs }) => nowMs >= ms);
}

function latest(seen: readonly Seen[]): Seen {
  const last = seen.at(-1);
  if (!last) throw new Error('nothing was seen');
  return last;
}

describe('on a quiet line', () => {
  test('it comes to the edge within two seconds and stays there without a stall', () => {
    const seen = after(play({ ...quiet, aheadMs: 1_500 }, 120_000), 2_000);
    // A part must be whole before it comes, and the margin lies behind it.
    for (const { latencyMs } of seen) expect(latencyMs).toBeLessThan(partMs + marginMsMin + 150);
    expect(seen.filter(({ isStarved }) => isStarved)).toEqual([]);
  });

  test('it jumps only at the start', () => {
    const seen = play({ ...quiet, aheadMs: 1_500 }, 60_000);
    const jumps = seen.filter(({ jumpMs }) => jumpMs !== 0);
    expect(jumps.length).toBeGreaterThan(0);
    expect(latest(jumps).nowMs).toBeLessThan(4_000);
  });

  test('it does not follow the rise and fall of the parts', () => {
    for (const { rate } of after(play(quiet, 60_000), 10_000)) {
      expect(Math.abs(rate - 1)).toBeLessThan(0.015);
    }
  });

  test('it never leaves the speeds that nobody notices', () => {
    for (const { rate } of play(quiet, 60_000)) {
      expect(rate).toBeGreaterThanOrEqual(0.95);
      expect(rate).toBeLessThanOrEqual(1.1);
    }
  });
});

test.each([0.999, 1.001])('a source that runs at %d of our clock is followed', (sourceSpeed) => {
  const seen = after(play({ ...quiet, sourceSpeed }, 600_000), 5_000);
  expect(seen.filter(({ isStarved }) => isStarved)).toEqual([]);
  expect(latest(seen).latencyMs).toBeLessThan(600);
});

describe('where whole segments come', () => {
  const pieceMs = 2_000;

  test('it plays each to its end without a stall, a margin behind', () => {
    const seen = after(play({ ...quiet, pieceMs, aheadMs: 2_500 }, 120_000), 30_000);
    expect(seen.filter(({ isStarved }) => isStarved)).toEqual([]);
    for (const { latencyMs, jumpMs } of seen) {
      expect(latencyMs).toBeLessThan(pieceMs + marginMsMin + 300);
      expect(jumpMs).toBe(0);
    }
  });

  test('what they are late by makes the margin, more than of parts', () => {
    const lateMs = (endMs: number) => (Math.round(endMs / pieceMs) % 5 === 0 ? 1_600 : 100);
    const seen = after(play({ lateMs, pieceMs, aheadMs: 2_500 }, 180_000), 60_000);
    expect(seen.filter(({ isStarved }) => isStarved)).toEqual([]);
    expect(latest(seen).marginMs).toBeGreaterThan(1_500);
  });
});

test('where parts give way to segments it does not take the first of them for too much', () => {
  const edge = new LiveEdge();
  const at = (nowMs: number, aheadMs: number, isStarved = false, pieceMs = 0) => {
    const endMs = nowMs + aheadMs;
    const sample = { nowMs, positionMs: nowMs, endMs, newestMs: endMs, joinMs: endMs };
    return edge.decide({ ...sample, isStarved, pieceMs });
  };
  for (let nowMs = 0; nowMs < 10_000; nowMs += sampleEveryMs) at(nowMs, 350 - (nowMs % partMs));
  for (let nowMs = 10_000; nowMs < 12_000; nowMs += sampleEveryMs) at(nowMs, 0, true, 2_000);
  expect(at(12_000, 2_000, true, 2_000).jumpMs).toBeLessThan(10);
});

describe('when parts come late', () => {
  /** One part in fifty is 300 ms late. */
  const stalling: Line = { lateMs: (endMs) => (Math.round(endMs / partMs) % 50 === 0 ? 300 : 10) };

  test('it learns how late and then plays through it', () => {
    const seen = play(stalling, 120_000);
    expect(after(seen, 15_000).filter(({ isStarved }) => isStarved)).toEqual([]);
    expect(latest(seen).latencyMs).toBeLessThan(1_000);
  });

  test('the margin grows at once and shrinks slowly when the line is quiet again', () => {
    const rough: Line = { lateMs: (endMs) => (endMs < 20_000 ? stalling.lateMs(endMs) : 10) };
    const seen = play(rough, 180_000);
    const marginAt = (ms: number) => latest(seen.filter(({ nowMs }) => nowMs <= ms)).marginMs;
    const most = Math.max(...seen.map(({ marginMs }) => marginMs));
    expect(marginAt(20_000)).toBeGreaterThan(300);
    expect(marginAt(35_000)).toBeGreaterThan(most - 100);
    expect(marginAt(179_000)).toBeLessThan(marginMsMin + 60);
    const falls = seen.slice(1).map(({ marginMs }, at) => (seen[at]?.marginMs ?? 0) - marginMs);
    expect(Math.max(...falls)).toBeLessThan(1);
  });
});

test('a source that was gone for five seconds changes the margin little, and the edge is found again', () => {
  const gone: Line = {
    lateMs: (endMs) => (endMs > 30_000 && endMs < 35_000 ? 35_000 - endMs : 10),
  };
  const seen = play(gone, 60_000);
  expect(latest(seen).marginMs).toBeLessThan(marginMsMin + 100);
  expect(latest(seen).latencyMs).toBeLessThan(700);
});

test.each([
  [marginMsMin - 60, 0.97],
  [marginMsMin - 140, 0.95],
  [marginMsMin + 20, 1],
  [marginMsMin + 100, 1.04],
  [marginMsMin + 900, 1.1],
  [marginMsMin + 1_100, 1.25],
])('with %d ms in front it plays at %d', (aheadMs, rate) => {
  const edge = new LiveEdge();
  const seen = [];
  // Long enough at the edge to have settled, and then for a speed to be given up for another.
  for (let nowMs = 0; nowMs <= 7_000; nowMs += sampleEveryMs) {
    const endMs = nowMs + (nowMs < 5_500 ? marginMsMin : aheadMs);
    const sample = { nowMs, positionMs: nowMs, endMs, newestMs: endMs, joinMs: endMs };
    seen.push(edge.decide({ ...sample, isStarved: false }).rate);
  }
  expect(seen.at(-1)).toBe(rate);
});

test('a speed is kept for a second, however the line trembles', () => {
  const trembling: Line = { lateMs: (endMs) => (Math.round(endMs / partMs) * 37) % 150 };
  const seen = play(trembling, 60_000).filter(({ jumpMs }) => jumpMs === 0);
  const changes = seen.flatMap((one, at) => {
    const from = seen[at - 1]?.rate ?? 1;
    return one.rate === from ? [] : [{ ...one, isEscape: from > 1 && one.rate < 1 }];
  });
  expect(changes.length).toBeGreaterThan(5);
  for (const [at, { nowMs, isEscape }] of changes.entries()) {
    const heldMs = nowMs - (changes[at - 1]?.nowMs ?? Number.NEGATIVE_INFINITY);
    expect(heldMs >= 1_000 || isEscape).toBe(true);
  }
});

test('a speed that leads into a stall is given up at once', () => {
  const edge = new LiveEdge();
  const rateAt = (nowMs: number, aheadMs: number) => {
    const endMs = nowMs + aheadMs;
    const sample = { nowMs, positionMs: nowMs, endMs, newestMs: endMs, joinMs: endMs };
    return edge.decide({ ...sample, isStarved: false }).rate;
  };
  for (let nowMs = 0; nowMs < 5_000; nowMs += sampleEveryMs) rateAt(nowMs, marginMsMin);
  for (let nowMs = 5_000; nowMs < 5_500; nowMs += sampleEveryMs) rateAt(nowMs, marginMsMin + 250);
  expect(rateAt(5_500, marginMsMin + 250)).toBeGreaterThan(1.05);
  expect(rateAt(5_550, marginMsMin - 70)).toBeLessThan(1);
});

test('far behind it jumps to the edge of what is loaded', () => {
  const edge = new LiveEdge();
  const sample = { positionMs: 0, endMs: 8_000, newestMs: 8_000, joinMs: 6_000, isStarved: false };
  const { jumpMs } = edge.decide({ nowMs: 0, ...sample });
  expect(jumpMs).toBeGreaterThan(7_000);
  expect(jumpMs).toBeLessThanOrEqual(8_000 - marginMsMin);
});

test('left behind by a pause it begins anew at the last key frame, when that is not being loaded', () => {
  const edge = new LiveEdge();
  const sample = {
    positionMs: 0,
    endMs: 2_000,
    newestMs: 60_000,
    joinMs: 58_500,
    isStarved: false,
  };
  const jumps = [];
  for (let nowMs = 0; nowMs < 2_000; nowMs += 50)
    jumps.push(edge.decide({ nowMs, ...sample }).jumpMs);
  // Once: loading from there takes a moment.
  expect(jumps.filter((jumpMs) => jumpMs !== 0)).toEqual([58_500]);
  expect(jumps.indexOf(58_500)).toBeGreaterThan(20);
});

test('where the browser waits although there is enough, it is woken by a jump', () => {
  const edge = new LiveEdge();
  const sample = { positionMs: 0, newestMs: 800, joinMs: 800, isStarved: true };
  expect(edge.decide({ nowMs: 0, ...sample, endMs: 100 })).toEqual({ rate: 1, jumpMs: 0 });
  expect(edge.decide({ nowMs: 50, ...sample, endMs: 800 }).jumpMs).toBeGreaterThan(0);
});

test('what is missing is leapt over as soon as there is enough behind it', () => {
  const edge = new LiveEdge();
  const sample = { positionMs: 950, endMs: 1_000, joinMs: 3_000, isStarved: true };
  const jumpAt = (nowMs: number, endMs: number) => {
    const beyond = { startMs: 3_000, endMs };
    return edge.decide({ ...sample, nowMs, newestMs: endMs, beyond }).jumpMs;
  };
  expect(jumpAt(0, 3_200)).toBe(0);
  const jumpMs = jumpAt(200, 3_400 + marginMsMin);
  expect(jumpMs).toBeGreaterThan(3_000 - 950);
  expect(jumpMs).toBeLessThanOrEqual(3_100 - 950);
  // Loading from there takes a moment.
  expect(jumpAt(250, 3_400 + marginMsMin)).toBe(0);
  // While it plays nothing is missing yet.
  const playing = { ...sample, isStarved: false, newestMs: 5_000 };
  const beyond = { startMs: 3_000, endMs: 5_000 };
  expect(new LiveEdge().decide({ ...playing, nowMs: 0, beyond }).jumpMs).toBe(0);
});

test('looked at too seldom to see a trough, it keeps its hands off', () => {
  const edge = new LiveEdge();
  for (let nowMs = 0; nowMs < 60_000; nowMs += 1_000) {
    const endMs = nowMs + 900;
    const sample = { nowMs, positionMs: nowMs, endMs, newestMs: endMs, joinMs: endMs };
    expect(edge.decide({ ...sample, isStarved: false })).toEqual({ rate: 1, jumpMs: 0 });
  }
});

test('whatever the line does, the bounds hold and no jump leaves what is known', () => {
  const lateness = fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 40 });
  const speeds = fc.double({ min: 0.99, max: 1.01, noNaN: true });
  fc.assert(
    fc.property(
      lateness,
      speeds,
      fc.integer({ min: 0, max: 20_000 }),
      (late, sourceSpeed, ahead) => {
        const lateMs = (endMs: number) => late[Math.round(endMs / partMs) % late.length] ?? 0;
        for (const one of play({ lateMs, sourceSpeed, aheadMs: ahead }, 30_000)) {
          expect(one.rate).toBeGreaterThanOrEqual(0.95);
          expect(one.rate).toBeLessThanOrEqual(1.25);
          expect(one.marginMs).toBeGreaterThanOrEqual(marginMsMin);
          expect(one.marginMs).toBeLessThanOrEqual(segmentMarginMsMax);
          expect(one.latencyMs).toBeGreaterThanOrEqual(0);
          expect(one.jumpMs).toBeGreaterThanOrEqual(0);
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('jitter below what the margin can be never stalls it for long', () => {
  const jitter = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 20, maxLength: 60 });
  fc.assert(
    fc.property(jitter, (late) => {
      const lateMs = (endMs: number) => late[Math.round(endMs / partMs) % late.length] ?? 0;
      const seen = after(play({ lateMs }, 90_000), 30_000);
      const starvedMs = seen.filter(({ isStarved }) => isStarved).length * sampleEveryMs;
      expect(starvedMs).toBeLessThan(seen.length * sampleEveryMs * 0.01);
    }),
    { numRuns: 30 },
  );
});
