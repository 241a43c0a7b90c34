// Settings of what one page, viewer or network may say, hold and bring in.
import { type ChatBounds, chatBounds } from '../audience/chat/chat-limits.ts';
import { type PageBounds, pageBounds } from '../audience/protocol/page-limits.ts';
import { byteCount, type SettingsOf, sizeText, whole } from './setting.ts';

export const pageSettings: SettingsOf<PageBounds & ChatBounds> = {
  connectionsMax: {
    variable: 'AUDIENCE_CONNECTIONS',
    default: String(pageBounds.connectionsMax),
    sentence:
      'Pages that may be connected at once; each takes a descriptor, so the system must allow as many. One network may have half of what the others leave.',
    read: whole(1, 1_000_000),
  },
  helloWithinMs: {
    variable: 'AUDIENCE_HELLO_MS',
    default: String(pageBounds.helloWithinMs),
    sentence: 'A connection that has not said after so many milliseconds whose page it is, is cut.',
    read: whole(500, 600_000),
  },
  entriesPerNetwork: {
    variable: 'AUDIENCE_ENTRIES_PER_NETWORK',
    default: String(pageBounds.entriesPerNetwork),
    sentence:
      'Watch sessions that one network (one IPv4 address, of IPv6 one /64) may open in a minute; further pages come in a little later by themselves. Who goes on with a session, as after a reload or a restart, does not count.',
    read: whole(1, 1_000_000),
  },
  messagesPerNetwork: {
    variable: 'AUDIENCE_MESSAGES_PER_NETWORK',
    default: String(chatBounds.messagesPerNetwork),
    sentence:
      'Chat lines, new names and shares that one network may send on a channel in a minute.',
    read: whole(1, 1_000_000),
  },
  messagesPerViewer: {
    variable: 'AUDIENCE_MESSAGES_PER_VIEWER',
    default: String(chatBounds.messagesPerViewer),
    sentence:
      'Chat lines and new names that one viewer may send on a channel in a minute, a sixth of them at once.',
    read: whole(1, 1_000_000),
  },
  sessionsPerViewer: {
    variable: 'SESSIONS_PER_VIEWER',
    default: String(pageBounds.sessionsPerViewer),
    sentence:
      'Pages of a channel that one viewer may have open at once; for another the one that has been silent longest makes room.',
    read: whole(1, 1_000),
  },
  framesPerPage: {
    variable: 'AUDIENCE_FRAMES_PER_PAGE',
    default: String(pageBounds.framesPerPage),
    sentence:
      'WebSocket messages that one page may send in ten seconds; beyond it the page is cut.',
    read: whole(10, 1_000_000),
  },
  pingsPerPage: {
    variable: 'AUDIENCE_PINGS_PER_PAGE',
    default: String(pageBounds.pingsPerPage),
    sentence: 'Pings and pongs that it may send in that time.',
    read: whole(1, 1_000_000),
  },
  unheardBytesMax: {
    variable: 'AUDIENCE_WAITING_MEMORY',
    default: sizeText(pageBounds.unheardBytesMax),
    sentence:
      'Memory of what one page has said while others are heard; beyond it the page is cut, and comes back.',
    read: byteCount('10K'),
  },
  unheardBytesInAllMax: {
    variable: 'ALL_AUDIENCE_WAITING_MEMORY',
    default: sizeText(pageBounds.unheardBytesInAllMax),
    sentence: 'The same of all pages together; one network may have half of what the others leave.',
    read: byteCount('1M'),
  },
  unreadBytesMax: {
    variable: 'AUDIENCE_UNREAD_MEMORY',
    default: sizeText(pageBounds.unreadBytesMax),
    sentence:
      'Memory of what one page was told and has not read; beyond it the page is cut, and comes back.',
    read: byteCount('20K'),
  },
  goodbyesPerNetwork: {
    variable: 'AUDIENCE_GOODBYES_PER_NETWORK',
    default: String(pageBounds.goodbyesPerNetwork),
    sentence:
      'Pages of one network that are told why they are turned away, at once and as many again in 100 seconds; beyond it they are cut.',
    read: whole(1, 1_000_000),
  },
  chatWaitingMax: {
    variable: 'AUDIENCE_CHAT_WAITING',
    default: String(chatBounds.chatWaitingMax),
    sentence:
      'Chat lines of one channel that may wait to be told; one network may have half of what the others leave. Beyond it writers are asked to slow down.',
    read: whole(2, 100_000),
  },
  directPlayersMax: {
    variable: 'DIRECT_PLAYERS',
    default: String(pageBounds.directPlayersMax),
    sentence:
      'With `COUNT_DIRECT_PLAYERS`: players that are counted at once; one network may have half of what the others leave.',
    read: whole(1, 1_000_000),
  },
};
