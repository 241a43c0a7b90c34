// An account's channel managers, beside the interface: list, make, rename, remove.
import { get, post, put, remove } from '../../base/api/endpoint.ts';
import { ApiError } from '../../base/api/errors.ts';
import { idMax, integer, text } from '../../base/api/fields.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { Zone } from '../../base/lib/time.ts';
import * as managerStore from '../access/manager-store.ts';
import { succeeded } from '../people/person.ts';
import { managerDocs } from './manager-docs.ts';

interface Parts {
  store: Store;
  zone: Zone;
  now: () => number;
}

export function managerRoutes(parts: Parts): AnyRoute[] {
  const handlers = { listManagers, createManager, renameManager, removeManager };
  return routes({ table: managerTable, docs: managerDocs, handlers, parts });
}

const managerById = {
  params: { manager_id: integer('manager id', { min: 1, max: idMax }) },
  absent: 'noUser',
} as const;

const username = text('its name, of which an account has each once', {
  min: 1,
  max: 255,
  trim: true,
  isVisible: true,
  examples: ['anna'],
});

/** Each is answered by the function of its name. */
const managerTable = {
  listManagers: get('/manage/v1/managers', 'manage', {}),
  createManager: post('/manage/v1/managers', 'manage', {
    told: ['username'],
    body: { username },
    required: ['username'],
  }),
  renameManager: put('/manage/v1/managers/{manager_id}', 'manage', {
    told: ['username'],
    ...managerById,
    body: { username },
    required: ['username'],
  }),
  removeManager: remove('/manage/v1/managers/{manager_id}', 'manage', managerById),
};

type Handle = Handlers<typeof managerTable, typeof managerDocs, Parts>;

const listManagers: Handle['listManagers'] = async ({ caller }, parts) => {
  const rows = await managersOf(caller, parts);
  return { body: { managers: rows.map((row) => shown(row, parts)) } };
};

const createManager: Handle['createManager'] = async ({ caller, body }, parts) => {
  const { account_id } = caller;
  const order = { account_id, username: body.username, now: parts.now() };
  return one(await parts.store.perform(managerStore.createManager, order), caller, parts);
};

const renameManager: Handle['renameManager'] = async ({ caller, params, body }, parts) => {
  const { account_id } = caller;
  const { manager_id: id } = params;
  const change = { account_id, id, username: body.username };
  await parts.store.perform(managerStore.renameManager, change);
  return one(id, caller, parts);
};

const removeManager: Handle['removeManager'] = async ({ caller, params }, { store, now }) => {
  const { account_id } = caller;
  const named = { account_id, id: params.manager_id, now: now() };
  await store.perform(managerStore.removeManager, named);
  return succeeded;
};

async function managersOf(caller: { account_id: number }, { store }: Parts) {
  return await managerStore.countedManagers(store.for(ofAccount(caller)), caller.account_id);
}

async function one(id: number, caller: { account_id: number }, parts: Parts) {
  const row = (await managersOf(caller, parts)).find((manager) => manager.id === id);
  // Removed since.
  if (!row) throw new ApiError('noUser', { message: `No manager ${id}` });
  return { body: shown(row, parts) };
}

function shown(row: managerStore.CountedManager, { zone }: Parts) {
  const { id, username, channels, created_at } = row;
  return { id, username, channels, created_at: zone.dateTime(created_at) };
}
