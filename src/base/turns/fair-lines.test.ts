// Lines that take turns, compared with what turns mean.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { FairLines } from './fair-lines.ts';

interface One {
  whose: string;
  name: string;
}

function lines(...names: string[]): FairLines<One> {
  const made = new FairLines<One>();
  for (const name of names) made.add({ whose: name[0] ?? '', name });
  return made;
}

test('lines take turns, and a line keeps its order', () => {
  const waiting = lines('a1', 'a2', 'a3', 'b1', 'c1', 'b2');
  const names = waiting.takeUpTo(10).map(({ name }) => name);
  expect(names).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect([waiting.size, waiting.take(), waiting.oldest]).toEqual([0, undefined, undefined]);
});

test('who may not go now keeps its turn', () => {
  const waiting = lines('a1', 'b1', 'b2');
  expect(waiting.take((whose) => whose !== 'a')?.name).toBe('b1');
  expect(waiting.take(() => false)).toBeUndefined();
  expect(waiting.takeUpTo(2).map(({ name }) => name)).toEqual(['a1', 'b2']);
});

test('lines of one group have one turn among them, and take turns in it', () => {
  const waiting = new FairLines<One>((whose) => (whose === 'z' ? 'z' : 'others'));
  for (const name of ['a1', 'a2', 'b1', 'c1', 'z1', 'z2', 'z3'])
    waiting.add({ whose: name[0] ?? '', name });
  const counted = ['others', 'z'].map((group) => waiting.waitingIn(group));
  expect([...counted, waiting.waitingOf('a'), waiting.size]).toEqual([4, 3, 2, 7]);
  expect(waiting.take((group) => group !== 'others')?.name).toBe('z1');
  const names = waiting.takeUpTo(10).map(({ name }) => name);
  expect(names).toEqual(['a1', 'z2', 'b1', 'z3', 'c1', 'a2']);
  expect([waiting.size, waiting.waitingIn('others'), waiting.has(() => true)]).toEqual([
    0,
    0,
    false,
  ]);
});

test('who comes again while it waits stays where it is, and waits once', () => {
  const lines = new FairLines<{ whose: string }>();
  const [one, other] = [{ whose: 'a' }, { whose: 'b' }];
  for (const each of [one, other, one]) lines.add(each);
  expect([lines.size, lines.waitingIn('a')]).toEqual([2, 1]);
  expect([lines.take(), lines.take(), lines.take()]).toEqual([one, other, undefined]);
});

test('who leaves is not taken, and the oldest is who came first of all', () => {
  const waiting = new FairLines<One>();
  const all = ['a1', 'a2', 'b1'].map((name) => ({ whose: name[0] ?? '', name }));
  for (const one of all) waiting.add(one);
  const [a1, a2] = all as [One, One];
  waiting.remove(a2);
  waiting.remove(a2);
  expect([waiting.size, waiting.waitingOf('a'), waiting.oldest]).toEqual([2, 1, a1]);
  waiting.remove(a1);
  expect([waiting.size, waiting.waitingOf('a'), waiting.oldest?.name]).toEqual([1, 0, 'b1']);
});

test('whoever comes waits for one of each other line at most', () => {
  const steps = fc.array(fc.option(fc.constantFrom('a', 'b', 'c', 'd')), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (given) => {
      const waiting = new FairLines<One & { number: number }>();
      /** Who was taken since the head of each line became its head. */
      const before = new Map<string, string[]>();
      let last = -1;
      const lastOf = new Map<string, number>();
      for (const whose of given) {
        if (whose !== null) {
          if (waiting.waitingOf(whose) === 0) before.set(whose, []);
          waiting.add({ whose, name: '', number: ++last });
          continue;
        }
        const taken = waiting.take();
        if (!taken) continue;
        expect(taken.number).toBeGreaterThan(lastOf.get(taken.whose) ?? -1);
        lastOf.set(taken.whose, taken.number);
        const passed = before.get(taken.whose) ?? [];
        expect(new Set(passed).size).toBe(passed.length);
        before.delete(taken.whose);
        for (const others of before.values()) others.push(taken.whose);
        if (waiting.waitingOf(taken.whose) > 0) before.set(taken.whose, []);
      }
    }),
  );
});
