// The audit log in the database: rows written with what they tell of, read page by page, swept.
import type { Target, TargetKind } from '../../base/api/audited.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import {
  type AnyOperation,
  type Condition,
  ending,
  type Operation,
  read,
  type Sql,
  type Value,
  where,
  write,
} from '../../base/db/sql.ts';
import { folded } from '../../base/db/title-search.ts';
import { ofAccount, ofNamed, ofNetwork } from '../../base/db/whose.ts';
import { auditLimits } from './audit-limits.ts';
import type { AuditNote, AuditVia, Who } from './audit-note.ts';
import { type AuditGroup, refusedSignIn } from './audit-operations.ts';

export interface AuditRow {
  id: number;
  account_id: number;
  at: number;
  via: AuditVia;
  person_id: number;
  token_id: number;
  who_name: string;
  manager_id: number;
  manager_username: string;
  operation: string;
  op_group: AuditGroup;
  target_kind: TargetKind | '';
  target_id: number;
  target_name: string;
  of_channel: number;
  /** As JSON: a list of names. */
  fields: string;
  /** As JSON: values by name. */
  told: string;
  address: string;
  times: number;
}

/** An operation of the store, with the note that goes into its transaction. */
export interface NotedCall {
  name: string;
  input: unknown;
  /** Of that operation with this input. */
  whose: string;
  /** An `AuditNote` as JSON: what goes to a worker is copied, a text in a fifth of the time. */
  note: string;
}

export interface NotedOutcome {
  output: unknown;
  isWritten: boolean;
  /** What is to be written. */
  row?: readonly Value[] | undefined;
}

/**
 * Runs another operation and writes its row in the same transaction: either both are there or neither, and it costs a
 * statement, not a commit. `operations` are those it finds by name.
 */
export function notedOperation(
  operations: readonly AnyOperation[],
): Operation<NotedCall, NotedOutcome> {
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const run = async (sql: Sql, call: NotedCall): Promise<NotedOutcome> => {
    const { name, input } = call;
    const operation = byName.get(name) as Operation<unknown, unknown> | undefined;
    if (!operation) throw new Error(`no operation is named ${name}`);
    const note: AuditNote = JSON.parse(call.note);
    const { tells } = operation;
    const target = note.target ?? tells?.of?.(input);
    const before = target && (await lookAt(sql, target));
    const output = await operation.run(sql, input);
    if (tells?.changed?.(output) === false) return { output, isWritten: false };
    const made = tells?.made?.(output, input);
    const row = rowOf({
      note: { ...note, told: { ...note.told, ...tells?.told?.(output, input) } },
      target: made ?? (target && { ...target, name: before?.name ?? '' }),
      who: note.who ?? (await personNamed(sql, tells?.person?.(output, input))),
      account_id: note.account_id ?? accountIn(input) ?? before?.account_id,
      of_channel: note.of_channel || (made ? channelOf(made) : (before?.channel_id ?? 0)),
    });
    return { output, row, isWritten: row !== undefined };
  };
  return ending(
    write('audit.noted', ({ whose }: NotedCall) => whose, run),
    async (sql, { row, ...outcome }) => {
      if (row) await sql.run(insertRow, row);
      return outcome;
    },
  );
}

/** For what wrote nothing by an operation of the store: its row is a transaction of its own. */
export const addNote = write('audit.add', ofNamed, async (sql, note: AuditNote) => {
  const { target, who, account_id } = note;
  const before = target && (await lookAt(sql, target));
  const row = rowOf({
    note,
    target: target && { ...target, name: before?.name ?? '' },
    who,
    account_id: account_id ?? before?.account_id,
    of_channel: note.of_channel || (before?.channel_id ?? 0),
  });
  if (row) await sql.run(insertRow, row);
});

/** The account that an operation names in its input, as nearly all do that a command performs. */
function accountIn(input: unknown): number | undefined {
  const { account_id, owner } = (input ?? {}) as {
    account_id?: unknown;
    owner?: { account_id?: unknown };
  };
  const named = account_id ?? owner?.account_id;
  return typeof named === 'number' ? named : undefined;
}

interface LookedAt {
  account_id: number;
  name: string;
  channel_id: number;
}

/** What there is of a target: whose it is, its name, the channel it belongs to. Of a session there is no name. */
const looks: Record<TargetKind, string | undefined> = {
  account: 'SELECT id AS account_id, name, 0 AS channel_id FROM accounts WHERE id = $1',
  channel: 'SELECT account_id, name, id AS channel_id FROM channels WHERE id = $1',
  video: 'SELECT account_id, name, channel_id FROM videos WHERE id = $1',
  person: 'SELECT account_id, name, 0 AS channel_id FROM persons WHERE id = $1',
  manager: 'SELECT account_id, username AS name, 0 AS channel_id FROM managers WHERE id = $1',
  token: 'SELECT account_id, name, 0 AS channel_id FROM tokens WHERE id = $1',
  job: `SELECT v.account_id, v.name, v.channel_id FROM jobs j JOIN videos v ON v.id = j.video_id
    WHERE j.id = $1`,
  invitation: 'SELECT account_id, name, 0 AS channel_id FROM console_links WHERE id = $1',
  webhook: 'SELECT account_id, description AS name, 0 AS channel_id FROM webhooks WHERE id = $1',
  session: undefined,
};

async function lookAt(sql: Sql, { kind, id }: Target): Promise<LookedAt | undefined> {
  const text = looks[kind];
  return text === undefined ? undefined : await sql.one<LookedAt>(text, [id]);
}

function channelOf({ kind, id }: Target): number {
  return kind === 'channel' ? id : 0;
}

interface PersonWho extends Who {
  account_id: number;
}

async function personNamed(
  sql: Sql,
  person_id: number | undefined,
): Promise<PersonWho | undefined> {
  if (person_id === undefined) return undefined;
  return await sql.one<PersonWho>(
    `SELECT p.account_id, p.id AS person_id, 0 AS token_id, p.name, p.manager_id,
       COALESCE(m.username, '') AS manager_username
     FROM persons p LEFT JOIN managers m ON m.id = p.manager_id WHERE p.id = $1`,
    [person_id],
  );
}

interface NewRow {
  note: AuditNote;
  target: (Target & { name: string }) | undefined;
  who: Who | PersonWho | undefined;
  account_id: number | undefined;
  of_channel: number;
}

const insertRow = `INSERT INTO audit_log (account_id, at, via, person_id, token_id, who_name, manager_id,
    manager_username, operation, op_group, target_kind, target_id, target_name, of_channel, fields, told, address,
    folded, times)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, 1)`;

/** None where nobody knows whose it would be: a stranger's. A command's that is no account's is the service's. */
function rowOf({
  note,
  target,
  who,
  account_id,
  of_channel,
}: NewRow): readonly Value[] | undefined {
  const named = who && 'account_id' in who ? who.account_id : account_id;
  if (named === undefined && note.via !== 'command') return undefined;
  const told = Object.values(note.told);
  const searched = [target?.name ?? '', who?.name ?? '', who?.manager_username ?? '', ...told];
  return [
    named ?? 0,
    note.at,
    note.via,
    who?.person_id ?? 0,
    who?.token_id ?? 0,
    who?.name ?? '',
    who?.manager_id ?? 0,
    who?.manager_username ?? '',
    note.operation,
    note.group,
    target?.kind ?? '',
    target?.id ?? 0,
    target?.name ?? '',
    of_channel,
    JSON.stringify(note.fields),
    JSON.stringify(note.told),
    note.address,
    folded([...searched, note.address].join(' ')),
  ];
}

export interface RefusedSignIn {
  person_id: number;
  address: string;
  at: number;
}

/** Strangers bring these about, so tries within an hour share a row, and a person has a few rows an hour. */
export const noteRefusedSignIn = write(
  'audit.refused',
  ({ address }: RefusedSignIn) => ofNetwork(address),
  async (sql, { person_id, address, at }) => {
    const who = await personNamed(sql, person_id);
    if (!who) return;
    const rows = await sql.all<{ id: number; address: string }>(
      `SELECT id, address FROM audit_log WHERE account_id = $1 AND person_id = $2 AND person_id <> 0
         AND at > $3 AND operation = $4 ORDER BY at DESC, id DESC`,
      [who.account_id, person_id, at - auditLimits.refusedJoinedMs, refusedSignIn],
    );
    const isFull = rows.length >= auditLimits.refusedRowsMax;
    const joined = rows.find((row) => row.address === address) ?? (isFull ? rows[0] : undefined);
    if (joined) {
      await sql.run('UPDATE audit_log SET times = times + 1 WHERE id = $1', [joined.id]);
      return;
    }
    const note: AuditNote = {
      at,
      via: 'console',
      account_id: who.account_id,
      who,
      operation: refusedSignIn,
      group: 'sign_in',
      target: undefined,
      of_channel: 0,
      fields: [],
      told: {},
      address,
    };
    const { account_id } = who;
    const row = rowOf({ note, target: undefined, who, account_id, of_channel: 0 });
    if (row) await sql.run(insertRow, row);
  },
);

/** Where a page begins: behind this row. */
export interface AuditCursor {
  at: number;
  id: number;
}

export interface AuditQuery {
  /** 0: what is no account's, as an operator does it by a command. */
  account_id: number;
  person?: number | undefined;
  token?: number | undefined;
  channel?: number | undefined;
  group?: AuditGroup | undefined;
  since?: number | undefined;
  /** The last millisecond. */
  until?: number | undefined;
  q?: string | undefined;
  before?: AuditCursor | undefined;
  limit: number;
}

/** Some rows, the newest first, and where to go on; undefined where there are no more. */
export interface AuditPage {
  rows: AuditRow[];
  next: AuditCursor | undefined;
}

const columns = `id, account_id, at, via, person_id, token_id, who_name, manager_id, manager_username, operation,
  op_group, target_kind, target_id, target_name, of_channel, fields, told, address, times`;

/**
 * One look. An index leads to the rows of one filter in the order of their time. Where there are more filters, so many
 * rows of it are looked at and no more, however few of them fit.
 */
export const lookThrough = read(
  'audit.look',
  ofAccount,
  async (sql, query: AuditQuery): Promise<AuditPage> => {
    const { limit } = query;
    const { leading, others } = conditionsOf(sql, query);
    const end = others.length === 0 ? undefined : await endOfLook(sql, leading);
    const filter = where([...leading, end && ['(at, id) >= (?, ?)', end.at, end.id], ...others]);
    const rows = await sql.all<AuditRow>(
      `SELECT ${columns} FROM audit_log ${filter.text} ORDER BY at DESC, id DESC
       LIMIT CAST($${filter.next} AS BIGINT)`,
      [...filter.params, limit + 1],
    );
    const last = rows[limit - 1];
    if (rows.length > limit && last)
      return { rows: rows.slice(0, limit), next: { at: last.at, id: last.id } };
    return { rows, next: end };
  },
);

/** The last row of a look; undefined where there are fewer. */
async function endOfLook(
  sql: Sql,
  leading: readonly Condition[],
): Promise<AuditCursor | undefined> {
  const filter = where(leading);
  return await sql.one<AuditCursor>(
    `SELECT at, id FROM audit_log ${filter.text} ORDER BY at DESC, id DESC
     LIMIT 1 OFFSET CAST($${filter.next} AS BIGINT)`,
    [...filter.params, auditLimits.rowsPerLook - 1],
  );
}

/** The index that is walked holds the leading ones; a partial index wants its own condition in the text. */
function conditionsOf(sql: Sql, query: AuditQuery) {
  const { account_id, person, token, channel, group, since, until, before } = query;
  const q = query.q === undefined || query.q === '' ? undefined : folded(query.q);
  const some: Condition[][] = [];
  if (channel !== undefined) some.push([['of_channel = ?', channel], 'of_channel <> 0']);
  if (person !== undefined) some.push([['person_id = ?', person], 'person_id <> 0']);
  if (token !== undefined) some.push([['token_id = ?', token], 'token_id <> 0']);
  if (group !== undefined) some.push([['op_group = ?', group]]);
  const [first = [], ...more] = some;
  const leading: Condition[] = [
    ['account_id = ?', account_id],
    ...first,
    ['at >= ?', since],
    ['at <= ?', until],
    before && ['(at, id) < (?, ?)', before.at, before.id],
  ];
  const others: Condition[] = [...more.flat()];
  if (q !== undefined) others.push([dialectWords(sql.dialect).contains('folded'), q]);
  return { leading, others };
}

/** The accounts that have rows, one after the other. */
const nextAccount = 'SELECT MIN(account_id) AS account_id FROM audit_log WHERE account_id > $1';

export interface AuditSweep {
  /** The account that the last step was of; -1 to begin. */
  after: number;
  before: number;
}

/** Removes some rows from before a moment; the account to go on after, or undefined where none is left. */
export const sweepAudit = write(
  'audit.sweep',
  async (sql, { after, before }: AuditSweep): Promise<number | undefined> => {
    const found = await sql.one<{ account_id: number | null }>(nextAccount, [after]);
    const account_id = found?.account_id ?? undefined;
    if (account_id === undefined) return undefined;
    const removed = await sql.run(
      `DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE account_id = $1 AND at < $2
         ORDER BY at, id LIMIT CAST($3 AS BIGINT))`,
      [account_id, before, auditLimits.rowsPerSweep],
    );
    return removed < auditLimits.rowsPerSweep ? account_id : account_id - 1;
  },
);
