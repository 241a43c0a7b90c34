// Who has registered for a channel or a video, beside the interface: page by page, and whole as a file.
import type { Caller } from '../../base/api/caller.ts';
import { get } from '../../base/api/endpoint.ts';
import { envelope, pageNumber, pageSize } from '../../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { channelById } from '../channels/channel.ts';
import { videoById } from '../videos/video.ts';
import { findThing, type Thing } from './asked-thing.ts';
import { registrationView } from './registration.ts';
import { registrationDocs } from './registration-docs.ts';
import { openRegistrations, type RegistrationFormat } from './registration-export.ts';
import { listRegistrations } from './registration-store.ts';

interface Parts {
  store: Store;
  zone: Zone;
}

export function registrationRoutes(parts: Parts): AnyRoute[] {
  const handlers = {
    listChannelRegistrations,
    exportChannelRegistrationsCsv: exportOfChannel('csv'),
    exportChannelRegistrationsNdjson: exportOfChannel('ndjson'),
    listVideoRegistrations,
    exportVideoRegistrationsCsv: exportOfVideo('csv'),
    exportVideoRegistrationsNdjson: exportOfVideo('ndjson'),
  };
  return routes({ table: registrationTable, docs: registrationDocs, handlers, parts });
}

const perPageDefault = 50;
const listed = { p: pageNumber, perPage: pageSize({ default: perPageDefault, max: 200 }) };
const csv = { streamed: 'text/csv', audit: 'taken' } as const;
const ndjson = { streamed: 'application/x-ndjson', audit: 'taken' } as const;

/** Each is answered by the function of its name. */
const registrationTable = {
  listChannelRegistrations: get('/manage/v1/channels/{channel_id}/registrations', 'audience:read', {
    ...channelById,
    query: listed,
  }),
  exportChannelRegistrationsCsv: get(
    '/manage/v1/channels/{channel_id}/registrations.csv',
    'audience:read',
    { ...channelById, ...csv },
  ),
  exportChannelRegistrationsNdjson: get(
    '/manage/v1/channels/{channel_id}/registrations.ndjson',
    'audience:read',
    { ...channelById, ...ndjson },
  ),
  listVideoRegistrations: get('/manage/v1/videos/{video_id}/registrations', 'audience:read', {
    ...videoById,
    query: listed,
  }),
  exportVideoRegistrationsCsv: get(
    '/manage/v1/videos/{video_id}/registrations.csv',
    'audience:read',
    { ...videoById, ...csv },
  ),
  exportVideoRegistrationsNdjson: get(
    '/manage/v1/videos/{video_id}/registrations.ndjson',
    'audience:read',
    { ...videoById, ...ndjson },
  ),
};

type Handle = Handlers<typeof registrationTable, typeof registrationDocs, Parts>;

const listChannelRegistrations: Handle['listChannelRegistrations'] = async (call, parts) => {
  return await list(call, parts, { kind: 'channel', id: call.params.channel_id });
};

const listVideoRegistrations: Handle['listVideoRegistrations'] = async (call, parts) => {
  return await list(call, parts, { kind: 'video', id: call.params.video_id });
};

function exportOfChannel(
  format: RegistrationFormat,
): Handle['exportChannelRegistrationsCsv' | 'exportChannelRegistrationsNdjson'] {
  return async ({ params, caller }, parts) =>
    await exported(parts, { caller, thing: { kind: 'channel', id: params.channel_id }, format });
}

function exportOfVideo(
  format: RegistrationFormat,
): Handle['exportVideoRegistrationsCsv' | 'exportVideoRegistrationsNdjson'] {
  return async ({ params, caller }, parts) =>
    await exported(parts, { caller, thing: { kind: 'video', id: params.video_id }, format });
}

async function list(
  call: {
    caller: Caller;
    query: { p?: number; perPage?: number };
    baseUrl: string;
    target: string;
  },
  { store, zone }: Parts,
  thing: Thing,
) {
  const { p = 1, perPage = perPageDefault } = call.query;
  const { place } = await findThing(store, call.caller, thing);
  const asked = { account_id: call.caller.account_id, ...place };
  const page = { limit: perPage, offset: (p - 1) * perPage };
  const { total, rows } = await store.perform(listRegistrations, { ...asked, ...page });
  const registrations = rows.map((row) => registrationView(row, zone));
  return { body: { registrations, ...envelope(total, { p, perPage }, call) } };
}

async function exported(
  { store, zone }: Parts,
  { caller, thing, format }: { caller: Caller; thing: Thing; format: RegistrationFormat },
) {
  const { place } = await findThing(store, caller, thing);
  const asked = { account_id: caller.account_id, ...place };
  const name = `${thing.kind}-${thing.id}-registrations.${format}`;
  return {
    body: await openRegistrations({ store, zone }, { ...asked, format }),
    headers: { 'Content-Disposition': `attachment; filename="${name}"` },
  };
}
