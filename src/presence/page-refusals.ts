// Why a page or a player is refused, cut or not heard: what an operator is told, and what is counted.
import type { RefusalBook } from '../peers/refusals.ts';

export const pageRefusals = {
  bot: 'A robot asked for the connection of a page',
  origin: 'A page of another site asked for a connection',
  hello: 'A connection did not say in time whose page it is, or made room for a newer one',
  ticket: 'A page showed a ticket that is forged or too old',
  banned: 'A banned viewer was not let in',
  gone: 'A page of a channel that is no more',
  unavailable: 'The database did not answer, so a page was told to come back',
  full: 'All places of pages are taken (AUDIENCE_CONNECTIONS)',
  network: 'A network has its share of the places of pages (AUDIENCE_CONNECTIONS)',
  entries: 'A network brings in viewers faster than it may (AUDIENCE_ENTRIES_PER_NETWORK)',
  sessions: 'A viewer has too many pages open: one makes room (SESSIONS_PER_VIEWER)',
  players: 'Direct players are not counted: their places, or those of their network, are taken',
  flood: 'A page said more than a page ever says, and was cut',
  pace: 'A viewer writes faster than anybody reads',
  messages: 'A network writes more on a channel than it may (AUDIENCE_MESSAGES_PER_NETWORK)',
  chat: 'Lines of a channel that wait to be told: their places, or those of a network, are taken',
} as const;

export type PageReason = keyof typeof pageRefusals;

export type PageBook = RefusalBook<PageReason>;
