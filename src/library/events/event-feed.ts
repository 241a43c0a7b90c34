// The feeds of an account's outbox: each has an order of its own, so that what comes in crowds delays nothing else.

export const feeds = { main: 0, sessions: 1 } as const;
export type Feed = (typeof feeds)[keyof typeof feeds];
export type FeedName = keyof typeof feeds;
export const feedNames = Object.keys(feeds) as [FeedName, ...FeedName[]];
export const allFeeds: readonly Feed[] = Object.values(feeds);

/** However many sessions end, nothing else waits behind them. */
export function feedOf(type: string): Feed {
  return type === 'audience.session.ended' ? feeds.sessions : feeds.main;
}

/** Ids in one event of ended sessions at most. */
export const sessionsPerEvent = 1_000;
