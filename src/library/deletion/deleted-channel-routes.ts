// Deleting a channel, as clients of the interface ask for it; ours: bringing it back, and the list of those that can be.
import { get, post, remove } from '../../base/api/endpoint.ts';
import { ApiError } from '../../base/api/errors.ts';
import { envelope, pageNumber } from '../../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { ownerOf } from '../access/owner.ts';
import { channelById, channelViews } from '../channels/channel.ts';
import { callersChannel } from '../channels/channel-store.ts';
import { pageFields } from '../channels/page.ts';
import { deletedChannelsPerPage, deletedView } from './deleted-channel.ts';
import { deletedChannelDocs } from './deleted-channel-docs.ts';
import * as deletedStore from './deleted-channel-store.ts';

/** What of a channel goes on, beside its row. */
export interface DeletionWatch {
  /** Whether it is published to, also while nothing can be played yet; or for how long a push that was cut may come back. */
  pushStanding(channel: {
    id: number;
    account_id: number;
  }): Promise<{ isPublishedTo: boolean; awaitedMs: number | undefined }>;
  /** Ends what goes on of it. */
  deleted(channel: { id: number; play_id: string }): void;
  /** It is brought back. */
  changed(channel_id: number): void;
}

interface Given {
  store: Store;
  watch: DeletionWatch;
  now: () => number;
  zone: Zone;
  /** For how long a deleted channel is kept. */
  keptMs: number;
  rtmpUrl: (baseUrl: string) => string;
}

interface Parts extends Given {
  views: ReturnType<typeof channelViews>;
}

export function deletedChannelRoutes(given: Given): AnyRoute[] {
  const { zone, rtmpUrl } = given;
  const page = pageFields(zone);
  return routes({
    table: deletionTable,
    docs: deletedChannelDocs(zone, page),
    handlers: { deleteChannel, restoreChannel, listDeletedChannels },
    parts: { ...given, views: channelViews({ zone, page, rtmpUrl }) },
  });
}

/** Each is answered by the function of its name. */
const deletionTable = {
  deleteChannel: remove('/v1/activities/{channel_id}', 'channels:write', channelById),
  restoreChannel: post('/manage/v1/channels/{channel_id}/restore', 'manage', {
    ...channelById,
    body: {},
  }),
  listDeletedChannels: get('/manage/v1/deleted-channels', 'manage', {
    query: { p: pageNumber },
    // What is too old is not in it, and time alone makes it so.
    fresh: true,
  }),
};

type Handle = Handlers<typeof deletionTable, ReturnType<typeof deletedChannelDocs>, Parts>;

const deleteChannel: Handle['deleteChannel'] = async (call, { store, watch, now }) => {
  const owner = ownerOf(call.caller);
  const found = await callersChannel(store, call.params.channel_id, owner);
  const { id } = found;
  const { isPublishedTo, awaitedMs } = await watch.pushStanding(found);
  if (isPublishedTo) throw new ApiError('onAir');
  // One that was cut before anything of it was shown keeps nobody: there is no show to go on with.
  const order = { id, owner, awaitedMs, now: now() };
  const channel = await store.perform(deletedStore.deleteChannel, order);
  // A push may have begun since it was asked.
  watch.deleted(channel);
  return { body: { id, result: 'success' } };
};

const restoreChannel: Handle['restoreChannel'] = async (call, parts) => {
  const { store, views, keptMs, now, watch } = parts;
  const channel = { id: call.params.channel_id, owner: ownerOf(call.caller) };
  const order = { ...channel, keptMs, now: now() };
  const row = await store.perform(deletedStore.restoreChannel, order);
  watch.changed(channel.id);
  return { body: views.brief(row, call) };
};

const listDeletedChannels: Handle['listDeletedChannels'] = async (call, parts) => {
  const { store, keptMs, now } = parts;
  const p = call.query.p ?? 1;
  const { total, rows } = await store.perform(deletedStore.listDeleted, {
    owner: ownerOf(call.caller),
    keptMs,
    now: now(),
    limit: deletedChannelsPerPage,
    offset: (p - 1) * deletedChannelsPerPage,
  });
  const { meta, links } = envelope(total, { p, perPage: deletedChannelsPerPage }, call);
  return { body: { channels: rows.map((row) => deletedView(row, parts)), meta, links } };
};
