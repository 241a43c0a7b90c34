// A bounded map, compared with a list that is kept in order.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { RecentMap } from './recent-map.ts';

test('what has been used longest ago leaves first', () => {
  const map = new RecentMap<string, number>({ max: 2 });
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([map.peek('a'), map.peek('b'), map.peek('c')]).toEqual([1, undefined, 3]);
});

test('who only peeks does not use', () => {
  const map = new RecentMap<string, number>({ max: 2 });
  map.set('a', 1);
  map.set('b', 2);
  map.peek('a');
  map.set('c', 3);
  expect([...map.values()]).toEqual([2, 3]);
});

test('a bound may be of what values weigh, and one that is too heavy leaves nothing', () => {
  const map = new RecentMap<string, string>({ max: 5, weigh: (text) => text.length });
  map.set('a', 'xx');
  map.set('b', 'xx');
  map.set('a', 'xxx');
  expect([...map.values()]).toEqual(['xx', 'xxx']);
  map.set('c', 'x');
  expect([...map.values()]).toEqual(['xxx', 'x']);
  map.set('d', 'xxxxxx');
  expect([...map.values()]).toEqual([]);
});

test('what is old is forgotten up to the first that is not', () => {
  const map = new RecentMap<string, number>({ max: 10 });
  for (const value of [1, 2, 9, 3]) map.set(`${value}`, value);
  map.forgetWhile((value) => value < 5);
  expect([...map.values()]).toEqual([9, 3]);
});

test('it holds what a list in order of use holds', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const step = fc.tuple(
    fc.constantFrom('get', 'set', 'delete'),
    key,
    fc.integer({ min: 1, max: 8 }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const map = new RecentMap<string, number>({ max: 6, weigh: (value) => value });
      let list: [string, number][] = [];
      const sum = () => list.reduce((all, [, value]) => all + value, 0);
      for (const [what, name, value] of steps) {
        const found = list.find(([known]) => known === name);
        if (what === 'get') expect(map.get(name)).toBe(found?.[1]);
        if (what === 'set') map.set(name, value);
        if (what === 'delete') map.delete(name);
        if (what === 'get' && !found) continue;
        list = list.filter((one) => one !== found);
        if (what === 'get' && found) list.push(found);
        if (what === 'set') list.push([name, value]);
        while (sum() > 6) list.shift();
      }
      expect([...map.values()]).toEqual(list.map(([, value]) => value));
    }),
  );
});
