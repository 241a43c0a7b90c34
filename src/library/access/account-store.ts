// Accounts in the database, and the first one with its token.
import { type Plan, scopes } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import { type Sql, telling, write } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { randomText } from '../../base/lib/secret.ts';
import { createToken } from './token-store.ts';
import type { Counted } from './total-store.ts';

/** In which records say where a viewer is. */
export const placeLanguages = ['en', 'zh'] as const;
export type PlaceLanguage = (typeof placeLanguages)[number];

export interface AccountRow {
  id: number;
  name: string;
  plan: Plan;
  auto_save_live_video: number;
  live_ladder: number;
  place_language: PlaceLanguage;
  created_at: number;
}

const viewerSecretBits = 256;

export const createAccount = telling(
  { made: (id, { name }) => ({ kind: 'account', id, name }) },
  write('access.createAccount', async (sql, input: { name: string; plan: Plan; now: number }) => {
    const row = await sql.one<{ id: number }>(
      `INSERT INTO accounts (name, plan, auto_save_live_video, viewer_secret, created_at)
       VALUES ($1, $2, 1, $3, $4) RETURNING id`,
      [input.name, input.plan, randomText(viewerSecretBits), input.now],
    );
    return row?.id ?? 0;
  }),
);

/** Makes account 1 where there is none yet, whoever comes first: the service or a command. */
export const createFirstAccount = telling(
  { isAside: true },
  write('access.createFirstAccount', async (sql, input: { now: number }) => {
    if (!(await isFirst(sql, 'first_account', input.now))) return;
    await createAccount.run(sql, { name: 'first', plan: 'traffic', now: input.now });
  }),
);

/** The first account's token with every scope; undefined where a token was made before. */
export const createFirstToken = telling(
  { changed: (token) => token !== undefined },
  write('access.createFirstToken', async (sql, input: { now: number }) => {
    await createFirstAccount.run(sql, input);
    if (!(await isFirst(sql, 'first_token', input.now))) return undefined;
    if (await sql.one('SELECT id FROM tokens LIMIT 1')) return undefined;
    const order = {
      account_id: 1,
      manager_id: 0,
      name: 'first',
      scopes,
      now: input.now,
      expires_at: null,
    };
    return (await createToken.run(sql, order)).token;
  }),
);

/** Whether this transaction is the first to set a mark; two nodes that start together get one yes. */
async function isFirst(sql: Sql, mark: string, now: number): Promise<boolean> {
  const set = await sql.run(
    'INSERT INTO marks (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
    [mark, now],
  );
  return set === 1;
}

export interface AccountChange {
  id: number;
  name: string | undefined;
  plan: Plan | undefined;
  auto_save_live_video: boolean | undefined;
  live_ladder?: boolean | undefined;
  place_language?: PlaceLanguage | undefined;
}

export const setAccount = telling(
  { of: ({ id }) => ({ kind: 'account', id }) },
  write(
    'access.setAccount',
    ({ id }: AccountChange) => ofAccount({ account_id: id }),
    async (sql, change: AccountChange) => {
      const { id, name, plan, auto_save_live_video, live_ladder, place_language } = change;
      const flag = (value: boolean | undefined) => (value === undefined ? null : Number(value));
      const changed = await sql.run(
        `UPDATE accounts SET name = COALESCE($2, name), plan = COALESCE($3, plan),
       auto_save_live_video = COALESCE($4, auto_save_live_video), live_ladder = COALESCE($5, live_ladder),
       place_language = COALESCE($6, place_language) WHERE id = $1`,
        [
          id,
          name ?? null,
          plan ?? null,
          flag(auto_save_live_video),
          flag(live_ladder),
          place_language ?? null,
        ],
      );
      if (changed === 0) throw new ApiError('noUser', { message: `No account ${id}` });
    },
  ),
);

/** An account with how much it has of what. */
export interface CountedAccount extends AccountRow {
  channels: number;
  videos: number;
  managers: number;
  people: number;
  tokens: number;
}

export async function countedAccount(sql: Sql, id: number): Promise<CountedAccount | undefined> {
  const kept = (kind: Counted) =>
    `COALESCE((SELECT total FROM totals WHERE account_id = a.id AND kind = '${kind}' AND part = 'account'
       AND part_id = 0), 0) AS ${kind}`;
  return await sql.one<CountedAccount>(
    `SELECT a.id, a.name, a.plan, a.auto_save_live_video, a.live_ladder, a.place_language, a.created_at,
       ${kept('channels')}, ${kept('videos')},
       (SELECT COUNT(*) FROM managers WHERE account_id = a.id) AS managers,
       (SELECT COUNT(*) FROM persons WHERE account_id = a.id) AS people,
       (SELECT COUNT(*) FROM tokens WHERE account_id = a.id AND revoked_at IS NULL) AS tokens
     FROM accounts a WHERE a.id = $1`,
    [id],
  );
}

export async function listAccounts(sql: Sql): Promise<AccountRow[]> {
  return await sql.all<AccountRow>(
    'SELECT id, name, plan, auto_save_live_video, live_ladder, place_language, created_at FROM accounts ORDER BY id',
  );
}
