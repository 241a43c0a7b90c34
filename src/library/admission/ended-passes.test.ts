// Passes that were ended one by one: each is named for as long as one of them could be good, and no longer.
import { expect, test } from 'bun:test';
import { openToAll } from './admission.ts';
import { admissionLimits } from './admission-limits.ts';
import { withEnded, withoutEnded } from './ended-passes.ts';

const second = 1_000;
const rule = { ...openToAll, kind: 'form', revision: 'r1', ended: [] } as const;
const none = { ...rule, ended: [] };

test('who was ended stays so until their passes have expired', () => {
  const one = withEnded(none, ['form a'], { until: 60, now: 0 });
  expect(one).toEqual({ ...none, ended: ['form a'], ended_until: { 'form a': 60 } });
  const both = withEnded(one ?? none, ['uid anna'], { until: undefined, now: 59 * second });
  expect(both?.ended).toEqual(['form a', 'uid anna']);
  const later = withEnded(both ?? none, ['code b'], { until: 900, now: 60 * second });
  expect(later).toEqual({
    ...none,
    ended: ['uid anna', 'code b'],
    ended_until: { 'code b': 900 },
  });
});

test('who may come in again is named no more', () => {
  const both = withEnded(none, ['listed a', 'listed b'], { until: 60, now: 0 }) ?? none;
  expect(withoutEnded(both, new Set(['listed a']))).toEqual({
    ...none,
    ended: ['listed b'],
    ended_until: { 'listed b': 60 },
  });
  expect(withoutEnded(both, new Set(['listed a', 'listed b']))).toEqual(none);
});

test('who is ended for good, also after they were for a while, is never forgotten', () => {
  const first = withEnded(none, ['uid anna'], { until: 60, now: 0 }) ?? none;
  const again = withEnded(first, ['uid anna'], { until: undefined, now: 0 }) ?? none;
  expect(withEnded(again, [], { until: undefined, now: 1e12 })?.ended).toEqual(['uid anna']);
});

test('there are as many as may be, and those that have expired make room', () => {
  const { endedMax } = admissionLimits;
  const many = Array.from({ length: endedMax }, (_, n) => `form ${n}`);
  const full = withEnded(none, many, { until: 60, now: 0 }) ?? none;
  expect(full.ended).toHaveLength(endedMax);
  expect(withEnded(full, ['form more'], { until: 90, now: 0 })).toBeUndefined();
  expect(withEnded(full, ['form more'], { until: 90, now: 60 * second })?.ended).toEqual([
    'form more',
  ]);
});
