// Who makes room for whom.
import { expect, test } from 'bun:test';
import { type Stranger, Strangers } from './strangers.ts';

test('a network that has its share makes room itself', () => {
  const { enter, gone } = crowd(8);
  for (const name of ['b1', 'a1', 'a2', 'a3', 'a4', 'a5']) enter(name);
  expect(gone).toEqual(['a1']);
});

test('where all places are taken the oldest of who has most goes', () => {
  const { enter, gone } = crowd(4);
  for (const name of ['a1', 'a2', 'b1', 'c1', 'd1', 'e1']) enter(name);
  expect(gone).toEqual(['a1', 'a2']);
});

test('where each has one the oldest goes', () => {
  const { enter, gone } = crowd(2);
  for (const name of ['a1', 'b1', 'c1', 'd1']) enter(name);
  expect(gone).toEqual(['a1', 'b1']);
});

test('who has left takes no place, who is in keeps its own, and nobody leaves twice', () => {
  const { strangers, enter, gone } = crowd(4);
  const first = enter('a1');
  const second = enter('b1');
  strangers.enter(first);
  strangers.leave(second);
  strangers.leave(second);
  for (const name of ['b2', 'c1', 'd1', 'a2']) enter(name);
  expect(gone).toEqual(['a1']);
});

test('an allowed network may have all places', () => {
  const { enter, gone } = crowd(4, (network) => network === 'a');
  for (const name of ['a1', 'a2', 'a3', 'a4']) enter(name);
  expect(gone).toEqual([]);
  enter('b1');
  expect(gone).toEqual(['a1']);
});

/** The first letter is the network. */
function crowd(placesMax: number, isAllowed = (_: string) => false) {
  const strangers = new Strangers({ placesMax, isAllowed });
  const gone: string[] = [];
  const enter = (name: string) => {
    const stranger: Stranger = { network: name.slice(0, 1), makeRoom: () => gone.push(name) };
    strangers.enter(stranger);
    return stranger;
  };
  return { strangers, enter, gone };
}
