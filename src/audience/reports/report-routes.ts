// The report of a show, as clients of the interface ask for it.
import { get } from '../../base/api/endpoint.ts';
import { ApiError } from '../../base/api/errors.ts';
import { idMax, integer } from '../../base/api/fields.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { channelById } from '../../library/channels/channel.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import { reportDocs } from './report-docs.ts';
import { showView } from './show-report.ts';
import { countShow } from './show-report-store.ts';

interface Parts {
  store: Store;
  zone: Zone;
  now: () => number;
}

export function reportRoutes(parts: Parts): AnyRoute[] {
  return routes({ table: reportTable, docs: reportDocs, handlers: { getReport }, parts });
}

const reportTable = {
  getReport: get('/v1/activities/{channel_id}/report', 'audience:read', {
    ...channelById,
    query: { show: integer('show id; absent: the latest', { min: 1, max: idMax }) },
  }),
};

type Handle = Handlers<typeof reportTable, typeof reportDocs, Parts>;

const getReport: Handle['getReport'] = async (call, { store, zone, now }) => {
  const { show } = call.query;
  const { id, account_id } = await callersChannel(store, call.params.channel_id, call.caller);
  const counted = await store.perform(countShow, { account_id, channel_id: id, show });
  if (!counted && show !== undefined) throw new ApiError('noShow');
  return { body: { id, shows: counted ? [showView(counted, { zone, now: now() })] : [] } };
};
