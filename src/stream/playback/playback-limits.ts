// Every bound on those who play over HTTP in one place, each with its reason.

/** How many may wait, of which one network has its share: settings, and these are their defaults. */
export const playbackBounds = Object.freeze({
  // Players of one stream that wait for its next part; more get what there is.
  waitersMax: 20_000,
  // Places to wait for the playlist of a recording. A usual one takes some milliseconds; of the longest, a network's
  // share takes a dozen seconds.
  playlistsMax: 512,
});

export type PlaybackBounds = Readonly<Record<keyof typeof playbackBounds, number>>;

/** How it is done. */
export const playbackLimits = Object.freeze({
  // Of those who wait for a part, this share is not asked whose they are, as that costs a good part of the answer.
  unsharedWaiters: 0.05,
  // Those who wait are answered so many in a turn: an answer takes some 20 µs, and what others ask comes between.
  answersPerTurn: 250,
  // Playlists of recordings that are kept, by their size together: one of a long push takes 50 ms to make.
  playlistBytesMax: 32 * 1_048_576,
  // Answers that are read from the bucket while they are sent: each holds half a megabyte.
  bucketReadersMax: 512,
  // A player that has taken nothing for so long comes back with a range of its own.
  bucketPatienceMs: 60_000,
});
