// Tokens in the database: made, found by their hash, revoked.
import { holds, managerScopes, type Plan, type Scope } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import { batchStatement } from '../../base/db/batch.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { flush, type Sql, telling, write } from '../../base/db/sql.ts';
import { ofAccount, ofNamed } from '../../base/db/whose.ts';
import { accessLimits } from './access-limits.ts';
import type { Holder } from './known-holders.ts';
import { hashToken, makeToken } from './token.ts';
import { countRows } from './total-store.ts';

export interface TokenOrder {
  account_id: number;
  /** 0: the token is the account's own. */
  manager_id: number;
  name: string;
  scopes: readonly Scope[];
  now: number;
  expires_at: number | null;
}

/** Makes a token; its text is in the answer and nowhere else. */
export const createToken = telling(
  { made: ({ id }, { name }) => ({ kind: 'token', id, name }) },
  write('access.createToken', ofAccount, async (sql, order: TokenOrder) => {
    const { account_id, manager_id, name, scopes, now, expires_at } = order;
    await checkOwner(sql, order);
    const { tokensMax } = accessLimits;
    const good = 'tokens WHERE account_id = $1 AND revoked_at IS NULL';
    if ((await countRows(sql, good, [account_id])) >= tokensMax)
      throw new ApiError('noPermission', {
        message: `An account may have ${tokensMax} tokens: revoke those that nobody uses`,
      });
    const token = makeToken();
    const row = await sql.one<{ id: number }>(
      `INSERT INTO tokens (account_id, manager_id, name, hash, scopes, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
      [account_id, manager_id, name, hashToken(token), scopes.join(' '), now, expires_at],
    );
    return { id: row?.id ?? 0, token };
  }),
);

/** Whether there was such a token that was not revoked yet. */
export const revokeToken = telling(
  { of: ({ id }) => ({ kind: 'token', id }), changed: (isRevoked) => isRevoked },
  // The command line names no account.
  write('access.revokeToken', ofNamed, async (sql, input: TokenEnd) => {
    const changed = await sql.run(
      `UPDATE tokens SET revoked_at = $2
       WHERE id = $1 AND revoked_at IS NULL AND account_id = COALESCE($3, account_id)`,
      [input.id, input.now, input.account_id ?? null],
    );
    return changed === 1;
  }),
);

interface TokenEnd {
  account_id?: number;
  id: number;
  now: number;
}

export interface TokenChange {
  account_id: number;
  id: number;
  name: string | undefined;
  /** Fewer than it has, never more. */
  scopes: readonly Scope[] | undefined;
}

export const changeToken = write(
  'access.changeToken',
  ofAccount,
  async (sql, change: TokenChange) => {
    const { account_id, id, name, scopes } = change;
    const row = await sql.one<{ scopes: string }>(
      `SELECT scopes FROM tokens WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL
     ${dialectWords(sql.dialect).forUpdate}`,
      [id, account_id],
    );
    if (!row) throw new ApiError('noToken', { message: `No token ${id}` });
    const beyond = scopes?.find((scope) => !holds(row.scopes.split(' '), scope));
    if (beyond !== undefined) {
      const message = `scopes must be some of what the token holds: it does not hold ${beyond}`;
      throw new ApiError('invalid', { fields: [{ name: 'scopes', message }] });
    }
    await sql.run(
      'UPDATE tokens SET name = COALESCE($2, name), scopes = COALESCE($3, scopes) WHERE id = $1',
      [id, name ?? null, scopes?.join(' ') ?? null],
    );
  },
);

const usedToken = batchStatement(
  { id: 'int', at: 'int' },
  ({ id, at }, from) =>
    `UPDATE tokens SET last_used_at = ${at} ${from()}
     WHERE tokens.id = ${id} AND COALESCE(tokens.last_used_at, 0) < ${at}`,
);

/** That tokens were used, and when. */
export const useTokens = flush(
  'access.useTokens',
  async (sql, uses: readonly { id: number; at: number }[]) => {
    await usedToken.run(sql, uses);
  },
);

export interface TokenRow {
  id: number;
  account_id: number;
  manager_id: number;
  name: string;
  scopes: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

export async function listTokens(sql: Sql): Promise<TokenRow[]> {
  return await sql.all<TokenRow>(
    `SELECT id, account_id, manager_id, name, scopes, created_at, expires_at, revoked_at
     FROM tokens ORDER BY id`,
  );
}

/** A token as its account is shown it. */
export interface ShownToken {
  id: number;
  manager_id: number;
  manager_username: string | null;
  name: string;
  scopes: string;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
}

/** Those of an account that are not revoked, the newest first, or the one of an id. */
export async function accountTokens(
  sql: Sql,
  { account_id, id }: { account_id: number; id?: number },
): Promise<ShownToken[]> {
  return await sql.all<ShownToken>(
    `SELECT t.id, t.manager_id, m.username AS manager_username, t.name, t.scopes, t.created_at, t.expires_at,
       t.last_used_at FROM tokens t LEFT JOIN managers m ON m.id = t.manager_id
     WHERE t.account_id = $1 AND t.revoked_at IS NULL AND t.id = COALESCE($2, t.id) ORDER BY t.id DESC`,
    [account_id, id ?? null],
  );
}

interface HolderRow {
  id: number;
  account_id: number;
  manager_id: number;
  scopes: string;
  expires_at: number | null;
  revoked_at: number | null;
  plan: Plan;
  auto_save_live_video: number;
  name: string;
  manager_username: string | null;
}

const selectHolder = `SELECT t.id, t.account_id, t.manager_id, t.scopes, t.expires_at, t.revoked_at, t.name, a.plan,
  a.auto_save_live_video, m.username AS manager_username FROM tokens t JOIN accounts a ON a.id = t.account_id
  LEFT JOIN managers m ON m.id = t.manager_id WHERE t.hash = $1`;

/** The holder of a token, or why it is none. */
export async function findBearer(sql: Sql, token: string, now: number): Promise<Holder | string> {
  const row = await sql.one<HolderRow>(selectHolder, [hashToken(token)]);
  if (!row) return 'The token is not known';
  if (row.revoked_at !== null) return 'The token was revoked';
  if (row.expires_at !== null && row.expires_at <= now) return 'The token has expired';
  return {
    account_id: row.account_id,
    manager_id: row.manager_id,
    plan: row.plan,
    auto_save_live_video: row.auto_save_live_video === 1,
    sees: seenBy(row),
    scopes: row.scopes.split(' '),
    session: undefined,
    token_id: row.id,
    name: row.name,
    manager_username: row.manager_username ?? '',
    expires_at: row.expires_at,
  };
}

/** What of the database decides what somebody sees of it. */
export function seenBy(
  row: Pick<HolderRow, 'account_id' | 'manager_id' | 'plan' | 'auto_save_live_video'>,
): string {
  return `${row.account_id} ${row.manager_id} ${row.plan} ${row.auto_save_live_video}`;
}

async function checkOwner(sql: Sql, { account_id, manager_id, scopes }: TokenOrder): Promise<void> {
  const account = await sql.one(
    `SELECT id FROM accounts WHERE id = $1 ${dialectWords(sql.dialect).forUpdate}`,
    [account_id],
  );
  if (!account) throw new ApiError('noUser', { message: `No account ${account_id}` });
  if (manager_id === 0) return;
  const manager = await sql.one('SELECT id FROM managers WHERE id = $1 AND account_id = $2', [
    manager_id,
    account_id,
  ]);
  if (!manager)
    throw new ApiError('noUser', { message: `No manager ${manager_id} in account ${account_id}` });
  const beyond = scopes.find((scope) => !managerScopes.includes(scope));
  if (beyond !== undefined) {
    throw new ApiError('noPermission', {
      message: `A manager's token cannot hold the scope ${beyond}`,
    });
  }
}
