// The curve of a show's viewers: the most of each step, a bounded number of them, however long it lasts.
import { expect, test } from 'bun:test';
import { ViewerCurve } from './viewer-curve.ts';

const begin = Date.UTC(2026, 4, 4, 12);
const at = (seconds: number) => begin + seconds * 1_000;

test('each step has the most who were there in it, those who had come before too', () => {
  const curve = new ViewerCurve(begin, 2);
  curve.note(at(3), 5);
  curve.note(at(4), 1);
  curve.note(at(31), 4);
  expect(curve.until(at(39))).toEqual([5, 1, 1, 4]);
  expect(curve.until(at(40))).toEqual([5, 1, 1, 4, 4]);
  expect(curve.peak).toBe(5);
});

test('a long show has as many steps at most, and loses no peak', () => {
  const curve = new ViewerCurve(begin, 0);
  const hours = 26;
  for (let second = 0; second <= hours * 3_600; second += 2)
    curve.note(at(second), second === 40_000 ? 1_000 : second % 7);
  const steps = curve.until(at(hours * 3_600));
  expect(steps.length).toBeWithin(361, 721);
  expect(curve.stepMs).toBe(160_000);
  expect(steps.length).toBe(Math.floor((hours * 3_600_000) / curve.stepMs) + 1);
  expect(steps.indexOf(1_000)).toBe(Math.floor(40_000_000 / curve.stepMs));
  expect(curve.peak).toBe(1_000);
});

test('a clock that is set back adds no step', () => {
  const curve = new ViewerCurve(begin, 1);
  curve.note(at(25), 1);
  curve.note(at(-3_600), 9);
  expect(curve.until(at(5))).toEqual([1, 1, 9]);
});

test('who joins later knows of nobody before, and takes what another has noted', () => {
  const late = new ViewerCurve(begin, 4, at(25));
  expect(late.until(at(35))).toEqual([0, 0, 4, 4]);
  const first = new ViewerCurve(begin, 1);
  first.note(at(12), 9);
  first.note(at(13), 0);
  late.join({ ...first, steps: first.until(at(25)) });
  expect(late.until(at(45))).toEqual([1, 9, 4, 4, 4]);
  expect(late.peak).toBe(9);
});

test('steps of two lengths are joined by the longer', () => {
  const curve = new ViewerCurve(begin, 1);
  curve.note(at(29), 3);
  curve.join({ stepMs: 20_000, peak: 7, steps: [2, 0] });
  expect(curve.stepMs).toBe(20_000);
  expect(curve.until(at(39))).toEqual([2, 3]);
  expect(curve.peak).toBe(7);
});
