// One viewer of a channel, for whoever runs it.
import { get } from '../../base/api/endpoint.ts';
import { ApiError } from '../../base/api/errors.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { channelById } from '../../library/channels/channel.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import { viewerIdField } from '../chat/moderation.ts';
import { viewerVisitsView } from './viewer-visits.ts';
import { viewerVisitsDocs } from './viewer-visits-docs.ts';
import { readViewerVisits } from './viewer-visits-store.ts';

interface Parts {
  store: Store;
  zone: Zone;
  now: () => number;
}

export function viewerVisitsRoutes(parts: Parts): AnyRoute[] {
  const handlers = { getViewer };
  return routes({ table: viewerVisitsTable, docs: viewerVisitsDocs, handlers, parts });
}

const viewerVisitsTable = {
  getViewer: get('/manage/v1/channels/{channel_id}/viewers/{viewer_id}', 'audience:read', {
    params: { ...channelById.params, viewer_id: viewerIdField },
    absent: 'noViewer',
    // A mute that ends is no write.
    fresh: true,
  }),
};

type Handle = Handlers<typeof viewerVisitsTable, typeof viewerVisitsDocs, Parts>;

const getViewer: Handle['getViewer'] = async (call, { store, zone, now }) => {
  const { channel_id, viewer_id } = call.params;
  const channel = await callersChannel(store, channel_id, call.caller);
  const { id, account_id } = channel;
  const asked = { account_id, channel_id: id, viewer_id };
  const found = await store.perform(readViewerVisits, asked);
  if (!found) throw new ApiError('noViewer');
  return { body: viewerVisitsView(found, channel, { zone, now: now() }) };
};
