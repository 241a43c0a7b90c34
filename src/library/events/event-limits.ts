// Bounds of events, each with its reason.

export const eventLimits = Object.freeze({
  // Rows that one step of the sweep removes: a few milliseconds of the writer.
  rowsPerSweep: 1_000,
  // Of services that share a database none knows what another has written: all who follow are served by one look.
  lookEveryMs: 1_000,
  // Events that are read at once for one who follows, of each feed: some milliseconds where they are the longest.
  rowsPerRead: 100,
  // Such reads of all who follow, in one turn where the database answers in the same: an account has half of them.
  readsAtOnce: 4,
  // A proxy between that hears nothing for longer may end the connection, and so may we (HTTP_IDLE_SECONDS).
  heartbeatMs: 15_000,
  // How long a client shall wait before it comes back: a restart takes less.
  retryMs: 3_000,
});
