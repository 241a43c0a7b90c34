import { describe, expect, test } from 'bun:test';
import { RungChooser } from './rung-chooser.ts';

/** Sound, 360, 480 and the source. */
const bits = [135_000, 350_000, 800_000, 2_600_000];
const [sound, small, middle, source] = [0, 1, 2, 3];

interface World {
  /** Bits a second at that moment. */
  line(atMs: number): number;
  seconds: number;
  roundTripMs?: number;
  lineBits?: number;
  /** So long a piece is: parts of 200 ms, or whole segments. */
  pieceMs?: number;
  /** What the player keeps in front of itself. */
  marginMs?: number;
  missing?(rung: number, atMs: number): boolean;
}

interface Seen {
  /** Of each look, every 100 ms. */
  rungs: number[];
  aheadMs: number[];
  stalls: { atMs: number; ms: number }[];
}

const segmentMs = 2_000;
const stepMs = 5;
/** What an abort costs: a connection, the list of the other size, and its first piece. */
const roundTripsToChange = 3;

/** A player at the live edge over a line: it loads piece after piece, each when the encoder has made it. */
function watched(world: World): Seen {
  const { line, seconds, roundTripMs = 60, lineBits = 4_000_000, pieceMs = 200 } = world;
  const { marginMs = 300, missing = () => false } = world;
  const chooser = new RungChooser({ bits, hasSound: true, lineBits });
  const seen: Seen = { rungs: [], aheadMs: [], stalls: [] };
  // Media time 0 is made at 0; the player begins when a piece and its margin are there.
  let loadedTo = 0;
  let next = 0;
  let shown = 0;
  let playing = false;
  let load: Load | undefined;
  let freeAt = 0;
  let stalledSince: number | undefined;
  // In the middle of a segment pictures of another size begin with those before.
  const changed = (now: number) => {
    load = undefined;
    freeAt = now + roundTripsToChange * roundTripMs;
    next = chooser.rung === sound ? loadedTo : Math.floor(loadedTo / segmentMs) * segmentMs;
  };
  const consider = (now: number) => {
    const { rung } = chooser;
    chooser.next({ nowMs: now, aheadMs: loadedTo - shown, isListed: next + pieceMs <= now });
    if (chooser.rung !== rung) changed(now);
  };
  for (let now = 0; now < seconds * 1_000; now += stepMs) {
    if (!load && next === loadedTo && next % segmentMs === 0 && next + pieceMs <= now)
      consider(now);
    if (!load && now >= freeAt && next + pieceMs <= now) {
      if (!missing(chooser.rung, now)) load = loadOf(chooser.rung, next, { pieceMs, now });
      else {
        chooser.misses(chooser.rung, now);
        changed(now);
      }
    }
    if (load) {
      const { rung, fromMs, totalBytes, askedAt } = load;
      const tookMs = now - askedAt - roundTripMs;
      if (tookMs > 0) load.bits += (line(now) * stepMs) / 1_000;
      const bytes = Math.min(totalBytes, Math.floor(load.bits / 8));
      const waitedMs = Math.min(now - askedAt, roundTripMs);
      const told = { nowMs: now, rung, durationMs: pieceMs, bytes, waitedMs };
      const placeMs = pieceMs < segmentMs ? fromMs % segmentMs : 0;
      const progress = { totalBytes: bytes > 0 ? totalBytes : undefined, placeMs };
      if (bytes === totalBytes) {
        load = undefined;
        next += pieceMs;
        loadedTo = Math.max(loadedTo, next);
        chooser.loaded({ ...told, tookMs });
        if (loadedTo % segmentMs === 0) consider(now);
      } else if (
        chooser.loading({
          ...told,
          ...progress,
          tookMs: bytes > 0 ? tookMs : 0,
          aheadMs: loadedTo - shown,
        })
      )
        changed(now);
    }
    playing ||= loadedTo >= pieceMs + marginMs;
    const moves = playing && loadedTo > shown;
    if (moves) shown += stepMs;
    if (playing && !moves) stalledSince ??= now;
    if (moves && stalledSince !== undefined) {
      seen.stalls.push({ atMs: stalledSince, ms: now - stalledSince });
      stalledSince = undefined;
    }
    if (now % 100 === 0) {
      seen.rungs.push(chooser.rung);
      seen.aheadMs.push(loadedTo - shown);
    }
  }
  return seen;
}

interface Load {
  rung: number;
  fromMs: number;
  totalBytes: number;
  askedAt: number;
  bits: number;
}

/** A part with a key frame has more than the others. */
function loadOf(
  rung: number,
  fromMs: number,
  { pieceMs, now }: { pieceMs: number; now: number },
): Load {
  const parts = segmentMs / pieceMs;
  const isKey = fromMs % segmentMs === 0;
  const times = parts === 1 || rung === sound ? 1 : isKey ? 2.5 : (parts - 2.5) / (parts - 1);
  const totalBytes = Math.round((times * (bits[rung] ?? 0) * pieceMs) / 8_000);
  return { rung, fromMs, totalBytes, askedAt: now, bits: 0 };
}

const longest = ({ stalls }: Seen, from = 0) =>
  Math.max(0, ...stalls.filter(({ atMs }) => atMs >= from).map(({ ms }) => ms));
const at = (seen: Seen, seconds: number) => seen.rungs[seconds * 10];
const stepsUp = ({ rungs }: Seen) =>
  rungs
    .slice(1)
    .map((rung, i) => rung - (rungs[i] ?? rung))
    .filter((step) => step > 0);

describe('a line that stays as it is', () => {
  test('a good one has the source from the first second on', () => {
    const seen = watched({ line: () => 20_000_000, seconds: 30, lineBits: 10_000_000 });
    expect(new Set(seen.rungs)).toEqual(new Set([source]));
    expect(seen.stalls).toEqual([]);
  });

  test('one that was taken for a bad one rises step by step', () => {
    const seen = watched({ line: () => 20_000_000, seconds: 60, lineBits: 400_000 });
    expect(seen.rungs[0]).toBe(small);
    expect(at(seen, 59)).toBe(source);
    expect(new Set(stepsUp(seen))).toEqual(new Set([1]));
    expect(seen.stalls).toEqual([]);
  });

  test.each([
    ['a megabit', 1_000_000, small],
    ['a megabit and a half', 1_500_000, middle],
    ['300 kbit/s', 300_000, sound],
  ] as const)(
    '%s has the size that it carries, and does not try others again and again',
    (_, line, rung) => {
      const seen = watched({ line: () => line, seconds: 120, lineBits: line * 0.8 });
      expect(new Set(seen.rungs.slice(100))).toEqual(new Set([rung]));
      expect(longest(seen, 10_000)).toBe(0);
    },
  );
});

test('over a long way small pieces say little of the line, and a larger size is tried', () => {
  const chooser = new RungChooser({ bits, hasSound: true, lineBits: 700_000 });
  const load = { durationMs: 2_000, waitedMs: 330 };
  const at = (nowMs: number, bytes: number, tookMs: number) => {
    chooser.loaded({ ...load, rung: chooser.rung, nowMs, bytes, tookMs });
    chooser.next({ nowMs, aheadMs: 3_000, isListed: true });
  };
  // Of 1.6 Mbit/s, each after a silence.
  for (let nowMs = 0; nowMs < 10_000; nowMs += 2_000) at(nowMs, 88_000, 820);
  expect(chooser.rung).toBe(middle);
  for (let nowMs = 10_000; nowMs < 20_000; nowMs += 2_000) at(nowMs, 200_000, 1_200);
  expect(chooser.rung).toBe(middle);
});

describe('a line that falls', () => {
  const falling = (to: number) => (now: number) => (now < 20_000 ? 6_000_000 : to);

  test.each([0, 400, 900, 1_300, 1_700])('in the middle of a segment, %d ms later', (offset) => {
    const line = (now: number) => falling(800_000)(now - offset);
    const seen = watched({ line, seconds: 60 });
    expect(at(seen, 19)).toBe(source);
    expect(longest(seen)).toBeLessThan(1_000);
    expect(new Set(seen.rungs.slice(-250))).toEqual(new Set([small]));
  });

  test('far below every picture: the sound goes on', () => {
    const seen = watched({ line: falling(250_000), seconds: 60 });
    expect(at(seen, 59)).toBe(sound);
    expect(longest(seen)).toBeLessThan(1_000);
  });

  test('whole segments: a smaller one is here in time', () => {
    const world = { line: falling(800_000), seconds: 60, pieceMs: segmentMs, marginMs: 1_500 };
    const seen = watched({ ...world, roundTripMs: 300 });
    expect(longest(seen)).toBeLessThan(1_000);
    expect(at(seen, 59)).toBe(small);
  });

  test('and is good again: the picture comes back, then the others one by one', () => {
    const line = (now: number) => (now > 20_000 && now < 40_000 ? 250_000 : 6_000_000);
    const seen = watched({ line, seconds: 90 });
    expect(at(seen, 39)).toBe(sound);
    expect(at(seen, 89)).toBe(source);
    expect(new Set(stepsUp({ ...seen, rungs: seen.rungs.slice(350) }))).toEqual(new Set([1]));
  });
});

test('a line that is silent for a moment now and then keeps its size', () => {
  const line = (now: number) => (now % 7_000 < 250 ? 0 : 8_000_000);
  const seen = watched({ line, seconds: 60, marginMs: 600 });
  expect(new Set(seen.rungs.slice(50))).toEqual(new Set([source]));
});

test('what a line does not carry is tried again after longer and longer', () => {
  // Measured by small pieces it seems to carry all.
  const line = (now: number) => (now % 10_000 < 5_000 ? 6_000_000 : 900_000);
  const seen = watched({ line, seconds: 240 });
  const tries = stepsUp(seen).length;
  expect(tries).toBeLessThan(24);
  expect(longest(seen, 10_000)).toBeLessThan(1_000);
});

describe('a gap', () => {
  test('leads one down, and never up', () => {
    const missing = (rung: number, now: number) => rung === middle && now > 10_000 && now < 20_000;
    const world = { line: () => 1_600_000, seconds: 19, lineBits: 1_200_000, missing };
    const seen = watched(world);
    expect(at(seen, 9)).toBe(middle);
    expect(Math.max(...seen.rungs.slice(102))).toBe(small);
  });

  test('that stays keeps nobody from what is larger', () => {
    const missing = (rung: number) => rung === middle;
    const world = { line: () => 20_000_000, seconds: 60, lineBits: 600_000, missing };
    const seen = watched(world);
    expect(at(seen, 59)).toBe(source);
    expect(longest(seen)).toBeLessThan(1_000);
  });

  test('in all of them is passed over, and what was loaded goes on behind it', () => {
    const missing = (_: number, now: number) => now > 10_000 && now < 11_000;
    const seen = watched({ line: () => 20_000_000, seconds: 30, lineBits: 10_000_000, missing });
    expect(new Set(seen.rungs.slice(120))).toEqual(new Set([source]));
  });

  test('of the smallest is skipped', () => {
    const chooser = new RungChooser({ bits, hasSound: true, lineBits: 0 });
    chooser.misses(sound, 0);
    expect(chooser.rung).toBe(sound);
  });
});

test('a segment of a larger size that was begun before is given up as well', () => {
  const chooser = new RungChooser({ bits, hasSound: true, lineBits: 4_000_000 });
  expect(chooser.rung).toBe(source);
  const part = { rung: source, durationMs: 200, bytes: 65_000, waitedMs: 60 };
  chooser.loaded({ ...part, nowMs: 0, tookMs: 600 });
  chooser.next({ nowMs: 0, aheadMs: 300, isListed: true });
  expect(chooser.rung).toBe(small);
  const come = { bytes: 20_000, totalBytes: 65_000, tookMs: 600, placeMs: 400, aheadMs: 100 };
  expect(chooser.loading({ ...part, nowMs: 700, ...come })).toBe(true);
  expect(chooser.rung).toBe(sound);
});

test('what is easy to encode is loaded over a line that seemed too slow for it', () => {
  const chooser = new RungChooser({ bits, hasSound: true, lineBits: 700_000 });
  expect(chooser.rung).toBe(small);
  // Sound with slides: less than was listed.
  const load = { rung: small, durationMs: 2_000, bytes: 45_000, waitedMs: 60, tookMs: 1_200 };
  for (let nowMs = 0; nowMs < 20_000; nowMs += 2_000) {
    chooser.loaded({ ...load, nowMs });
    chooser.next({ nowMs, aheadMs: 2_000, isListed: true });
  }
  expect(chooser.rung).toBe(small);
});

test('a viewer who leaves the choice to the line again goes on with what is there', () => {
  const chooser = new RungChooser({ bits, hasSound: true, lineBits: 3_000_000 });
  chooser.goOnFrom(small);
  expect(chooser.rung).toBe(small);
});
