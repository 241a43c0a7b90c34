// What nodes may say of themselves, for looking at their screen: one alone, all well, and each kind of trouble.
import type { ListedNode, NodeList } from '../../src/web/console/client/service-answers.ts';

const minuteMs = 60_000;

/** By the name of the screen. */
export function nodeAnswers(now: number): Record<string, NodeList> {
  const text = (at: number) => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
  const usual: ListedNode = {
    ...{ name: 'node-1', answers: true, version: '1.2.0', state: 'there' },
    ...{ started_at: text(now - 3_000 * minuteMs), seen_at: text(now) },
    ...{ linked: null, round_trip_ms: null, pushes: 2, viewers: 1_284 },
    channels: [
      { id: 1, name: 'Spring launch: the new collection, live' },
      { id: 2, name: '春季发布会' },
    ],
    ...{ recordings: 'bucket', spool: { waiting: 1, away: false } },
  };
  const other = (name: string, more: Partial<ListedNode> = {}): ListedNode => ({
    ...{ ...usual, name, answers: false, linked: true, round_trip_ms: 0.4 },
    ...{ pushes: 0, channels: [], viewers: 312, spool: { waiting: 0, away: false } },
    ...more,
  });
  const seen_at = text(now - 14 * minuteMs);
  const gone = { linked: false, round_trip_ms: null, viewers: null, spool: null };
  const many = Array.from({ length: 9 }, (_, at) => ({ id: at + 3, name: `Room ${at + 1}` }));
  const alone = { ...usual, recordings: 'disk' as const, spool: null };
  return {
    'nodes-alone': { several: true, nodes: [alone] },
    'nodes-well': { several: true, nodes: [usual, other('node-2'), other('node-3')] },
    'nodes-silent': {
      several: true,
      nodes: [usual, other('node-2', { ...gone, state: 'silent', seen_at })],
    },
    'nodes-draining': {
      several: true,
      nodes: [usual, other('node-2', { state: 'draining', pushes: 9, channels: many })],
    },
    'nodes-ailing': {
      several: true,
      nodes: [
        { ...usual, spool: { waiting: 4, away: false } },
        other('eu-west-1-ingest-with-a-long-name', { linked: false, round_trip_ms: null }),
        other('node-3', { pushes: 1, spool: { waiting: 64, away: false } }),
        other('node-4', { spool: { waiting: 1_480, away: true } }),
        other('node-5', { ...gone, state: 'silent', seen_at, recordings: null }),
      ],
    },
  };
}
