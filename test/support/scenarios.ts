// Tables of scenarios (who asks, what for: status, body) and the rows no operation of the interface makes yet.
import { expect, test } from 'bun:test';
import { creditAudience, type Entry } from '../../src/audience/records/audience-store.ts';
import { type AnyOperation, type Sql, type Store, write } from '../../src/base/db/sql.ts';
import { openCommandStore } from '../../src/base/db/store.ts';
import { folded } from '../../src/base/db/title-search.ts';
import { readConfig } from '../../src/config.ts';
import type { JobKind, JobState } from '../../src/library/jobs/job.ts';
import { countVideo, type VideoRow } from '../../src/library/videos/video-store.ts';
import type { Engine } from './engines.ts';
import { type Reply, startTestService, type TestService } from './service.ts';
import { oneSpan } from './some-show.ts';
import { enterAnew, plainVideo } from './store.ts';

/** Ids by name: `{launch}` in an address becomes the id of `launch`. */
export type Ids = Record<string, number>;

/** What a table is played on. */
export interface Stage {
  service: TestService;
  ids: Ids;
  /** Tokens by who holds them, beside `owner` (the first account's) and `nobody` (none). */
  tokens: Record<string, string>;
}

export interface Scenario {
  /** A sentence. */
  test: string;
  /** `owner` where absent. */
  who?: string;
  /** Method and address: `GET /v1/activities/{launch}`. */
  ask: string;
  /** Text goes as it is, anything else as JSON. */
  send?: object | string | ((ids: Ids) => object);
  headers?: Record<string, string>;
  /** 200 where absent. */
  status?: number;
  /** Of an error: its code, and every field it names. */
  code?: number;
  fields?: readonly string[];
  /** The answer holds at least this; arrays to the last item. */
  shows?: object | ((ids: Ids) => object);
  check?(reply: Reply, stage: Stage): void | Promise<void>;
}

/** One test for each scenario of a table. */
export function play(table: readonly Scenario[], on: () => Stage): void {
  for (const scenario of table) {
    test(scenario.test, async () => {
      await perform(scenario, on());
    });
  }
}

/** Asks what a scenario asks and judges the answer. */
export async function perform(scenario: Scenario, stage: Stage): Promise<Reply> {
  const { ids, service } = stage;
  const [method = '', path = ''] = scenario.ask.split(/ (.*)/s);
  const reply = await service.call(method, named(path, ids), {
    token: tokenOf(scenario.who ?? 'owner', stage),
    ...(scenario.send !== undefined && { body: resolved(scenario.send, ids) }),
    ...(scenario.headers && { headers: scenario.headers }),
  });
  const { status = 200, code = 0, fields = [], shows } = scenario;
  if (status >= 400) expectError(reply, { status, code, fields });
  else expect({ status: reply.status, body: reply.text }).toMatchObject({ status });
  if (shows) expect(reply.body).toMatchObject(resolved(shows, ids) as object);
  await scenario.check?.(reply, stage);
  return reply;
}

/** Every error has this shape, whatever went wrong. */
export function expectError(
  reply: Pick<Reply, 'status' | 'body' | 'headers' | 'text'>,
  wanted: { status: number; code: number; fields?: readonly string[] },
): void {
  const shown = { status: reply.status, body: reply.body ?? reply.text };
  expect(shown).toEqual({
    status: wanted.status,
    body: {
      errors: {
        code: wanted.code,
        message: expect.stringMatching(/\S/),
        fields: (wanted.fields ?? []).map((name) => ({
          name,
          message: expect.stringMatching(new RegExp(`^${name} .`)),
        })),
        request_id: reply.headers.get('x-request-id'),
      },
    },
  });
  expect(reply.headers.get('content-type')).toStartWith('application/json');
  expect(reply.headers.get('cache-control')).toBe('no-store');
}

const bodyBytesMax = 65_536;

/** What holds for the body of every operation that takes one; `good` is a body it answers 200. */
export function bodyRules(ask: string, good: Record<string, unknown>): Scenario[] {
  const json = JSON.stringify(good);
  const type = (value: string) => ({ 'content-type': value });
  const refused = { status: 400, code: 400001 };
  const notJson = { status: 415, code: 415001 };
  return [
    {
      test: 'a field it does not know is ignored and named',
      send: { ...good, nonsense: [{ deep: 1 }] },
      check: ({ headers }: Reply) => expect(headers.get('x-ignored-parameters')).toBe('nonsense'),
    },
    { test: 'a body of exactly 64 KB is read', send: json.padEnd(bodyBytesMax) },
    {
      test: 'a byte more than 64 KB is too large',
      send: json.padEnd(bodyBytesMax + 1),
      status: 413,
      code: 413001,
    },
    {
      test: 'JSON may name its charset',
      send: json,
      headers: type('Application/JSON; Charset="UTF-8"'),
    },
    { test: 'plain text is not JSON', send: json, headers: type('text/plain'), ...notJson },
    {
      test: 'a form is read like JSON',
      send: String(new URLSearchParams(good as Record<string, string>)),
      headers: type('application/x-www-form-urlencoded'),
    },
    {
      test: 'a form with a file is not JSON',
      send: 'name=a&p=1',
      headers: type('multipart/form-data; boundary=a'),
      ...notJson,
    },
    {
      test: 'JSON in another charset is refused',
      send: json,
      headers: type('application/json; charset=latin1'),
      ...notJson,
    },
    { test: 'JSON that breaks off is refused', send: json.slice(0, -1), ...refused },
    { test: 'JSON null is no object', send: 'null', ...refused },
    { test: 'a JSON number is no object', send: '3', ...refused },
    { test: 'a JSON text is no object', send: '"name"', ...refused },
    { test: 'a JSON array with something in it is no object', send: '[{}]', ...refused },
  ].map((rule) => ({ ...rule, test: `${ask}: ${rule.test}`, ask }));
}

/** One scenario for each value that a field of the body is refused with; `rest` is sent beside it. */
export function refuses(
  ask: string,
  field: string,
  values: readonly unknown[],
  rest: object = {},
): Scenario[] {
  return values.map((value) => ({
    test: `${ask}: ${field} ${brief(value)} is refused`,
    ask,
    send: { ...rest, [field]: value },
    status: 400,
    code: 400001,
    fields: [field],
  }));
}

/** The same for the fields of a query. */
export function refusesInQuery(ask: string, values: Record<string, readonly string[]>): Scenario[] {
  return Object.entries(values).flatMap(([field, ofField]) =>
    ofField.map((value) => ({
      test: `${ask}: ?${field}=${value} is refused`,
      ask: `${ask}?${field}=${value}`,
      status: 400,
      code: 400001,
      fields: [field],
    })),
  );
}

/** A method that a path does not have is told those it has. */
export function notAllowed(ask: string, allow: string): Scenario {
  return {
    test: `${ask} is not allowed, but ${allow}`,
    ask,
    status: 405,
    code: 405001,
    check: ({ headers }) => expect(headers.get('allow')).toBe(allow),
  };
}

/** A value as the name of a test shows it. */
export function brief(value: unknown): string {
  const text = [...(JSON.stringify(value) ?? 'absent')];
  return text.length > 40 ? `${text.slice(0, 24).join('')}… of ${text.length - 2}` : text.join('');
}

/** A second service on the same database: another node, or the same one after a stop. */
export function startBeside(
  engine: Engine,
  first: TestService,
  options: { settings?: Record<string, string>; now?: number } = {},
): Promise<TestService> {
  const { DATA_DIR = '', DATABASE_URL = '', ...settings } = first.settings;
  return startTestService(
    { ...engine, fresh: async () => ({ DATA_DIR, DATABASE_URL }) },
    {
      settings: { ...settings, ...options.settings },
      now: options.now ?? first.clock.now,
    },
  );
}

/** Adds videos in their order, with the totals that are kept of them; their ids. */
export function addVideos(
  service: TestService,
  videos: readonly (Partial<Omit<VideoRow, 'id'>> & { name: string })[],
): Promise<number[]> {
  return onDatabaseOf(service, async (sql) => {
    const ids: number[] = [];
    for (const video of videos) {
      const { external_id: _, ...plain } = plainVideo({ duration: 1 });
      const row = { account_id: 1, manager_id: 0, ...plain, ...video };
      const columns = { ...row, folded_name: folded(row.name) };
      const made = await sql.one<{ id: number }>(
        `INSERT INTO videos (${Object.keys(columns).join(', ')})
         VALUES (${Object.keys(columns).map((_, at) => `$${at + 1}`)}) RETURNING id`,
        Object.values(columns),
      );
      await countVideo(sql, row, 1);
      ids.push(made?.id ?? 0);
    }
    return ids;
  });
}

/** A job of a video as it may stand, of a node that is not here, so that nobody runs it. */
export async function addJob(
  service: TestService,
  job: { video_id: number; kind: JobKind; state: JobState; problem?: string },
): Promise<void> {
  const { video_id, kind, state, problem = '' } = job;
  await onDatabaseOf(service, async (sql) => {
    await sql.run('DELETE FROM jobs WHERE video_id = $1 AND kind = $2', [video_id, kind]);
    await sql.run(
      `INSERT INTO jobs (kind, awaits_mp4, video_id, account_id, node, state, tries, run_at, problem, created_at, changed_at,
         lease_until)
       VALUES ($1, 0, $2, 1, 'nowhere', $3, $4, 0, $5, 0, 0, $6)`,
      [kind, video_id, state, state === 'failed' ? 3 : 0, problem, Number.MAX_SAFE_INTEGER],
    );
  });
}

/** Shows a channel as live since a time, as a push to another service would: this one lets it be. */
export async function setLive(service: TestService, id: number, at: number): Promise<void> {
  await onDatabaseOf(service, async (sql) => {
    await sql.run(
      `UPDATE channels SET live = 1, live_node = 'another', live_seen_at = $3, last_push_stream_at = $2
       WHERE id = $1`,
      [id, at, service.clock.now],
    );
  });
}

/** A visit: who entered when, and what came of it. */
export interface Visit extends Partial<Entry> {
  viewer_id: string;
  at: number;
  watch_ms?: number;
  online_ms?: number;
  last_seen_at?: number;
}

/** Makes a channel's visits in their order; a visitor's time is the sum of their visits'. */
export async function addVisits(
  service: TestService,
  channel_id: number,
  visits: readonly Visit[],
): Promise<void> {
  const entries = visits.map(({ viewer_id, at, ...more }) => ({
    viewer_id,
    at,
    nick: more.nick ?? '',
    addr: more.addr ?? '',
    phone: more.phone ?? '',
    device: more.device ?? '',
    browser: more.browser ?? '',
    origin: more.origin ?? '',
    ip: more.ip ?? '',
  }));
  const entered = await enterAnew(service.store, channel_id, entries);
  const watched = new Map<number, number>();
  for (const [at, visit] of visits.entries()) {
    const place = entered[at];
    if (!place) throw new Error('an entry got no session');
    const { watch_ms = 0, online_ms = watch_ms, last_seen_at = visit.at + online_ms } = visit;
    const sum = (watched.get(place.visitor_seq) ?? 0) + watch_ms;
    watched.set(place.visitor_seq, sum);
    const { viewer_id } = visit;
    const { session_seq, visitor_seq, record_id, numbering } = place;
    const seen = { viewer_id, last_seen_at, credited_until: last_seen_at };
    await service.store.perform(creditAudience, {
      channel_id,
      numbering,
      sessions: [
        { seq: session_seq, record_id, watch_ms, online_ms, spans: oneSpan(watch_ms), ...seen },
      ],
      visitors: [
        {
          viewer_id,
          seq: visitor_seq,
          last_seen_at,
          // One behind the other, long ago: visits that overlap would count once.
          intervals: [{ from: 1 + sum - watch_ms, to: 1 + sum }],
          settle_until: 0,
        },
      ],
    });
  }
}

/** One for each service: to open it takes connections, and a look at all migrations. */
const stores = new WeakMap<TestService, Promise<Store>>();

/** Runs SQL that no operation of the service has, in one transaction, on a store of its own. */
export async function onDatabaseOf<T>(
  service: TestService,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const known = stores.get(service) ?? openBeside(service);
  stores.set(service, known);
  return (await (await known).perform(step, work)) as T;
}

const step = write('test.step', (sql: Sql, run: (sql: Sql) => Promise<unknown>) => run(sql));

async function openBeside(service: TestService): Promise<Store> {
  const { databaseUrl, dataDir, databaseDeadlineMs: deadlineMs } = readConfig(service.settings);
  const store = await openCommandStore({ databaseUrl, dataDir, deadlineMs, connectionsMax: 1 }, [
    step as AnyOperation,
  ]);
  service.beforeStop.push(() => store.close());
  return store;
}

function resolved(given: object | string | ((ids: Ids) => object), ids: Ids): object | string {
  return typeof given === 'function' ? (given as (ids: Ids) => object)(ids) : given;
}

function named(path: string, ids: Ids): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (ids[name] === undefined) throw new Error(`the stage has no ${name}`);
    return String(ids[name]);
  });
}

function tokenOf(who: string, { service, tokens }: Stage): string | null {
  if (who === 'owner') return service.token;
  if (who === 'nobody') return null;
  const token = tokens[who];
  if (token === undefined) throw new Error(`the stage has nobody called ${who}`);
  return token;
}
