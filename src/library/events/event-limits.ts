// Bounds of events, each with its reason.

export const eventLimits = Object.freeze({
  // Rows that one step of the sweep removes: a few milliseconds of the writer.
  rowsPerSweep: 1_000,
  // Of services that share a database none knows what another has written: all who follow are served by one look.
  lookEveryMs: 1_000,
});
