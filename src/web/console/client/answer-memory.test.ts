// The latest answers are remembered, and not more of them than somebody goes back to.
import { expect, test } from 'bun:test';
import { AnswerMemory } from './answer-memory.ts';

test('the answers asked for longest ago leave first', () => {
  const memory = new AnswerMemory();
  for (let at = 0; at < 40; at++) memory.set(`/${at}`, at);
  memory.set('/0', 'again');
  memory.set('/40', 40);
  expect(memory.get<string>('/0')).toBe('again');
  expect(memory.get<number>('/1')).toBeUndefined();
  expect(memory.get<number>('/40')).toBe(40);
});

test('nothing of one person is left for the next', () => {
  const memory = new AnswerMemory();
  memory.set('/manage/v1/me', {});
  memory.clear();
  expect(memory.get('/manage/v1/me')).toBeUndefined();
});
