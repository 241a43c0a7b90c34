// What is near to what was typed, and what is not.
import { expect, test } from 'bun:test';
import { editDistance, nearWord } from './near-words.ts';

test.each([
  ['', '', 0],
  ['list', 'list', 0],
  ['lsit', 'list', 1],
  ['lis', 'list', 1],
  ['lists', 'list', 1],
  ['lost', 'list', 1],
  ['chanel', 'channel', 1],
  ['kitten', 'sitting', 3],
  ['', 'abc', 3],
])('from %s to %s it is %d', (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
});

const known = ['list', 'show', 'create', 'rename', 'restore', 'delete', 'deleted', '--account'];

test.each([
  ['lsit', 'list'],
  ['crate', 'create'],
  ['rename', 'rename'],
  ['delte', 'delete'],
  ['deletd', undefined], // as near to delete as to deleted
  ['dance', undefined],
  ['xy', undefined],
  ['', undefined],
  ['--acount', '--account'],
])('of %s it is %s', (typed, near) => {
  expect(nearWord(typed, known)).toBe(near as string);
});
