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
import { columns } from './sheet-groups.ts';
import { minutesCsv, peopleCsv, peopleNdjson } from './show-files.ts';
import { readMarks } from './show-marks-store.ts';
import {
  type ShowMarks,
  showAudienceView,
  shownShowView,
  showView,
  timelineView,
} from './show-report.ts';
import { type FoundShow, findShow, listShows, readTimeline } from './show-report-store.ts';
import type { SheetCount, SheetFilter } from './show-sheet.ts';
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
    handlers: {
      getReport,
      listShows: listOfShows,
      getShowAudience,
      exportShowMinutes,
      exportShowPeople: exportPeople('csv'),
      exportShowPeopleNdjson: exportPeople('ndjson'),
    },
    parts,
  });
}

const showId = { min: 1, max: idMax };
const minute = (description: string) =>
  integer(`${description}: of the report's \`minutes\`, from 0 on`, { min: 0, max: 100_000 });
const group = (description: string) => text(description, { max: 255 });

/** Some of a show's viewers. */
const ofShow = {
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
} as const;
const csv = { ...ofShow, streamed: 'text/csv' } as const;
const ndjson = { ...ofShow, streamed: 'application/x-ndjson' } as const;

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
    ofShow,
  ),
  exportShowMinutes: get(
    '/manage/v1/channels/{channel_id}/shows/{show_id}/report.csv',
    'audience:read',
    csv,
  ),
  exportShowPeople: get(
    '/manage/v1/channels/{channel_id}/shows/{show_id}/people.csv',
    'audience:read',
    { ...csv, audit: 'taken' },
  ),
  exportShowPeopleNdjson: get(
    '/manage/v1/channels/{channel_id}/shows/{show_id}/people.ndjson',
    'audience:read',
    { ...ndjson, audit: 'taken' },
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
  const timeline = timelineView(
    found,
    await store.perform(readTimeline, {
      account_id,
      channel_id: found.channel_id,
      begin_at: found.begin_at,
    }),
  );
  return { body: { id, shows: [{ ...showView(found, figures, zone), ...timeline }] } };
};

const listOfShows: Handle['listShows'] = async (call, { store, zone }) => {
  const { id, account_id } = await callersChannel(store, call.params.channel_id, call.caller);
  const { p = 1, perPage = 20 } = call.query;
  const found = await store.perform(listShows, { account_id, channel_id: id, p, perPage });
  const shows = found.rows.map((show) => shownShowView(show, zone));
  return { body: { shows, ...envelope(found.total, { p, perPage }, call) } };
};

const getShowAudience: Handle['getShowAudience'] = async (call, { store, sheets }) => {
  const { show, account_id } = await askedShow(call, store);
  const counted = await countOf(sheets, show, { account_id, filter: call.query });
  const { minutes_each } = counted.figures;
  const marks = await marksOf({ store, sheets }, show, { account_id, minutes_each, ...call });
  return { body: showAudienceView(show, counted, marks) };
};

const exportShowMinutes: Handle['exportShowMinutes'] = async (call, { store, sheets, zone }) => {
  const { show, account_id } = await askedShow(call, store);
  const figures = isNarrowed(call.query)
    ? (await countOf(sheets, show, { account_id, filter: call.query })).figures
    : await sheets.figures(show, account_id);
  const { minutes_each } = figures;
  const marks = await marksOf({ store, sheets }, show, { account_id, minutes_each, ...call });
  return { body: minutesCsv(show, figures, marks, zone), headers: asFile(show, 'report.csv') };
};

function exportPeople(
  format: 'csv' | 'ndjson',
): Handle['exportShowPeople' | 'exportShowPeopleNdjson'] {
  return async (call, { store, sheets }) => {
    const { show, account_id } = await askedShow(call, store);
    if (show.kept?.isFrozen) throw new ApiError('recordsGone');
    const people = await sheets.people(show, account_id, call.query);
    // Of a channel that was deleted meanwhile nobody gets more.
    const nextPeople = async () => {
      await callersChannel(store, show.channel_id, call.caller);
      return await people();
    };
    const body = format === 'csv' ? peopleCsv(nextPeople) : peopleNdjson(nextPeople);
    return { body, headers: asFile(show, `people.${format}`) };
  };
}

async function askedShow(
  { params, caller }: Pick<Parameters<Handle['getShowAudience']>[0], 'params' | 'caller'>,
  store: Store,
): Promise<{ show: FoundShow; account_id: number }> {
  const { id, account_id } = await callersChannel(store, params.channel_id, caller);
  const asked = { account_id, channel_id: id, show: params.show_id };
  const show = await store.perform(findShow, asked);
  if (!show) throw new ApiError('noShow');
  return { show, account_id };
}

/** Of a show whose records are gone there is the whole alone: who came to it nobody can tell. */
async function countOf(
  sheets: ShowSheets,
  show: FoundShow,
  { account_id, filter }: { account_id: number; filter: SheetFilter },
): Promise<SheetCount> {
  if (!show.kept?.isFrozen) return await sheets.count(show, account_id, filter);
  if (isNarrowed(filter)) throw new ApiError('recordsGone');
  return { figures: show.kept.figures, groups: columns(() => []), people: [] };
}

function isNarrowed(filter: SheetFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

async function marksOf(
  { store, sheets }: Pick<Parts, 'store' | 'sheets'>,
  show: FoundShow,
  of: { account_id: number; minutes_each: number; query: SheetFilter },
): Promise<ShowMarks> {
  const { account_id, minutes_each, query } = of;
  if (isNarrowed(query)) return await sheets.marks(show, account_id, query);
  const { channel_id, begin_at, end_at } = show;
  return await store.perform(readMarks, { account_id, channel_id, begin_at, end_at, minutes_each });
}

function asFile({ id }: FoundShow, file: string): Record<string, string> {
  return { 'Content-Disposition': `attachment; filename="show-${id}-${file}"` };
}
