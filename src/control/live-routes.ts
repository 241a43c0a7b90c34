// The control room's first look at a channel: what is on now.
import type { Presence } from '../audience/presence/presence.ts';
import { get } from '../base/api/endpoint.ts';
import { type AnyRoute, type Handlers, routes } from '../base/api/route.ts';
import type { Store } from '../base/db/sql.ts';
import { ofAccount } from '../base/db/whose.ts';
import type { Zone } from '../base/lib/time.ts';
import { channelById } from '../library/channels/channel.ts';
import { callersChannel } from '../library/channels/channel-store.ts';
import type { PushNow } from '../stream/live/push-now.ts';
import { showOn } from '../stream/live/show-store.ts';
import { liveDocs } from './live-docs.ts';
import { liveView } from './live-view.ts';

interface Parts {
  store: Store;
  zone: Zone;
  now: () => number;
  presence: Pick<Presence, 'roomsNow' | 'curveOf'>;
  /** Whichever node has it. */
  pushOf(channel: { id: number; account_id: number }): Promise<PushNow | undefined>;
  /** The bound of a push's bit rate. */
  kbpsMax: number;
}

export function liveRoutes(parts: Parts): AnyRoute[] {
  return routes({ table: liveTable, docs: liveDocs, handlers: { getChannelLive }, parts });
}

const liveTable = {
  getChannelLive: get('/manage/v1/channels/{channel_id}/live', 'channels:run', {
    ...channelById,
    fresh: true,
  }),
};

type Handle = Handlers<typeof liveTable, typeof liveDocs, Parts>;

const getChannelLive: Handle['getChannelLive'] = async ({ params, caller }, parts) => {
  const { store, zone, now, presence, pushOf, kbpsMax } = parts;
  const channel = await callersChannel(store, params.channel_id, caller);
  const { id } = channel;
  const whose = ofAccount(caller);
  const show = await showOn(store.for(whose), id);
  const [roomOf, push, curve] = await Promise.all([
    presence.roomsNow([id]),
    pushOf(channel),
    show && presence.curveOf({ channel_id: id, begin: show.begin_at }, whose),
  ]);
  const room = roomOf(id);
  return { body: liveView({ channel, show, room, curve, push, kbpsMax, zone, at: now() }) };
};
