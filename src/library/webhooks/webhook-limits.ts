// What webhooks may take: how many there are, how long is tried, how much of an answer is read and kept.

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** What an operator may set. */
export const webhookBounds = {
  /** Each gets every event that it asks for, so an account's events cost as many requests as it has webhooks. */
  perAccount: 20,
  /** Half a gigabyte of the largest events; of usual ones some megabytes. */
  pendingMax: 10_000,
  /** As long as somebody may look for what went wrong. */
  logDays: 14,
};
export type WebhookBounds = typeof webhookBounds;

export const webhookLimits = {
  /** A name looked up, connected, TLS, the request sent, the whole answer read. */
  tryMs: 15 * secondMs,
  /** Of one address, where a name has several. */
  connectMs: 5 * secondMs,
  /** Addresses of one name that are tried. */
  addressesMax: 4,
  /** Of an answer before its body. */
  headBytesMax: 16_384,
  headersMax: 100,
  /** Heads like that of 100, which may come before the one of the answer. */
  interimHeadsMax: 8,
  /** Of a body; one of which so many were read is taken as whole, as each costs more than its bytes. */
  chunksMax: 1_000,
  /** An answer of which so much was read is taken as whole. */
  answerBytesMax: 65_536,
  /** Of an answer in the log. */
  keptBodyChars: 4_096,
  keptHeaderChars: 2_048,
  /** The next try of an event or of a target, by how many have failed in a row; the last holds for all further ones. */
  backOffMs: [5 * secondMs, 15 * secondMs, minuteMs, 3 * minuteMs, 5 * minuteMs],
  /** Between two tries of a target, whatever it asks for in `Retry-After`. */
  backOffMaxMs: 5 * minuteMs,
  /** So many failed tries in a row, over all channels, and one is tried at a time. */
  failuresMax: 3,
  /** From the first try of an event on. */
  giveUpMs: 3 * dayMs,
  /** A target that has failed for so long without a single success is not tried any more. */
  disableMs: 5 * dayMs,
  /** Channels of one webhook that are sent to at once. */
  lanesMax: 4,
  /** The same of ended sessions, which have an order of their own. */
  sessionLanesMax: 2,
  /** Requests of all webhooks at once; an account has half of what the others leave. */
  placesMax: 64,
  /** Tests of an account at once; of more its callers hear at once. */
  testsAtOnce: 4,
  /** Webhooks that are worked on at once. */
  targetsMax: 2_000,
  /** Lanes of one webhook that are held in memory; the others are looked at when these are done. */
  heldLanesMax: 500,
  /** Of a webhook, by the service that works on it; another waits so long for one that was killed. */
  leaseMs: 90 * secondMs,
  /** What must be left of it before a request is begun: the request itself, and 20 s by which clocks may differ. */
  leaseLeftMs: 40 * secondMs,
  /** A webhook whose tries cannot be written down is not worked on for so long. */
  troubleMs: 15 * secondMs,
  /** Events that are looked at in one transaction. */
  spreadMax: 200,
  /** How often it is looked whether another program has written an event, or a rest is over. */
  lookEveryMs: secondMs,
  /** After a commit with events: however many there are, so often at most. */
  lookSoonMs: 20,
  /** How often it is looked how many deliveries wait and for how long. */
  standingEveryMs: 15 * secondMs,
  /** Both secrets sign for so long after a new one was made. */
  rotationMs: dayMs,
  /** Of a webhook, those that wait not counted. */
  logRowsMax: 10_000,
  /** Of these, tests: whoever asks for them fills nothing. */
  testRowsMax: 100,
  /** Deliveries of one webhook that wait to be sent again. */
  resendPendingMax: 5_000,
  /** Deliveries that one call sends again. */
  resendMax: 1_000,
  /** Rows that one step of a sweep removes. */
  sweepRows: 500,
  sweepEveryMs: hourMs,
} as const;
