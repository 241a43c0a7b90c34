// Lists of a channel's visitors and sessions for whoever looks at them page by page, and looks for somebody.
import { get } from '../../base/api/endpoint.ts';
import { choice, text } from '../../base/api/fields.ts';
import { envelope, pageNumber, pageSize } from '../../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { channelById } from '../../library/channels/channel.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import { audienceListDocs } from './audience-list-docs.ts';
import { sessionPage, visitorPage } from './audience-page-store.ts';
import { filterField, filterWatchTimeField, rowsPerPage } from './audience-routes.ts';
import { findSessions, findVisitors } from './audience-search.ts';
import { enteredWithin, periodFields, watchRecordView } from './session.ts';
import { visitorView } from './visitor.ts';

interface Parts {
  store: Store;
  zone: Zone;
}

export function audienceListRoutes(parts: Parts): AnyRoute[] {
  return routes({
    table: audienceListTable(parts.zone),
    docs: audienceListDocs,
    handlers: { listSessions, listVisitors },
    parts,
  });
}

const listQuery = {
  q: text('only those whose name, phone number or viewer id has this in it', {
    max: 255,
    trim: true,
  }),
  p: pageNumber,
  perPage: pageSize(rowsPerPage),
};

function audienceListTable(zone: Zone) {
  return {
    listSessions: get('/manage/v1/channels/{channel_id}/sessions', 'audience:read', {
      ...channelById,
      query: { ...listQuery, ...periodFields(zone), filter_watch_time: filterWatchTimeField },
    }),
    listVisitors: get('/manage/v1/channels/{channel_id}/visitors', 'audience:read', {
      ...channelById,
      query: {
        ...listQuery,
        filter: filterField,
        direction: choice('order by first entry', { of: ['desc', 'asc'], cleared: 'desc' }),
      },
    }),
  };
}

type Handle = Handlers<ReturnType<typeof audienceListTable>, typeof audienceListDocs, Parts>;

const listSessions: Handle['listSessions'] = async (call, { store, zone }) => {
  const { q = '', p = 1, perPage = rowsPerPage.default, filter_watch_time = '1' } = call.query;
  const entered = enteredWithin(call.query);
  const channel = await callersChannel(store, call.params.channel_id, call.caller);
  const asked = {
    account_id: channel.account_id,
    channel_id: channel.id,
    filtered: filter_watch_time === '1',
    ...entered,
  };
  const page = { limit: perPage, offset: (p - 1) * perPage };
  const { rows, total, isWhole } =
    q === ''
      ? whole(await store.perform(sessionPage, { ...asked, direction: 'desc', ...page }))
      : partOf(await findSessions(store, { ...asked, q }), page);
  const sessions = rows.map((row) => watchRecordView(row, zone));
  return { body: { sessions, whole: isWhole, ...envelope(total, { p, perPage }, call) } };
};

const listVisitors: Handle['listVisitors'] = async (call, { store, zone }) => {
  const { q = '', p = 1, perPage = rowsPerPage.default, filter = '0' } = call.query;
  const { direction = 'desc' } = call.query;
  const channel = await callersChannel(store, call.params.channel_id, call.caller);
  const asked = {
    account_id: channel.account_id,
    channel_id: channel.id,
    filtered: filter === '1',
  };
  const page = { limit: perPage, offset: (p - 1) * perPage };
  const { rows, total, isWhole } =
    q === ''
      ? whole(await store.perform(visitorPage, { ...asked, direction, ...page }))
      : partOf(turned(await findVisitors(store, { ...asked, q }), direction), page);
  const visitors = rows.map((row) => visitorView(row, channel, zone));
  return { body: { visitors, whole: isWhole, ...envelope(total, { p, perPage }, call) } };
};

function whole<Row>(page: { rows: Row[]; total: number }) {
  return { ...page, isWhole: true };
}

function turned<F extends { rows: unknown[] }>(found: F, direction: 'asc' | 'desc'): F {
  return direction === 'asc' ? { ...found, rows: found.rows.toReversed() } : found;
}

function partOf<Row>(
  { rows, isWhole }: { rows: Row[]; isWhole: boolean },
  { limit, offset }: { limit: number; offset: number },
) {
  return { rows: rows.slice(offset, offset + limit), total: rows.length, isWhole };
}
