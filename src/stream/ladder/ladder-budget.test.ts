// The processors' share of ladders: bounded for all, fair between accounts, given back once.
import { expect, test } from 'bun:test';
import { LadderBudget, type LadderCores } from './ladder-budget.ts';

test('the first ladder of an account may have what is left, the next half of what others leave', () => {
  const budget = new LadderBudget(2);
  expect(taken(budget.take(1, 1.2))).toBe(1.2);
  expect(budget.take(1, 0.3)).toBe('share');
  expect(taken(budget.take(2, 0.4))).toBe(0.4);
  expect(budget.take(2, 0.1)).toBe('share');
  expect(budget.take(3, 0.5)).toBe('full');
  expect(taken(budget.take(3, 0.4))).toBe(0.4);
  expect(budget.takenCores).toBe(2);
});

test('what is given back is there for the next, and counts once', () => {
  const budget = new LadderBudget(1);
  const first = budget.take(1, 0.7) as LadderCores;
  expect(budget.take(2, 0.7)).toBe('full');
  first.release();
  first.release();
  expect(budget.takenCores).toBe(0);
  expect(taken(budget.take(2, 0.7))).toBe(0.7);
});

function taken(answer: ReturnType<LadderBudget['take']>): number | string {
  return typeof answer === 'string' ? answer : answer.cores;
}
