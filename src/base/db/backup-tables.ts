// How each table is backed up; a test holds this list against the tables that there are.

/** Its rows are taken along. */
interface Rows {
  /** How many are read at once, where rows are large. */
  atOnce?: number;
  /** A condition: rows that stay behind, as they mean something for this one database alone. */
  without?: string;
}

/** In the order in which rows can be added: those that others refer to come first. */
export const backedUp: Readonly<Record<string, Rows>> = {
  // SQLite keeps the last record id here, PostgreSQL in a sequence: `lastIds` has it.
  marks: { without: "name = 'record_id'" },
  // A restored database has not got the bucket: two would remove each other's objects.
  secrets: { without: "name = 'bucket'" },
  accounts: {},
  managers: {},
  tokens: {},
  persons: {},
  console_sessions: {},
  console_links: {},
  daily_calls: {},
  totals: {},
  idempotency_keys: {},
  allowed_networks: {},
  channels: {},
  videos: {},
  access_keys: {},
  registrations: {},
  // up to 2 MB each
  video_captions: { atOnce: 1 },
  segments: {},
  recorded_objects: {},
  recording_stints: {},
  // up to 4 MB each, and as text several times that
  images: { atOnce: 1 },
  uploads: {},
  jobs: {},
  job_turns: {},
  channel_audience: {},
  sessions: {},
  visitors: {},
  audience_block: {},
  chat_messages: {},
  chat_silences: {},
  shares: {},
  long_before: {},
  shows: {},
  // some 200 bytes a minute of a day's show
  show_figures: { atOnce: 50 },
  audit_log: {},
  event_feeds: {},
  events: {},
  webhooks: {},
  // a request and its answer, some KB each
  webhook_deliveries: { atOnce: 50 },
};

/** By table, why its rows stay behind. */
export const leftBehind: Readonly<Record<string, string>> = {
  migrations: 'whoever restores makes the tables, and says which steps are done',
  refusals: 'what a service refused in its last minutes is over',
  nodes: 'who runs now; whoever starts says so',
  pushes: 'who is published to now; nobody is when a restored service starts',
};
