import { expect, test } from 'bun:test';
import type { SearchIndex } from '../search-entry.ts';
import { findIn } from './docs-finding.ts';

const index: SearchIndex = {
  pages: ['/docs', '/docs/channels', '/docs/errors'],
  entries: [
    ['field', 'name', 1, 'createChannel.name', 'createChannel: channel name'],
    ['operation', 'Create a channel', 1, 'createChannel', 'POST /v1/activities'],
    ['error', '404002 No such channel', 2, '404002', 'The channel does not exist'],
    ['guide', 'Your first show', 0, '', 'a channel (with chat)', 'quick start'],
  ],
};
const found = (typed: string) => findIn(index, typed).entries.map(({ address }) => address);

test('what has the word as its name comes first, and operations before fields', () => {
  expect(found('name')[0]).toBe('/docs/channels#createChannel.name');
  expect(found('channel')[0]).toBe('/docs/channels#createChannel');
  expect(found('404002')).toEqual(['/docs/errors#404002']);
  expect(found('show')).toEqual(['/docs']);
});

test('what others call it is found, and not shown', () => {
  const { entries, isWhole } = findIn(index, 'quick sta');
  expect(entries.map(({ title, words }) => [title, words])).toEqual([
    ['Your first show', 'a channel (with chat)'],
  ]);
  expect(isWhole).toBeTrue();
});

test('where nothing has every word, what has most of them is there and told apart', () => {
  expect(found('create channel frobnicate')).toEqual([
    '/docs/channels#createChannel',
    '/docs/channels#createChannel.name',
  ]);
  expect(findIn(index, 'create channel frobnicate').isWhole).toBeFalse();
  expect(findIn(index, 'create channel').isWhole).toBeTrue();
  expect(found('frobnicate')).toEqual([]);
});

test('words may come in whatever order, and none is a pattern', () => {
  expect(found('activities post')).toEqual(['/docs/channels#createChannel']);
  expect(found('(with')).toEqual(['/docs']);
  expect(found('.*')).toEqual([]);
  expect(found('   ')).toEqual([]);
});
