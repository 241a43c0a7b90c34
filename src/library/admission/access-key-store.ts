// Codes and lists of who may watch, in the database.
import { ApiError } from '../../base/api/errors.ts';
import { batchStatement } from '../../base/db/batch.ts';
import { limitFrom, read, type Sql, write } from '../../base/db/sql.ts';
import { ofAccount, ofChannel } from '../../base/db/whose.ts';
import { keyOfListed, keysOfId } from './access-code.ts';
import type { Admission, Admitted } from './admission.ts';
import { admissionLimits } from './admission-limits.ts';

/** Whose codes or list. */
export interface KeyPlace {
  channel_id: number;
  thing: Admitted;
}

export function placeOf({ channel_id, setBy }: Admission): KeyPlace {
  return { channel_id, thing: setBy };
}

const addKey = batchStatement(
  {
    channel_id: 'int',
    key: 'text',
    thing: 'text',
    hint: 'text',
    note: 'text',
    uses_max: 'int',
    created_at: 'int',
  },
  ({ channel_id, key, thing, hint, note, uses_max, created_at }, from) =>
    `INSERT INTO access_keys (channel_id, key, thing, hint, note, uses_max, uses, created_at)
     SELECT ${channel_id}, ${key}, ${thing}, ${hint}, ${note}, ${uses_max}, 0, ${created_at} ${from()} WHERE true
     ON CONFLICT DO NOTHING`,
);

export interface NewCodes extends KeyPlace {
  codes: readonly { key: string; hint: string }[];
  note: string;
  /** 0: any number. */
  uses_max: number;
  now: number;
}

/** Part of the write that makes them. */
export async function addCodes(sql: Sql, order: NewCodes): Promise<void> {
  const { channel_id, thing, codes, note, uses_max, now: created_at } = order;
  const had = await countCodes(sql, order);
  if (had + codes.length > admissionLimits.codesMax)
    throw new ApiError('noPermission', {
      message: `There may be ${admissionLimits.codesMax} codes: take back those that nobody uses`,
    });
  const rest = { channel_id, thing, note, uses_max, created_at };
  await addKey.run(
    sql,
    codes.map(({ key, hint }) => ({ ...rest, key, hint })),
  );
}

/** Part of the write that makes a clip of a video: whom the video lets in the clip lets in, each code as if it were new. */
export async function copyKeys(
  sql: Sql,
  { channel_id, from, to }: { channel_id: number; from: Admitted; to: Admitted },
): Promise<void> {
  await sql.run(
    `INSERT INTO access_keys (channel_id, key, thing, hint, note, uses_max, uses, created_at)
     SELECT channel_id, key, $3, hint, note, uses_max, 0, created_at FROM access_keys
     WHERE channel_id = $1 AND thing = $2`,
    [channel_id, from, to],
  );
}

export interface CodeRow {
  key: string;
  hint: string;
  note: string;
  uses: number;
  uses_max: number;
  created_at: number;
}

export const listCodes = read(
  'admission.listCodes',
  ofAccount,
  async (
    sql,
    {
      channel_id,
      thing,
      limit,
      offset,
    }: KeyPlace & { account_id: number; limit: number; offset: number },
  ) => {
    const total = await countCodes(sql, { channel_id, thing });
    const rows = await sql.all<CodeRow>(
      `SELECT key, hint, note, uses, uses_max, created_at FROM access_keys
       WHERE channel_id = $1 AND thing = $2 AND key LIKE 'code %' ORDER BY created_at DESC, key ${limitFrom(3)}`,
      [channel_id, thing, limit, offset],
    );
    return { total, rows };
  },
);

async function countCodes(sql: Sql, { channel_id, thing }: KeyPlace): Promise<number> {
  const row = await sql.one<{ count: number }>(
    `SELECT COUNT(*) AS count FROM access_keys WHERE channel_id = $1 AND thing = $2 AND key LIKE 'code %'`,
    [channel_id, thing],
  );
  return Number(row?.count ?? 0);
}

/** Somebody uses it once; false where there is no such code, or it was used as often as it may be. */
export const useCode = write(
  'admission.useCode',
  ofChannel,
  async (sql, { channel_id, thing, key }: KeyPlace & { key: string }): Promise<boolean> => {
    const changed = await sql.run(
      `UPDATE access_keys SET uses = uses + 1
       WHERE channel_id = $1 AND key = $2 AND thing = $3 AND (uses_max = 0 OR uses < uses_max)`,
      [channel_id, key, thing],
    );
    return changed === 1;
  },
);

/** Part of the write that ends its passes: nobody comes in by it any more. False where there is none. */
export async function removeCode(sql: Sql, { channel_id, thing }: KeyPlace, id: string) {
  const keys = keysOfId(id);
  if (!keys) return false;
  const removed = await sql.run(
    'DELETE FROM access_keys WHERE channel_id = $1 AND key BETWEEN $2 AND $3 AND thing = $4',
    [channel_id, keys.first, keys.last, thing],
  );
  return removed > 0;
}

export async function isListed(
  sql: Sql,
  { channel_id, thing }: KeyPlace,
  entry: string,
): Promise<boolean> {
  const row = await sql.one(
    'SELECT 1 AS is_there FROM access_keys WHERE channel_id = $1 AND key = $2 AND thing = $3',
    [channel_id, keyOfListed(entry), thing],
  );
  return row !== undefined;
}

/** Part of the write that ends its passes: nobody comes in by that name any more. */
export async function removeListed(sql: Sql, { channel_id, thing }: KeyPlace, entry: string) {
  await sql.run('DELETE FROM access_keys WHERE channel_id = $1 AND key = $2 AND thing = $3', [
    channel_id,
    keyOfListed(entry),
    thing,
  ]);
}

/** As they were written, in the order of their letters. */
export async function listedOf(sql: Sql, { channel_id, thing }: KeyPlace): Promise<string[]> {
  const rows = await sql.all<{ note: string }>(
    `SELECT note FROM access_keys WHERE channel_id = $1 AND thing = $2 AND key LIKE 'listed %' ORDER BY key`,
    [channel_id, thing],
  );
  return rows.map(({ note }) => note);
}

/** Part of the write that says who may watch: the keys of those who are not on the list any more. */
export async function setListed(
  sql: Sql,
  { channel_id, thing }: KeyPlace,
  { list, now }: { list: readonly string[]; now: number },
): Promise<string[]> {
  const before = await sql.all<{ key: string }>(
    `SELECT key FROM access_keys WHERE channel_id = $1 AND thing = $2 AND key LIKE 'listed %'`,
    [channel_id, thing],
  );
  await sql.run(
    `DELETE FROM access_keys WHERE channel_id = $1 AND thing = $2 AND key LIKE 'listed %'`,
    [channel_id, thing],
  );
  const byKey = new Map(list.map((entry) => [keyOfListed(entry), entry]));
  const rest = { channel_id, thing, hint: '', uses_max: 0, created_at: now };
  await addKey.run(
    sql,
    [...byKey].map(([key, note]) => ({ ...rest, key, note })),
  );
  return before.map(({ key }) => key).filter((key) => !byKey.has(key));
}
