// Codes that let people in, beside the interface: made, and listed with how often each was used.
import type { Caller } from '../../base/api/caller.ts';
import { get, post } from '../../base/api/endpoint.ts';
import { integer, text } from '../../base/api/fields.ts';
import { envelope, pageNumber, pageSize } from '../../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { ownerOf } from '../access/owner.ts';
import { channelById } from '../channels/channel.ts';
import { videoById } from '../videos/video.ts';
import { idOfKey, keyOfCode, newCode } from './access-code.ts';
import { accessCodeDocs } from './access-code-docs.ts';
import { listCodes } from './access-key-store.ts';
import { admissionLimits } from './admission-limits.ts';
import { makeCodes } from './admission-store.ts';
import { findThing, type Thing } from './asked-thing.ts';

interface Parts {
  store: Store;
  zone: Zone;
  now: () => number;
  /** The service's own. */
  secret: string;
}

export function accessCodeRoutes(parts: Parts): AnyRoute[] {
  const handlers = { makeChannelCodes, listChannelCodes, makeVideoCodes, listVideoCodes };
  return routes({ table: accessCodeTable, docs: accessCodeDocs, handlers, parts });
}

const codesPerPage = { default: 100, max: 1_000 };
const codesQuery = { perPage: pageSize(codesPerPage), p: pageNumber };
const codesBody = {
  count: integer('how many', {
    min: 1,
    max: admissionLimits.codesAtOnceMax,
    default: 1,
    examples: [20],
  }),
  uses: integer('how often each lets somebody in; 0: as often as it is typed', {
    min: 0,
    max: 1_000_000,
    default: 1,
    examples: [1],
  }),
  note: text('what they are for', {
    max: admissionLimits.codeNoteCharactersMax,
    trim: true,
    examples: ['class of 2026'],
  }),
};

/** Each is answered by the function of its name. */
const accessCodeTable = {
  makeChannelCodes: post('/manage/v1/channels/{channel_id}/access/codes', 'channels:write', {
    ...channelById,
    body: codesBody,
  }),
  listChannelCodes: get('/manage/v1/channels/{channel_id}/access/codes', 'channels:read', {
    ...channelById,
    query: codesQuery,
  }),
  makeVideoCodes: post('/manage/v1/videos/{video_id}/access/codes', 'videos:write', {
    ...videoById,
    body: codesBody,
  }),
  listVideoCodes: get('/manage/v1/videos/{video_id}/access/codes', 'videos:read', {
    ...videoById,
    query: codesQuery,
  }),
};

type Handle = Handlers<typeof accessCodeTable, typeof accessCodeDocs, Parts>;

const makeChannelCodes: Handle['makeChannelCodes'] = async (call, parts) => {
  return await makeSome(call, parts, { kind: 'channel', id: call.params.channel_id });
};

const makeVideoCodes: Handle['makeVideoCodes'] = async (call, parts) => {
  return await makeSome(call, parts, { kind: 'video', id: call.params.video_id });
};

const listChannelCodes: Handle['listChannelCodes'] = async (call, parts) => {
  return await listSome(call, parts, { kind: 'channel', id: call.params.channel_id });
};

const listVideoCodes: Handle['listVideoCodes'] = async (call, parts) => {
  return await listSome(call, parts, { kind: 'video', id: call.params.video_id });
};

async function makeSome(
  call: { caller: Caller } & { body: { count?: number; uses?: number; note?: string } },
  { store, secret, now }: Parts,
  thing: Thing,
) {
  const { count = 1, uses: uses_max = 1, note = '' } = call.body;
  const { place } = await findThing(store, call.caller, thing);
  const made = Array.from({ length: count }, () => {
    const code = newCode();
    return { code, ...keyOfCode(secret, code) };
  });
  const codes = made.map(({ key, hint }) => ({ key, hint }));
  const order = { ...thing, ...place, owner: ownerOf(call.caller), codes, note, uses_max };
  await store.perform(makeCodes, { ...order, now: now() });
  return { body: { codes: made.map(({ id, code }) => ({ id, code })) } };
}

async function listSome(
  call: { caller: Caller } & {
    query: { p?: number; perPage?: number };
    baseUrl: string;
    target: string;
  },
  { store, zone }: Parts,
  thing: Thing,
) {
  const { p = 1, perPage = codesPerPage.default } = call.query;
  const { place } = await findThing(store, call.caller, thing);
  const { account_id } = call.caller;
  const asked = { account_id, ...place, limit: perPage, offset: (p - 1) * perPage };
  const { total, rows } = await store.perform(listCodes, asked);
  const codes = rows.map(({ key, hint, note, uses, uses_max, created_at }) => ({
    ...{ id: idOfKey(key), hint, note, uses, uses_max },
    created_at: zone.dateTime(created_at),
  }));
  return { body: { codes, ...envelope(total, { p, perPage }, call) } };
}
