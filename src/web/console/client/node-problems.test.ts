import { expect, test } from 'bun:test';
import { nodeProblems } from './node-problems.ts';
import type { ListedNode } from './service-answers.ts';

const well: ListedNode = {
  ...{ name: 'a', answers: false, version: '1.0.0', state: 'there', started_at: '', seen_at: '' },
  ...{ linked: true, round_trip_ms: 0.4, pushes: 2, channels: [], viewers: 3 },
  ...{ recordings: 'bucket', spool: { waiting: 4, away: false } },
};

const codesOf = (...nodes: ListedNode[]) =>
  nodeProblems(nodes).map(({ code, node }) => `${code} ${node.name}`);

test('of nodes that are well nothing is said', () => {
  expect(codesOf(well, { ...well, linked: null, spool: null })).toEqual([]);
  // Each push has a few segments on their way.
  expect(codesOf({ ...well, spool: { waiting: 20, away: false } })).toEqual([]);
});

test('the worst comes first, and of a node that is gone nothing else is said', () => {
  const spool = { waiting: 21, away: false };
  expect(
    codesOf(
      { ...well, name: 'b', state: 'draining', spool },
      { ...well, name: 'c', linked: false },
      { ...well, name: 'd', spool: { ...spool, away: true } },
      { ...well, name: 'e', state: 'silent', linked: false, viewers: null, spool: null },
    ),
  ).toEqual(['silent e', 'not_linked c', 's3_away d', 's3_behind b', 'draining b']);
});
