// Pictures go in as they are decoded and come out as they are shown; each must find the place that a rung gives it.
import { describe, expect, test } from 'bun:test';
import { seeded } from '../../../test/support/random.ts';
import { PictureOrder } from './picture-order.ts';

interface Picture {
  dtsMs: number;
  ptsMs: number;
  isKey: boolean;
}

test('B-frames: what is shown first of a group has the first place', () => {
  const pictures = group(0, [80, 200, 120, 160]);
  const { places, lost } = run(pictures, (one) => one.ptsMs);
  expect(places).toEqual([0, 40, 80, 120]);
  expect(lost).toEqual([]);
});

test('the next group begins with the place of its key frame', () => {
  const pictures = [...group(0, [80, 200, 120, 160]), ...group(160, [240, 280])];
  const { places } = run(pictures, (one) => one.ptsMs);
  expect(places).toEqual([0, 40, 80, 120, 160, 200]);
});

test('one that cannot be decoded leaves its place empty, and the others keep theirs', () => {
  const pictures = [...group(0, [80, 200, 120, 160]), ...group(160, [240, 280])];
  const { places, lost } = run(pictures, ({ ptsMs }) => (ptsMs === 120 ? undefined : ptsMs));
  expect(places).toEqual([0, 80, 120, 160, 200]);
  expect(lost).toEqual([40]);
});

test('a group of which nothing comes out is lost with the first picture of the next', () => {
  const pictures = [...group(0, [80, 120]), ...group(80, [160, 200])];
  const { places, lost } = run(pictures, ({ ptsMs }) => (ptsMs < 160 ? undefined : ptsMs));
  expect([places, lost]).toEqual([
    [80, 120],
    [0, 40],
  ]);
});

test('what nobody has sent has no place', () => {
  const order = new PictureOrder<string>();
  order.came({ dtsMs: 0, of: 'a part' }, { ptsMs: 40, isKey: true });
  expect(order.shown(41)).toBeUndefined();
  expect(order.clear()).toEqual([{ dtsMs: 0, of: 'a part' }]);
});

describe('whatever is reordered and lost', () => {
  for (let seed = 1; seed <= 50; seed += 1)
    test(`every place is had once, in order (seed ${seed})`, () => {
      const random = seeded(seed).next;
      const pictures: Picture[] = [];
      let fromMs = 0;
      for (let groups = 0; groups < 4; groups += 1) {
        const count = 1 + Math.floor(random() * 12);
        const shownAt = Array.from({ length: count }, (_, at) => fromMs + 80 + at * 40);
        const [first = 0, ...others] = shownAt;
        others.sort(() => random() - 0.5);
        pictures.push(...group(fromMs, [first, ...others]));
        fromMs += count * 40;
      }
      const isLost = new Set(pictures.filter(() => random() < 0.2));
      const { places, lost } = run(pictures, (one) => (isLost.has(one) ? undefined : one.ptsMs));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect([...places, ...lost].toSorted((a, b) => a - b)).toEqual(
        pictures.map(({ dtsMs }) => dtsMs),
      );
      expect(lost.length).toBe(isLost.size);
    });
});

/** Decoded every 40 ms. */
function group(fromMs: number, shownAt: readonly number[]): Picture[] {
  return shownAt.map((ptsMs, at) => ({ dtsMs: fromMs + at * 40, ptsMs, isKey: at === 0 }));
}

/** All go in; then what comes out does, in the order it is shown. */
function run(pictures: readonly Picture[], out: (one: Picture) => number | undefined) {
  const order = new PictureOrder<undefined>();
  for (const { dtsMs, ptsMs, isKey } of pictures)
    order.came({ dtsMs, of: undefined }, { ptsMs, isKey });
  const places: number[] = [];
  const lost: number[] = [];
  for (const ptsMs of pictures
    .toSorted((a, b) => a.ptsMs - b.ptsMs)
    .flatMap((one) => out(one) ?? [])) {
    const found = order.shown(ptsMs);
    if (!found) throw new Error(`${ptsMs} has no place`);
    places.push(found.place.dtsMs);
    lost.push(...found.lost.map(({ dtsMs }) => dtsMs));
  }
  lost.push(...order.clear().map(({ dtsMs }) => dtsMs));
  return { places, lost };
}
