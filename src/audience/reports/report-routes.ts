// The reports of shows: as clients of the interface ask for it; ours: which shows there were, and any part of one's viewers.
import { get } from '../../base/api/endpoint.ts';
import { ApiError } from '../../base/api/errors.ts';
import { idMax, integer, text } from '../../base/api/fields.ts';
import { envelope, pageNumber, pageSize } from '../../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { channelById } from '../../library/channels/channel.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import { reportDocs } from './report-docs.ts';
import { showAudienceView, shownShowView, showView } from './show-report.ts';
import { findShow, listShows, readMarks } from './show-report-store.ts';
import type { ShowSheets } from './show-sheets.ts';

interface Parts {
  store: Store;
  sheets: ShowSheets;
  zone: Zone;
}

export function reportRoutes(parts: Parts): AnyRoute[] {
  return routes({
    table: reportTable,
    docs: reportDocs,
    handlers: { getReport, listShows: listOfShows, getShowAudience },
    parts,
  });
}

const showId = { min: 1, max: idMax };
const minute = (description: string) =>
  integer(`${description}: of the report's \`minutes\`, from 0 on`, { min: 0, max: 100_000 });
const group = (description: string) => text(description, { max: 255 });

const reportTable = {
  getReport: get('/v1/activities/{channel_id}/report', 'audience:read', {
    ...channelById,
    query: { show: integer('show id; absent: the latest', showId) },
  }),
  listShows: get('/manage/v1/channels/{channel_id}/shows', 'audience:read', {
    ...channelById,
    query: { p: pageNumber, perPage: pageSize({ default: 20, max: 100 }) },
  }),
  getShowAudience: get(
    '/manage/v1/channels/{channel_id}/shows/{show_id}/audience',
    'audience:read',
    {
      params: { ...channelById.params, show_id: integer('show id', showId) },
      absent: 'noShow',
      query: {
        place: group('only those who were there'),
        device: group('only what was watched with it'),
        browser: group('only what was watched in it'),
        source: group('only those who came from there'),
        came: minute('only those who came in it'),
        left: minute('only those who left in it'),
        seen: minute("only those who saw some of it, of the show's media"),
      },
    },
  ),
};

type Handle = Handlers<typeof reportTable, typeof reportDocs, Parts>;

const getReport: Handle['getReport'] = async (call, { store, sheets, zone }) => {
  const { id, account_id } = await callersChannel(store, call.params.channel_id, call.caller);
  const { show } = call.query;
  const found = await store.perform(findShow, { account_id, channel_id: id, show });
  if (!found && show !== undefined) throw new ApiError('noShow');
  if (!found) return { body: { id, shows: [] } };
  const figures = await sheets.figures(found, account_id);
  return { body: { id, shows: [showView(found, figures, zone)] } };
};

const listOfShows: Handle['listShows'] = async (call, { store, zone }) => {
  const { id, account_id } = await callersChannel(store, call.params.channel_id, call.caller);
  const { p = 1, perPage = 20 } = call.query;
  const found = await store.perform(listShows, { account_id, channel_id: id, p, perPage });
  const shows = found.rows.map((show) => shownShowView(show, zone));
  return { body: { shows, ...envelope(found.total, { p, perPage }, call) } };
};

const getShowAudience: Handle['getShowAudience'] = async (call, { store, sheets }) => {
  const { channel_id, show_id } = call.params;
  const { id, account_id } = await callersChannel(store, channel_id, call.caller);
  const show = await store.perform(findShow, { account_id, channel_id: id, show: show_id });
  if (!show) throw new ApiError('noShow');
  const counted = await sheets.count(show, account_id, call.query);
  const { minutes_each } = counted.figures;
  const marks = await store.perform(readMarks, {
    account_id,
    channel_id: id,
    begin_at: show.begin_at,
    end_at: show.end_at,
    minutes_each,
  });
  return { body: showAudienceView(show, counted, marks) };
};
