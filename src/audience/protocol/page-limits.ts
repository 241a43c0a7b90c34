// Every bound of a page's connection in one place, each with its reason; those of chat stand in chat/chat-limits.ts.
import type { Rate } from '../../base/peers/allowance.ts';

/** What one page, viewer or network may say, hold or bring in: settings, and these are their defaults. */
export const pageBounds = Object.freeze({
  // Each takes a descriptor and about 2 KB. One network has half of what the others leave.
  connectionsMax: 20_000,
  // A page says whose it is as soon as it is connected; a connection that does not is no page's.
  helloWithinMs: 5_000,
  // New sessions, a minute. A school of 2,000 pupils who open the page within three minutes is all in after these
  // three: 600 at once, then ten a second. A page that goes on with a session is not new, so after a restart all are back
  // at once. A page beyond the bound is told to come again, and comes again by itself.
  entriesPerNetwork: 600,
  // Pages of one viewer on one channel at once, with those that have just closed: all have a record of their own.
  sessionsPerViewer: 10,
  // Messages of one page in ten seconds: reports, chat and a nervous finger on the pause button together.
  framesPerPage: 30,
  // Pings and pongs in that time. Browsers send none; 200,000 of them in one write took 60 ms.
  pingsPerPage: 100,
  // Bytes of one page that wait to be heard: eight of its longest messages. A page that is well has one or two waiting.
  unheardBytesMax: 65_536,
  // And all pages together: every page's last report after we were held up. One network may have half of what the
  // others leave.
  unheardBytesInAllMax: 67_108_864,
  // Bytes that wait for a page that takes nothing; beyond it the page is cut, and they go with it.
  unreadBytesMax: 65_536,
  // Connections of one network that are told why they are closed, and as many again in 100 s. Bun waits for the other
  // side to close too, some ten seconds where it does not, and meanwhile they hold a descriptor that nobody counts;
  // beyond these they are cut. A school whose pupils are asked to come back a little later still hears it.
  goodbyesPerNetwork: 2_000,
  // Each takes about 2 KB, and at least one request in 30 seconds; more than one machine's uplink serves. Shared by
  // network.
  directPlayersMax: 20_000,
});

export type PageBounds = Readonly<Record<keyof typeof pageBounds, number>>;

/** So many in a minute: at once, or one after the other. */
export function perMinute(count: number): Rate {
  return { atOnce: count, everyMs: 60_000 / count };
}

/** Of one network. */
export function goodbyesOf({ goodbyesPerNetwork }: Pick<PageBounds, 'goodbyesPerNetwork'>): Rate {
  return { atOnce: goodbyesPerNetwork, everyMs: 100_000 / goodbyesPerNetwork };
}

/** How it is done: how often, how long, how much at once. */
export const presenceLimits = {
  /** Pages are heard for so long in one turn of the event loop, some thousand reports; the rest waits for the next. */
  turnMs: 5,
  /** How often a page reports while nothing changes. */
  beatMs: 10_000,
  /** A reload, a change of network or our own restart takes less. */
  resumeWithinMs: 30_000,
  /**
   * What was flushed longer ago is settled. A report reaches back 15 s; what a page says again to another node, after its
   * own was killed, `saidAgainMs`.
   */
  settledAfterMs: 120_000,
  /** What a page has said in so long it says again when it comes back: since the last flush, and how long it may be away. */
  saidAgainMs: 90_000,
  /** By so much the clocks of services on one database may differ. A row that is further ahead was written by a clock that was set back since. */
  clocksApartMs: 1_000,
  /** A sweep that comes later than this was held up with everything else: first the messages that wait are read. */
  sweepLateMs: 5_000,

  /** The longest message is a chat text, written in escapes. */
  messageBytesMax: 4_096,
  /** For how long a page's messages, pings and pongs are counted. */
  countedMs: 10_000,

  /** Bun ends a connection after it: longer than a silence, so only those that do not even close meet it. */
  idleSeconds: 60,

  /** Sessions that are written in one transaction. A caller's write waits for one such transaction at most. */
  entriesAtOnceMax: 1_000,

  /** Of one viewer: a second share in this time is the first one tried twice. */
  shares: { atOnce: 1, everyMs: 5_000 },

  /** The viewer count is told at most this often. */
  tellEveryMs: 2_000,
  /** So often it is looked at what others changed: commands, and nodes whose word was lost. */
  lookEveryMs: 2_000,
  sweepEveryMs: 1_000,
  flushEveryMs: 2_000,
  /**
   * A flush is followed by a rest of so many times what it took, so that a database that is behind gets fewer rows: a
   * session that beats six times meanwhile is one row.
   */
  flushRest: 4,
  /** But no longer than this: what a page says again after a kill must reach back to the last flush. */
  flushEveryMsMax: 60_000,
  /** Which sessions are over is told so often at most: of a crowd that leaves many in one event. */
  endsEveryMs: 5_000,
  /**
   * Pages of a node that is about to go leave it within so long, a part of them each time: those that they go to let in
   * some thousands a second.
   */
  movesMs: 1_500,
  moveEveryMs: 75,
  /** So many changed rows are not kept waiting. */
  dirtyRowsMax: 5_000,
  /** A channel's stage is remembered this long after a push, so that pages that come back learn of the video. */
  stageKeptMs: 600_000,
} as const;

/** How often presence, and a page of its, does what it does by the clock. */
export type RoundTimes = Record<
  | 'beatMs'
  | 'tellChatEveryMs'
  | 'tellEveryMs'
  | 'lookEveryMs'
  | 'sweepEveryMs'
  | 'flushEveryMs'
  | 'endsEveryMs',
  number
>;
