// The judge of turns: the longest stretch is found in a profile, with what ran there.
import { expect, test } from 'bun:test';
import { longestIn } from '../support/longest-stretch.ts';

const frame = (functionName: string, lineNumber: number) => ({
  functionName,
  url: 'file:///footlight/src/stream/rtmp/rtmp-connection.ts',
  lineNumber,
});
const nodes = [
  { id: 1, callFrame: frame('(root)', -1), children: [2] },
  { id: 2, callFrame: frame('receive', 9), children: [3, 4] },
  { id: 3, callFrame: frame('work', 19) },
  { id: 4, callFrame: frame('', 29) },
];

test('samples that follow each other at once are one stretch', () => {
  const samples = [3, 3, 4, 4, 4, 3, 3];
  const timeDeltas = [9_000, 1_000, 20_000, 1_000, 1_200, 1_000, 50_000];
  expect(longestIn({ nodes, samples, timeDeltas })).toEqual({
    ms: 3.2,
    stack: ['(anonymous) rtmp/rtmp-connection.ts:30', 'receive rtmp/rtmp-connection.ts:10'],
  });
});

test('where nothing ran twice in a row there is none', () => {
  expect(longestIn({ nodes, samples: [3, 4], timeDeltas: [9_000, 9_000] })).toBeUndefined();
});
