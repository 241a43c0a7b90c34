// What is said of a node in one word: it is there, is about to go, or gives no sign of life.
import type { NodeRow } from './node-store.ts';

export const nodeStates = ['there', 'draining', 'silent'] as const;
export type NodeState = (typeof nodeStates)[number];

/** Who has given no sign of life for so long, by the clock of who watches, counts as gone. */
export const silentMsMax = 3_000;

export function stateOfNode(seen: { row: Pick<NodeRow, 'draining'>; silentMs: number }): NodeState {
  if (seen.silentMs >= silentMsMax) return 'silent';
  return seen.row.draining === 1 ? 'draining' : 'there';
}
