// Registrations in the database: one for each viewer of a form, as it was filled in last.
import { batchStatement } from '../../base/db/batch.ts';
import { limitFrom, read, type Sql, write } from '../../base/db/sql.ts';
import { ofAccount, ofChannel } from '../../base/db/whose.ts';
import { checkStillThere } from '../channels/channel-store.ts';
import type { KeyPlace } from './access-key-store.ts';
import { admissionLimits } from './admission-limits.ts';
import type { RegistrationRow } from './registration.ts';
import type { Answers } from './registration-form.ts';

export interface NewRegistration extends KeyPlace {
  viewer_id: string;
  /** Of a viewer who has not registered yet. */
  id: string;
  names: readonly string[];
  answers: Answers;
  now: number;
}

/** The id of the viewer's registration; undefined where it was taken back. */
export const register = write(
  'admission.register',
  ofChannel,
  async (sql, order: NewRegistration): Promise<string | undefined> => {
    const { channel_id, viewer_id, thing, id, names, answers, now } = order;
    const rows = await sql.all<{ id: string }>(
      `INSERT INTO registrations (channel_id, viewer_id, thing, id, names, answers, registered_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (channel_id, viewer_id, thing) DO UPDATE
       SET names = excluded.names, answers = excluded.answers, registered_at = excluded.registered_at
       WHERE registrations.ended_at IS NULL
       RETURNING id`,
      [channel_id, viewer_id, thing, id, JSON.stringify(names), JSON.stringify(answers), now],
    );
    return rows[0]?.id;
  },
);

/** How many there are; beyond as many as there may be they are not counted. */
export async function countRegistrations(sql: Sql, place: KeyPlace): Promise<number> {
  const row = await sql.one<{ count: number }>(
    `SELECT COUNT(*) AS count FROM
     (SELECT 1 FROM registrations WHERE channel_id = $1 AND thing = $2 LIMIT CAST($3 AS BIGINT)) AS counted`,
    [place.channel_id, place.thing, admissionLimits.registrationsMax],
  );
  return Number(row?.count ?? 0);
}

/** Whose pass it is; undefined where nobody registered by it, or they were erased since. */
export async function registeredViewer(
  sql: Sql,
  { channel_id, id }: { channel_id: number; id: string },
): Promise<string | undefined> {
  const row = await sql.one<{ viewer_id: string }>(
    'SELECT viewer_id FROM registrations WHERE channel_id = $1 AND id = $2',
    [channel_id, id],
  );
  return row?.viewer_id;
}

const columns = `r.id, r.viewer_id, r.names, r.answers, r.registered_at, r.ended_at,
  COALESCE((SELECT v.visit_times FROM visitors v
    WHERE v.channel_id = r.channel_id AND v.viewer_id = r.viewer_id), 0) AS visit_times`;

type Asked = KeyPlace & { account_id: number };

/** The newest first. */
export const listRegistrations = read(
  'admission.listRegistrations',
  ofAccount,
  async (sql, asked: Asked & { limit: number; offset: number }) => {
    const { channel_id, thing, limit, offset } = asked;
    const total = await countRegistrations(sql, asked);
    const rows = await sql.all<RegistrationRow>(
      `SELECT ${columns} FROM registrations r WHERE r.channel_id = $1 AND r.thing = $2
       ORDER BY r.registered_at DESC, r.id DESC ${limitFrom(3)}`,
      [channel_id, thing, limit, offset],
    );
    return { total, rows };
  },
);

/** Where an export goes on: behind the last that it has. */
export type After = Pick<RegistrationRow, 'registered_at' | 'id'>;

/** Those that follow, the oldest first. */
export const registrationsAfter = read(
  'admission.registrationsAfter',
  ofAccount,
  async (sql, asked: Asked & { after: After; limit: number }): Promise<RegistrationRow[]> => {
    const { channel_id, thing, after, limit } = asked;
    await checkStillThere(sql, channel_id);
    return await sql.all<RegistrationRow>(
      `SELECT ${columns} FROM registrations r
       WHERE r.channel_id = $1 AND r.thing = $2 AND (r.registered_at, r.id) > ($3, $4)
       ORDER BY r.registered_at, r.id LIMIT CAST($5 AS BIGINT)`,
      [channel_id, thing, after.registered_at, after.id, limit],
    );
  },
);

/** Every field that anybody answered, of the channel or of one thing, in the order in which each form had them. */
export const answeredNames = read(
  'admission.answeredNames',
  ofAccount,
  async (
    sql,
    { channel_id, thing }: Omit<Asked, 'thing'> & { thing?: KeyPlace['thing'] | undefined },
  ): Promise<string[]> => {
    const rows = await sql.all<{ names: string }>(
      `SELECT names FROM registrations WHERE channel_id = $1 AND (thing = $2 OR $2 = '')
       GROUP BY names ORDER BY MIN(registered_at), names`,
      [channel_id, thing ?? ''],
    );
    return [...new Set(rows.flatMap(({ names }) => JSON.parse(names) as string[]))];
  },
);

/** What viewers of a channel answered, the oldest first: who has filled in several forms is there several times. */
export const answersOfViewers = batchStatement(
  { channel_id: 'int', viewer_id: 'text' },
  ({ channel_id, viewer_id }, from) => `
    SELECT registrations.viewer_id, registrations.answers, registrations.registered_at ${from('registrations')}
    WHERE registrations.channel_id = ${channel_id} AND registrations.viewer_id = ${viewer_id}`,
);

/** Part of the write that ends its passes: the same viewer does not register again. False where there is none. */
export async function endRegistration(
  sql: Sql,
  { channel_id, thing, id, now }: KeyPlace & { id: string; now: number },
): Promise<boolean> {
  const ended = await sql.run(
    `UPDATE registrations SET ended_at = COALESCE(ended_at, $4)
     WHERE channel_id = $1 AND thing = $2 AND id = $3`,
    [channel_id, thing, id, now],
  );
  return ended === 1;
}

/** The viewer's, where there is one. */
export async function registrationOfViewer(
  sql: Sql,
  { channel_id, thing, viewer_id }: KeyPlace & { viewer_id: string },
): Promise<string | undefined> {
  const row = await sql.one<{ id: string }>(
    'SELECT id FROM registrations WHERE channel_id = $1 AND viewer_id = $2 AND thing = $3',
    [channel_id, viewer_id, thing],
  );
  return row?.id;
}

/** What a viewer has filled in, by which thing's form. */
export async function registrationsOfViewer(
  sql: Sql,
  { channel_id, viewer_id }: { channel_id: number; viewer_id: string },
): Promise<{ thing: KeyPlace['thing']; id: string }[]> {
  return await sql.all(
    'SELECT thing, id FROM registrations WHERE channel_id = $1 AND viewer_id = $2',
    [channel_id, viewer_id],
  );
}
