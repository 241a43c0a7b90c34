// An account's tokens, beside the interface: list, make, narrow, revoke.
import { scopes } from '../../base/api/caller.ts';
import { get, post, put, remove } from '../../base/api/endpoint.ts';
import { ApiError } from '../../base/api/errors.ts';
import { choices, idMax, integer, text } from '../../base/api/fields.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { Zone } from '../../base/lib/time.ts';
import { usualScopes } from '../access/token.ts';
import * as tokenStore from '../access/token-store.ts';
import { managerView, succeeded } from '../people/person.ts';
import { tokenDocs } from './token-docs.ts';

interface Parts {
  store: Store;
  zone: Zone;
  now: () => number;
}

export function tokenRoutes(parts: Parts): AnyRoute[] {
  const handlers = { listTokens, createToken, changeToken, revokeToken };
  return routes({ table: tokenTable, docs: tokenDocs, handlers, parts });
}

const dayMs = 86_400_000;
/** A hundred years: who wants longer wants for ever. */
const daysMax = 36_500;

const tokenById = {
  params: { token_id: integer('token id', { min: 1, max: idMax }) },
  absent: 'noToken',
} as const;

const name = text('what it is for', {
  max: 255,
  trim: true,
  isVisible: true,
  examples: ['the shop'],
});

/** Each is answered by the function of its name. */
const tokenTable = {
  listTokens: get('/manage/v1/tokens', 'manage', {}),
  createToken: post('/manage/v1/tokens', 'manage', {
    told: ['name'],
    body: {
      name,
      scopes: choices('what it may do; absent: everything but `manage`', {
        of: scopes,
        examples: [['channels:read', 'audience:read']],
      }),
      manager_id: integer("whose it is to be; absent or 0: the account's own", {
        min: 0,
        max: idMax,
        cleared: 0,
      }),
      expires_in_days: integer('for how many days it is good; absent or 0: for ever', {
        min: 0,
        max: daysMax,
        cleared: 0,
      }),
    },
  }),
  changeToken: put('/manage/v1/tokens/{token_id}', 'manage', {
    told: ['name'],
    ...tokenById,
    body: {
      name,
      scopes: choices('what it may do from now on: some of what it may do now', {
        of: scopes,
        examples: [['channels:read']],
      }),
    },
  }),
  revokeToken: remove('/manage/v1/tokens/{token_id}', 'manage', tokenById),
};

type Handle = Handlers<typeof tokenTable, typeof tokenDocs, Parts>;

const listTokens: Handle['listTokens'] = async ({ caller }, parts) => {
  const { account_id } = caller;
  const rows = await tokenStore.accountTokens(parts.store.for(ofAccount(caller)), { account_id });
  return { body: { tokens: rows.map((row) => shown(row, parts)) } };
};

const createToken: Handle['createToken'] = async ({ caller, body }, parts) => {
  const { account_id } = caller;
  const { name = '', manager_id = 0, expires_in_days = 0 } = body;
  const now = parts.now();
  const expires_at = expires_in_days === 0 ? null : now + expires_in_days * dayMs;
  const order = { account_id, manager_id, name, scopes: body.scopes ?? usualScopes };
  const made = await parts.store.perform(tokenStore.createToken, { ...order, now, expires_at });
  return { body: { token: made.token, ...(await one(made.id, caller, parts)) } };
};

const changeToken: Handle['changeToken'] = async ({ caller, params, body }, parts) => {
  const { account_id } = caller;
  const { token_id: id } = params;
  const change = { account_id, id, name: body.name, scopes: body.scopes };
  await parts.store.perform(tokenStore.changeToken, change);
  return { body: await one(id, caller, parts) };
};

const revokeToken: Handle['revokeToken'] = async ({ caller, params }, { store, now }) => {
  const named = { account_id: caller.account_id, id: params.token_id, now: now() };
  if (!(await store.perform(tokenStore.revokeToken, named))) throw noToken(params.token_id);
  return succeeded;
};

async function one(id: number, caller: { account_id: number }, parts: Parts) {
  const { account_id } = caller;
  const sql = parts.store.for(ofAccount(caller));
  const [row] = await tokenStore.accountTokens(sql, { account_id, id });
  // Revoked since.
  if (!row) throw noToken(id);
  return shown(row, parts);
}

function noToken(id: number): ApiError {
  return new ApiError('noToken', { message: `No token ${id}` });
}

function shown(row: tokenStore.ShownToken, { zone }: Parts) {
  const time = (at: number | null) => (at === null ? '' : zone.dateTime(at));
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes === '' ? [] : row.scopes.split(' '),
    manager: managerView(row),
    created_at: time(row.created_at),
    expires_at: time(row.expires_at),
    last_used_at: time(row.last_used_at),
  };
}
