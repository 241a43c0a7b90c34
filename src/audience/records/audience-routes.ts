// The audience operations of the interface: watch records and visitors of a channel.
import { post } from '../../base/api/endpoint.ts';
import { choice } from '../../base/api/fields.ts';
import { pageHeaders, pageNumber, pageSize } from '../../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import type { DailyLimit } from '../../library/access/daily-limit.ts';
import { channelById } from '../../library/channels/channel.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import { audienceDocs } from './audience-docs.ts';
import { sessionPage, visitorPage } from './audience-page-store.ts';
import { enteredWithin, periodFields, watchRecordView } from './session.ts';
import { visitorView } from './visitor.ts';

interface Parts {
  store: Store;
  zone: Zone;
  limit: DailyLimit;
}

export function audienceRoutes(parts: Parts): AnyRoute[] {
  const handlers = { getWatchRecords, getVisitors };
  return routes({ table: audienceTable(parts.zone), docs: audienceDocs, handlers, parts });
}

export const rowsPerPage = { default: 20, max: 100 };

/** Each is answered by the function of its name. */
function audienceTable(zone: Zone) {
  return {
    getWatchRecords: post('/v1/activities/{channel_id}/userRecords', 'audience:read', {
      audit: 'nothing',
      ...channelById,
      bodyInQuery: true,
      body: {
        ...periodFields(zone),
        perPage: pageSize(rowsPerPage),
        p: pageNumber,
        filter_watch_time: filterWatchTimeField,
      },
    }),
    getVisitors: post('/v1/activities/{channel_id}/visitors', 'audience:read', {
      audit: 'nothing',
      ...channelById,
      bodyInQuery: true,
      body: {
        filter: filterField,
        perPage: pageSize(rowsPerPage),
        p: pageNumber,
        direction: choice('order by first entry', { of: ['desc', 'asc'], cleared: 'desc' }),
      },
    }),
  };
}

export const filterWatchTimeField = choice(
  '1 = exclude viewers who did not watch, 0 = include them',
  {
    of: ['1', '0'],
    cleared: '1',
    type: 'integer',
  },
);
export const filterField = choice(
  '1 = exclude viewers whose watch time is under 1 minute, 0 = all viewers',
  { of: ['0', '1'], cleared: '0' },
);

type Handle = Handlers<ReturnType<typeof audienceTable>, typeof audienceDocs, Parts>;

const getWatchRecords: Handle['getWatchRecords'] = async (call, { store, zone, limit }) => {
  const { start_time, end_time, perPage = rowsPerPage.default, p = 1 } = call.body;
  const { filter_watch_time = '1' } = call.body;
  const entered = enteredWithin(call.body);
  const channel = await callersChannel(store, call.params.channel_id, call.caller);
  await limit.check(call.caller);
  const { total, rows } = await store.perform(sessionPage, {
    account_id: channel.account_id,
    channel_id: channel.id,
    filtered: filter_watch_time === '1',
    direction: 'desc',
    ...entered,
    limit: perPage,
    offset: (p - 1) * perPage,
  });
  const period = {
    ...(start_time != null && { start_time: zone.dateTime(start_time) }),
    ...(end_time != null && { end_time: zone.dateTime(end_time) }),
  };
  const headers = {
    ...pageHeaders(total, { p, perPage }, call, { perPage, filter_watch_time, ...period }),
    ...(await limit.count(call.caller)),
  };
  return { body: rows.map((row) => watchRecordView(row, zone)), headers };
};

const getVisitors: Handle['getVisitors'] = async (call, { store, zone }) => {
  const { filter = '0', perPage = rowsPerPage.default, p = 1, direction = 'desc' } = call.body;
  const channel = await callersChannel(store, call.params.channel_id, call.caller);
  const { total, rows } = await store.perform(visitorPage, {
    account_id: channel.account_id,
    channel_id: channel.id,
    filtered: filter === '1',
    direction,
    limit: perPage,
    offset: (p - 1) * perPage,
  });
  const headers = pageHeaders(total, { p, perPage }, call, { perPage, filter, direction });
  return { body: rows.map((row) => visitorView(row, channel, zone)), headers };
};
