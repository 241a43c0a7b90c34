// Why somebody at the door of the links is refused: what is counted, and what it means to an operator.
import type { RefusalBook } from '../peers/refusals.ts';

export const linkRefusals = {
  words: 'It did not speak as a node does, or said more than one says',
  late: 'It did not prove in time that it is a node, or made room for a newer one',
  node: 'It asked for another node, or is one that this node dials itself',
  address: 'It dialled another address than this node gives (NODE_URL)',
  secret: 'It knows no secret of this database',
  proof: 'It could not prove that it knows the secret',
  run: 'It has the name of a node that has started anew since, or runs twice',
} as const;

export type LinkReason = keyof typeof linkRefusals;
export type LinkBook = RefusalBook<LinkReason>;
