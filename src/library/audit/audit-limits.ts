// Bounds of the audit log, each with its reason.

export const auditLimits = Object.freeze({
  // Rows of refused sign-ins that one person gets in an hour, by address; what comes beyond counts in the newest of
  // them. Whoever guesses from a thousand addresses makes 240 rows a day of a person, not one a try.
  refusedRowsMax: 10,
  refusedJoinedMs: 3_600_000,
  // Rows that are looked at in one statement where an index alone does not find those that are asked for: some
  // milliseconds, and other calls come between two of them.
  rowsPerLook: 5_000,
  // Looks of one answer: 100,000 rows. What is not found by then is the next page's.
  looksMax: 20,
  // Rows that one step of the sweep removes: a few milliseconds of the writer.
  rowsPerSweep: 1_000,
});
