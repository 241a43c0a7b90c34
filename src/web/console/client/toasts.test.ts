// Short words about what was done: not too many, and the newest alone can be undone.
import { expect, test } from 'bun:test';
import { startToasts } from './toasts.ts';

const textsOf = ({ shown }: ReturnType<typeof startToasts>) => shown.value.map(({ text }) => text);

test('the latest three are shown', () => {
  const toasts = startToasts();
  for (const text of ['one', 'two', 'three', 'four']) toasts.done(text);
  expect(textsOf(toasts)).toEqual(['two', 'three', 'four']);
});

test('what can be undone takes the place of what could be', () => {
  const toasts = startToasts();
  toasts.done('renamed', () => {});
  toasts.failed('not reached');
  toasts.done('muted', () => {});
  expect(textsOf(toasts)).toEqual(['not reached', 'muted']);
});

test('one that is dismissed is gone, the others stay', () => {
  const toasts = startToasts();
  toasts.done('one');
  toasts.done('two');
  toasts.dismiss(toasts.shown.value[0]?.id ?? 0);
  expect(textsOf(toasts)).toEqual(['two']);
});
