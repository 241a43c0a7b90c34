// Bounds on what an account has of managers and tokens, each with its reason.

export const accessLimits = Object.freeze({
  // An answer lists them all.
  managersMax: 1_000,
  // Those that are not revoked: an answer lists them all.
  tokensMax: 1_000,
  // Every write makes remembered answers be made anew, so what tokens were used is written this often, all at once.
  usedEveryMs: 60_000,
  // Tokens used within that time of which it is noted; of more it is noted in a later minute.
  usedMax: 10_000,
});
