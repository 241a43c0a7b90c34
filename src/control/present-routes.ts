// Who is here now, from the room in memory, with what the records say of them.
import type { Presence } from '../audience/presence/presence.ts';
import { get } from '../base/api/endpoint.ts';
import { envelope, pageNumber, pageSize } from '../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../base/api/route.ts';
import type { Store } from '../base/db/sql.ts';
import { ofAccount } from '../base/db/whose.ts';
import type { Zone } from '../base/lib/time.ts';
import { channelById } from '../library/channels/channel.ts';
import { callersChannel } from '../library/channels/channel-store.ts';
import { presentDocs } from './present-docs.ts';
import { presentRows } from './present-store.ts';

interface Parts {
  store: Store;
  zone: Zone;
  now: () => number;
  presence: Pick<Presence, 'presentIn'>;
}

export function presentRoutes(parts: Parts): AnyRoute[] {
  return routes({ table: presentTable, docs: presentDocs, handlers: { listPresent }, parts });
}

const viewersPerPage = { default: 20, max: 100 };

const presentTable = {
  listPresent: get('/manage/v1/channels/{channel_id}/present', 'channels:run', {
    ...channelById,
    query: { p: pageNumber, perPage: pageSize(viewersPerPage) },
    fresh: true,
  }),
};

type Handle = Handlers<typeof presentTable, typeof presentDocs, Parts>;

const listPresent: Handle['listPresent'] = async (call, { store, zone, now, presence }) => {
  const { p = 1, perPage = viewersPerPage.default } = call.query;
  const channel = await callersChannel(store, call.params.channel_id, call.caller);
  const whose = ofAccount(call.caller);
  const page = { limit: perPage, offset: (p - 1) * perPage, whose };
  const { total, viewers } = await presence.presentIn(channel.id, page);
  const viewer_ids = viewers.map(({ viewer_id }) => viewer_id);
  const sql = store.for(whose);
  const rows = await presentRows(sql, { channel_id: channel.id, viewer_ids, now: now() });
  const byId = new Map(rows.map((row) => [row.viewer_id, row]));
  const shown = viewers.flatMap(({ viewer_id, nick, since, pages, isPlaying }) => {
    const row = byId.get(viewer_id);
    // They were erased a moment ago, and are about to be sent away.
    if (!row) return [];
    const { phone, addr, device, browser, muted } = row;
    return {
      user_id: viewer_id,
      nick,
      phone,
      addr,
      device,
      browser,
      since: zone.dateTime(since),
      pages,
      playing: isPlaying,
      muted: muted === 1,
    };
  });
  const { meta, links } = envelope(total, { p, perPage }, call);
  return { body: { viewers: shown, meta, links } };
};
