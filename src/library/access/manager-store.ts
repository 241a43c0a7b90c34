// Channel managers in the database.
import { ApiError } from '../../base/api/errors.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { type Sql, telling, write } from '../../base/db/sql.ts';
import { ofAccount, ofNamed } from '../../base/db/whose.ts';
import { appendEvents } from '../events/event-store.ts';
import { accessLimits } from './access-limits.ts';
import { forgetPeople } from './forgotten-people-store.ts';
import { addToTotal, countRows } from './total-store.ts';

export interface ManagerRow {
  id: number;
  account_id: number;
  username: string;
  created_at: number;
}

export const createManager = telling(
  { made: (id, { username }) => ({ kind: 'manager', id, name: username }) },
  write(
    'access.createManager',
    ofAccount,
    async (sql, input: { account_id: number; username: string; now: number }) => {
      const account = await sql.one(
        `SELECT id FROM accounts WHERE id = $1 ${dialectWords(sql.dialect).forUpdate}`,
        [input.account_id],
      );
      if (!account) throw new ApiError('noUser', { message: `No account ${input.account_id}` });
      const { managersMax } = accessLimits;
      if (
        (await countRows(sql, 'managers WHERE account_id = $1', [input.account_id])) >= managersMax
      )
        throw new ApiError('noPermission', {
          message: `An account may have ${managersMax} managers`,
        });
      const row = await sql.one<{ id: number }>(
        `INSERT INTO managers (account_id, username, created_at) VALUES ($1, $2, $3)
       ON CONFLICT (account_id, username) DO NOTHING RETURNING id`,
        [input.account_id, input.username, input.now],
      );
      if (!row) throw taken(input.username);
      return row.id;
    },
  ),
);

/** Of an account; the command line names none. */
interface NamedManager {
  account_id?: number;
  id: number;
}

export const renameManager = telling(
  { of: ({ id }) => ({ kind: 'manager', id }) },
  write(
    'access.renameManager',
    ofNamed,
    async (sql, input: NamedManager & { username: string }) => {
      const manager = await knownManager(sql, input);
      const other = await sql.one(
        'SELECT id FROM managers WHERE account_id = $1 AND username = $2 AND id <> $3',
        [manager.account_id, input.username, input.id],
      );
      if (other) throw taken(input.username);
      await sql.run('UPDATE managers SET username = $2 WHERE id = $1', [input.id, input.username]);
    },
  ),
);

/** Its tokens end at once and its people are gone; its channels and videos stay, with manager 0. */
export const removeManager = telling(
  { of: ({ id }) => ({ kind: 'manager', id }) },
  write('access.removeManager', ofNamed, async (sql, input: NamedManager & { now: number }) => {
    const { account_id } = await knownManager(sql, input);
    await tellLeft(sql, { account_id, manager_id: input.id });
    for (const kind of ['channels', 'videos'] as const) {
      await sql.run(`UPDATE ${kind} SET manager_id = 0 WHERE account_id = $1 AND manager_id = $2`, [
        account_id,
        input.id,
      ]);
      const held = { account_id, kind, part: 'manager', part_id: input.id } as const;
      // Deleted channels and their videos change hands, too, but are in no total.
      const total = await addToTotal(sql, held, 0);
      await addToTotal(sql, held, -total);
      await addToTotal(sql, { ...held, part_id: 0 }, total);
    }
    await sql.run(
      'UPDATE tokens SET revoked_at = $2 WHERE manager_id = $1 AND revoked_at IS NULL',
      [input.id, input.now],
    );
    await forgetPeople(sql, 'manager_id', input.id);
    await sql.run('DELETE FROM managers WHERE id = $1', [input.id]);
  }),
);

/** The channels that a manager leaves behind: no more than an account may have. */
async function tellLeft(sql: Sql, held: { account_id: number; manager_id: number }): Promise<void> {
  const { account_id, manager_id } = held;
  const channels = await sql.all<{ id: number; name: string }>(
    `SELECT id, name FROM channels WHERE account_id = $1 AND manager_id = $2 AND deleted_at IS NULL
     ORDER BY id`,
    [account_id, manager_id],
  );
  appendEvents(
    sql,
    channels.map(({ id, name }) => ({
      type: 'channel.updated',
      account_id,
      manager_id: 0,
      data: { channel_id: id, name, manager_id: 0, changed: ['manager'] },
    })),
  );
}

export async function listManagers(
  sql: Sql,
  account_id: number | undefined,
): Promise<ManagerRow[]> {
  return await sql.all<ManagerRow>(
    `SELECT id, account_id, username, created_at FROM managers
     WHERE account_id = COALESCE($1, account_id) ORDER BY id`,
    [account_id ?? null],
  );
}

export interface CountedManager extends ManagerRow {
  channels: number;
}

/** With how many channels each has. */
export async function countedManagers(sql: Sql, account_id: number): Promise<CountedManager[]> {
  return await sql.all<CountedManager>(
    `SELECT m.id, m.account_id, m.username, m.created_at, COALESCE(t.total, 0) AS channels
     FROM managers m LEFT JOIN totals t ON t.account_id = m.account_id AND t.kind = 'channels'
       AND t.part = 'manager' AND t.part_id = m.id
     WHERE m.account_id = $1 ORDER BY m.username, m.id`,
    [account_id],
  );
}

async function knownManager(
  sql: Sql,
  { id, account_id }: NamedManager,
): Promise<{ account_id: number }> {
  const row = await sql.one<{ account_id: number }>(
    `SELECT account_id FROM managers WHERE id = $1 ${dialectWords(sql.dialect).forUpdate}`,
    [id],
  );
  if (!row || (account_id !== undefined && row.account_id !== account_id))
    throw new ApiError('noUser', { message: `No manager ${id}` });
  return row;
}

function taken(username: string): ApiError {
  return new ApiError('invalid', {
    fields: [{ name: 'username', message: `username ${JSON.stringify(username)} is taken` }],
  });
}
