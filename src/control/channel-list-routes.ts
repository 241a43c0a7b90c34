// The control room's list of channels: what is on air, what comes, what was.
import type { Presence, RoomNow } from '../audience/presence/presence.ts';
import { get } from '../base/api/endpoint.ts';
import { choice, text } from '../base/api/fields.ts';
import { envelope, pageNumber, pageSize } from '../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../base/api/route.ts';
import type { Store } from '../base/db/sql.ts';
import type { Zone } from '../base/lib/time.ts';
import { ownerOf } from '../library/access/owner.ts';
import { listByState } from '../library/channels/channel-list-store.ts';
import { listStates, stateOf } from '../library/channels/channel-state.ts';
import type { ChannelRow } from '../library/channels/channel-store.ts';
import { readPage } from '../library/channels/page.ts';
import type { SharedPictures } from '../stream/pictures/shared-pictures.ts';
import { channelListDocs } from './channel-list-docs.ts';
import { viewersOf } from './live-view.ts';

interface Parts {
  store: Store;
  zone: Zone;
  now: () => number;
  presence: Pick<Presence, 'roomsNow'>;
  pictures: Pick<SharedPictures, 'having'>;
}

export function channelListRoutes(parts: Parts): AnyRoute[] {
  const handlers = { listChannelStates };
  return routes({ table: channelListTable, docs: channelListDocs, handlers, parts });
}

const channelsPerPage = { default: 30, max: 100 };

const channelListTable = {
  listChannelStates: get('/manage/v1/channels', 'channels:read', {
    query: {
      state: choice('only those', { of: listStates, cleared: 'all' }),
      q: text('part of the name, in any case', { max: 255 }),
      p: pageNumber,
      perPage: pageSize(channelsPerPage),
    },
    fresh: true,
  }),
};

type Handle = Handlers<typeof channelListTable, typeof channelListDocs, Parts>;

const listChannelStates: Handle['listChannelStates'] = async (call, parts) => {
  const { state = 'all', p = 1, perPage = channelsPerPage.default } = call.query;
  const now = parts.now();
  const { rows, total, counts } = await parts.store.perform(listByState, {
    owner: ownerOf(call.caller),
    state,
    q: call.query.q === '' ? undefined : call.query.q,
    now,
    limit: perPage,
    offset: (p - 1) * perPage,
  });
  const { meta, links } = envelope(total, { p, perPage }, call);
  const ids = rows.map(({ id }) => id);
  const [roomOf, pictured] = await Promise.all([
    parts.presence.roomsNow(ids),
    parts.pictures.having(call.caller.account_id, ids),
  ]);
  const channels = rows.map((row) => {
    const { id } = row;
    return shown(row, { ...parts, room: roomOf(id), hasPicture: pictured.has(id), at: now });
  });
  return { body: { channels, counts, meta, links } };
};

function shown(
  row: ChannelRow,
  { zone, room, hasPicture, at }: Parts & { room: RoomNow; hasPicture: boolean; at: number },
) {
  const { start_time, cover_image } = readPage(row.page);
  const time = (instant: number | null) => (instant === null ? '' : zone.dateTime(instant));
  return {
    id: row.id,
    name: row.name,
    live_status: row.live,
    state: stateOf({ ...row, start_time }, at),
    viewers: viewersOf(row, room),
    start_time: time(start_time),
    manager: row.manager_id,
    manager_username: row.manager_username ?? '',
    last_push_stream_at: time(row.last_push_stream_at),
    cover_image,
    has_picture: hasPicture,
  };
}
