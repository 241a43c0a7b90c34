// What ails the nodes, worst first: codes with the node's name and numbers, which the view says in words.
import type { ListedNode } from './service-answers.ts';

export interface NodeProblem {
  code: 'silent' | 'not_linked' | 's3_away' | 's3_behind' | 'draining';
  node: ListedNode;
}

/** Segments that may wait for S3 without anything being wrong: a few of each push are on their way. */
const waitingUsual = 10;
const waitingOfPush = 5;

export function nodeProblems(nodes: readonly ListedNode[]): NodeProblem[] {
  const found = nodes.flatMap((node) => problemsOf(node).map((code) => ({ code, node })));
  return found.toSorted((a, b) => order.indexOf(a.code) - order.indexOf(b.code));
}

/** More wait for S3 than is on its way. */
export function isBehind({ spool, pushes }: Pick<ListedNode, 'spool' | 'pushes'>): boolean {
  return spool !== null && spool.waiting > waitingUsual + waitingOfPush * pushes;
}

function problemsOf(node: ListedNode): NodeProblem['code'][] {
  // Of one that is gone nothing else matters.
  if (node.state === 'silent') return ['silent'];
  const codes: NodeProblem['code'][] = [];
  if (node.linked === false) codes.push('not_linked');
  if (node.spool?.away) codes.push('s3_away');
  else if (isBehind(node)) codes.push('s3_behind');
  if (node.state === 'draining') codes.push('draining');
  return codes;
}

const order: readonly NodeProblem['code'][] = [
  'silent',
  'not_linked',
  's3_away',
  's3_behind',
  'draining',
];
