// Every bound of chat in one place, each with its reason.
import type { Rate } from '../../base/peers/allowance.ts';

/** What viewers and networks may write: settings, and these are their defaults. */
export const chatBounds = Object.freeze({
  // Lines, names and shares on one channel, a minute: a lecture of 200 answers within a few seconds, and each a second
  // time in 40 s.
  messagesPerNetwork: 300,
  // Lines and names of one viewer on one channel, a minute: a sixth of them at once, then one in two seconds.
  messagesPerViewer: 30,
  // Lines of one channel that wait to be told: nobody reads more than this between two rounds. One network has half of
  // what the others leave; beyond it writers are asked to slow down.
  chatWaitingMax: 100,
});

export type ChatBounds = Readonly<Record<keyof typeof chatBounds, number>>;

/** Of one viewer. */
export function linesOf({ messagesPerViewer }: Pick<ChatBounds, 'messagesPerViewer'>): Rate {
  return { atOnce: Math.ceil(messagesPerViewer / 6), everyMs: 60_000 / messagesPerViewer };
}

/** How long what is said may be, and how much of it pages are told and shown. */
export const chatLimits = {
  chatCharactersMax: 500,
  nickCharactersMax: 32,
  /** Of a line that is answered pages show a line's width. */
  quoteCharactersMax: 100,
  /** Lines of a channel's host: as fast as somebody types for long, and a prepared list at once. Pages are told each. */
  hostLines: { atOnce: 20, everyMs: 1_000 },
  /** Between two lines of one viewer in a slow chat; with more a host means to close it. */
  slowSecondsMax: 600,
  /** Chat is gathered this long: one message to each page, not one for each line. */
  tellChatEveryMs: 250,
  /** Bytes of chat that a page is sent in one round of 250 ms: about the bit rate of the sound. */
  chatToldBytesMax: 4_096,
  /** What a newcomer sees of the chat. */
  messagesShownMax: 50,
  /** After a restart every page is sent this at once. Fifty lines as people write them, eight of the longest. */
  shownBytesMax: 16_384,
} as const;
