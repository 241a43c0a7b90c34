// Tokens in the database: made, found by their hash, revoked.
import { managerScopes, type Plan, type Scope } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import { type Sql, write } from '../../base/db/sql.ts';
import type { Holder } from './known-holders.ts';
import { hashToken, makeToken } from './token.ts';

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
export const createToken = write('access.createToken', async (sql, order: TokenOrder) => {
  const { account_id, manager_id, name, scopes, now, expires_at } = order;
  await checkOwner(sql, order);
  const token = makeToken();
  const row = await sql.one<{ id: number }>(
    `INSERT INTO tokens (account_id, manager_id, name, hash, scopes, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
    [account_id, manager_id, name, hashToken(token), scopes.join(' '), now, expires_at],
  );
  return { id: row?.id ?? 0, token };
});

/** Whether there was such a token that was not revoked yet. */
export const revokeToken = write(
  'access.revokeToken',
  async (sql, input: { id: number; now: number }) => {
    const changed = await sql.run(
      'UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL',
      [input.id, input.now],
    );
    return changed === 1;
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

interface HolderRow {
  account_id: number;
  manager_id: number;
  scopes: string;
  expires_at: number | null;
  revoked_at: number | null;
  plan: Plan;
  auto_save_live_video: number;
}

const selectHolder = `SELECT t.account_id, t.manager_id, t.scopes, t.expires_at, t.revoked_at, a.plan,
  a.auto_save_live_video FROM tokens t JOIN accounts a ON a.id = t.account_id WHERE t.hash = $1`;

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
    expires_at: row.expires_at,
  };
}

/** What of the database decides what somebody sees of it. */
export function seenBy(row: Omit<HolderRow, 'scopes' | 'expires_at' | 'revoked_at'>): string {
  return `${row.account_id} ${row.manager_id} ${row.plan} ${row.auto_save_live_video}`;
}

async function checkOwner(sql: Sql, { account_id, manager_id, scopes }: TokenOrder): Promise<void> {
  const account = await sql.one('SELECT id FROM accounts WHERE id = $1', [account_id]);
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
