// Why a page or a player is refused, cut or not heard: what is counted, and what it means to an operator.
import type { RefusalBook } from '../../base/peers/refusals.ts';

export const pageRefusals = {
  bot: 'It is a robot, and asked for the connection of a page',
  origin: 'It is a page of another site',
  hello:
    'It did not say in time whose page it is, or made room for a newer one (AUDIENCE_HELLO_MS)',
  ticket: 'It showed a ticket that is forged or too old',
  banned: 'Its viewer is banned',
  gone: 'Its channel is no more',
  no_pass: 'Not everybody may watch its channel, and its pass is not good, or not any more',
  unavailable: 'The database did not answer, so it was told to come back',
  full: 'All places of pages are taken (AUDIENCE_CONNECTIONS)',
  network: 'Its network has its share of the places of pages (AUDIENCE_CONNECTIONS)',
  entries: 'Its network brings in viewers faster than it may (AUDIENCE_ENTRIES_PER_NETWORK)',
  sessions: 'Its viewer has too many pages open; one made room (SESSIONS_PER_VIEWER)',
  players:
    'It is not counted: the places of direct players, or those of its network, are taken (DIRECT_PLAYERS)',
  flood:
    'It said more than a page ever says, and was cut (AUDIENCE_FRAMES_PER_PAGE, AUDIENCE_PINGS_PER_PAGE)',
  pace: 'Its viewer writes faster than anybody reads (AUDIENCE_MESSAGES_PER_VIEWER)',
  messages: 'Its network writes more on a channel than it may (AUDIENCE_MESSAGES_PER_NETWORK)',
  chat: 'The places of lines that wait to be told, or those of its network, are taken (AUDIENCE_CHAT_WAITING)',
} as const;

export type PageReason = keyof typeof pageRefusals;
export type PageBook = RefusalBook<PageReason>;
