// Why a page or a player is refused, cut or not heard: what is counted, and what it means to an operator.
import type { RefusalBook } from '../peers/refusals.ts';

export const pageRefusals = {
  bot: 'It is a robot, and asked for the connection of a page',
  origin: 'It is a page of another site',
  hello: 'It did not say in time whose page it is, or made room for a newer one',
  ticket: 'It showed a ticket that is forged or too old',
  banned: 'Its viewer is banned',
  gone: 'Its channel is no more',
  unavailable: 'The database did not answer, so it was told to come back',
  full: 'All places of pages are taken',
  network: 'Its network has its share of the places of pages',
  entries: 'Its network brings in viewers faster than it may',
  sessions: 'Its viewer has too many pages open; one made room',
  players: 'It is not counted: the places of direct players, or those of its network, are taken',
  flood: 'It said more than a page ever says, and was cut',
  pace: 'Its viewer writes faster than anybody reads',
  messages: 'Its network writes more on a channel than it may',
  chat: 'The places of lines that wait to be told, or those of its network, are taken',
} as const;

export type PageReason = keyof typeof pageRefusals;
export type PageBook = RefusalBook<PageReason>;
