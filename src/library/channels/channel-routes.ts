// The channel operations of the interface: list, create, get, rename, change the page; ours: a new publish key.
import type { Caller } from '../../base/api/caller.ts';
import { get, post, put } from '../../base/api/endpoint.ts';
import { ApiError, invalidField } from '../../base/api/errors.ts';
import { choice, idMax, integer, text } from '../../base/api/fields.ts';
import { envelope, pageNumber } from '../../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofOwner } from '../../base/db/whose.ts';
import type { Zone } from '../../base/lib/time.ts';
import { ownerOf } from '../access/owner.ts';
import { channelById, channelsPerPage, channelViews } from './channel.ts';
import { channelDocs } from './channel-docs.ts';
import * as channelStore from './channel-store.ts';
import { type PageFields, pageFields } from './page.ts';

/** What of a channel goes on, here and on other nodes, and must know of a change. */
export interface ChannelWatch {
  /** Its name or its page. */
  changed(channel_id: number): void;
  keysChanged(): void;
}

export function channelRoutes(given: {
  store: Store;
  now: () => number;
  zone: Zone;
  /** Of an account. */
  channelsMax: number;
  rtmpUrl: (baseUrl: string) => string;
  watch: ChannelWatch;
}): AnyRoute[] {
  const { store, now, zone, channelsMax, rtmpUrl, watch } = given;
  const page = pageFields(zone);
  const views = channelViews({ zone, page, rtmpUrl });
  return routes({
    table: channelTable(page),
    docs: channelDocs(zone, page),
    handlers: {
      listChannels,
      createChannel,
      getChannel,
      renameChannel,
      changeChannelPage,
      rotatePublishKey,
    },
    parts: { store, now, channelsMax, page, views, watch },
  });
}

/** Each is answered by the function of its name. */
function channelTable(page: PageFields) {
  return {
    listChannels: get('/v1/activities', 'channels:read', {
      query: { live: liveField, manager: ofManagerField, p: pageNumber },
    }),
    createChannel: post('/v1/activities', 'channels:write', {
      told: ['name'],
      body: { name: nameField, start_time: page.shape.start_time, act_manager_id: managerField },
      required: ['name'],
    }),
    getChannel: get('/v1/activities/{channel_id}', 'channels:read', {
      ...channelById,
      single: true,
    }),
    renameChannel: put('/v1/activities/{channel_id}', 'channels:write', {
      told: ['name'],
      ...channelById,
      body: { name: nameField },
      required: ['name'],
    }),
    changeChannelPage: put('/v1/activities/{channel_id}/page', 'channels:write', {
      ...channelById,
      body: page.shape,
    }),
    rotatePublishKey: post('/manage/v1/channels/{channel_id}/rotate-key', 'channels:run', {
      ...channelById,
      body: {},
    }),
  };
}

const liveField = choice('1 = only channels currently live', {
  of: ['0', '1'],
  cleared: '0',
  type: 'integer',
});
const ofManagerField = integer('channel manager id; 0 = those of no manager', {
  min: 0,
  max: idMax,
});
const nameField = text('channel name', {
  min: 1,
  max: 255,
  trim: true,
  examples: ['Spring launch'],
});
const managerField = integer('channel manager id', { min: 0, max: idMax, cleared: 0 });

interface Parts {
  store: Store;
  now: () => number;
  channelsMax: number;
  page: PageFields;
  views: ReturnType<typeof channelViews>;
  watch: ChannelWatch;
}

type Handle = Handlers<ReturnType<typeof channelTable>, ReturnType<typeof channelDocs>, Parts>;

/** Pages further in than this are read off the main thread: skipping rows takes its time. */
const nearRows = 3_000;

const listChannels: Handle['listChannels'] = async (call, { store, views }) => {
  const p = call.query.p ?? 1;
  const offset = (p - 1) * channelsPerPage;
  const query = {
    owner: ownerOf(call.caller),
    live: call.query.live === '1',
    manager: call.query.manager,
    limit: channelsPerPage,
    offset,
  };
  const { total, rows } =
    offset <= nearRows
      ? await channelStore.listChannels.run(store.for(ofOwner(query)), query)
      : await store.perform(channelStore.listChannels, query);
  const { meta, links } = envelope(total, { p, perPage: channelsPerPage }, call);
  return { body: { activities: rows.map((row) => views.listed(row, call)), meta, links } };
};

const createChannel: Handle['createChannel'] = async (call, parts) => {
  const { store, now, channelsMax, page, views } = parts;
  const { name, start_time = null, act_manager_id = 0 } = call.body;
  const manager_id = managerFor(call.caller, act_manager_id);
  const { row, replayed } = await store.perform(channelStore.createChannel, {
    owner: ownerOf(call.caller),
    name,
    manager_id,
    page: page.change({ start_time }),
    now: now(),
    channelsMax,
    idempotency: idempotency(call.header('idempotency-key'), [name, start_time, manager_id]),
  });
  const headers = replayed ? { 'Idempotency-Replayed': 'true' } : {};
  return { body: views.brief(row, call), headers };
};

/** A manager's token makes that manager's channels, an account's those of whom it names. */
function managerFor({ manager_id: own }: Caller, asked: number): number {
  if (own === 0) return asked;
  if (asked === 0 || asked === own) return own;
  throw new ApiError('noPermission', {
    message: "A manager's token makes only that manager's channels",
  });
}

const idempotencyKeyMax = 255;

function idempotency(key: string | null, request: unknown[]) {
  if (key === null) return undefined;
  if (key === '' || key.length > idempotencyKeyMax || !/^[\x21-\x7e]+$/.test(key)) {
    throw invalidField(
      'Idempotency-Key',
      `Idempotency-Key must be 1 to ${idempotencyKeyMax} visible ASCII characters`,
    );
  }
  return { key, request_hash: Bun.hash(JSON.stringify(request)).toString(36) };
}

const getChannel: Handle['getChannel'] = async (call, { store, views }) => {
  const row = await channelStore.callersChannel(store, call.params.channel_id, call.caller);
  return { body: views.brief(row, call) };
};

const renameChannel: Handle['renameChannel'] = async (call, parts) => {
  const { store, views, watch } = parts;
  const { name } = call.body;
  const channel = { id: call.params.channel_id, owner: ownerOf(call.caller) };
  const row = await store.perform(channelStore.renameChannel, { ...channel, name });
  watch.changed(channel.id);
  return { body: views.brief(row, call) };
};

const changeChannelPage: Handle['changeChannelPage'] = async (call, parts) => {
  const { store, page, views, watch } = parts;
  const change = page.change(call.body);
  const channel = { id: call.params.channel_id, owner: ownerOf(call.caller) };
  const row = await store.perform(channelStore.changePage, { ...channel, page: change });
  watch.changed(channel.id);
  return { body: views.whole(row, call) };
};

const rotatePublishKey: Handle['rotatePublishKey'] = async (call, parts) => {
  const { store, views, watch } = parts;
  const channel = { id: call.params.channel_id, owner: ownerOf(call.caller) };
  const row = await store.perform(channelStore.rotateKey, channel);
  watch.keysChanged();
  return { body: views.brief(row, call) };
};
