// What `/openapi.json` says of the report of a show.
import * as z from 'zod';
import { linksAnswer, metaFields } from '../../base/api/paging.ts';
import { docs } from '../../base/api/route.ts';
import { minuteLine } from './show-files.ts';
import { showAnswer, showAudience, shownPerson, shownShow, timelineFields } from './show-report.ts';

const figures = { peak: 2, average: 1.7, uv: 3, pv: 4, watch_seconds: 156 };
const person = {
  user_id: 'u-58213',
  nick: 'Ada',
  place: '上海',
  device: 'iPhone',
  watch_seconds: 86,
  came: 0,
  left: 1,
};
const csvNote =
  'The same parameters as of the audience narrow it. UTF-8 with a byte order mark, lines as RFC 4180 has them. A text that a spreadsheet would take for a formula begins with an apostrophe, an id such as `-43` too.';
const asFile = { 'Content-Disposition': 'the name of the file' };
const firstMinute = { viewers: 2, came: 2, left: 0, seen: 2, stayed: 3 };
const minutes = [firstMinute, { viewers: 2, came: 1, left: 3, seen: 3, stayed: 1 }];

export const reportDocs = {
  getReport: docs({
    summary: 'Get the report of a show of a channel: the latest, or the one that is named',
    note: 'A show lasts from the first part that can be played until the channel is live no more; a push that was cut and came back in time is one show. Every number can be counted again from `sessions.ndjson`. Not under the daily limit.',
    answer: z
      .object({
        id: z.int().meta({ description: 'channel id' }),
        shows: z
          .array(showAnswer.extend(timelineFields).meta({ title: 'Show' }))
          .meta({ description: 'one; none where there was no show yet' }),
      })
      .meta({ title: 'Report' }),
    example: {
      id: 112,
      shows: [
        {
          id: 40,
          begin: '2026-05-01 19:29:58',
          end: '2026-05-01 19:31:30',
          videos: [215],
          ...figures,
          minutes_each: 1,
          minutes,
          recordings: [{ video: 215, show_ms: 0, duration_ms: 91_000 }],
          anchors: [{ at_ms: -204, media_ms: 0 }],
          unplaced: { sessions: 0, watch_seconds: 0 },
          records: 'whole',
        },
      ],
    },
    errors: ['noShow'],
  }),
  listShows: docs({
    summary: 'List the shows of a channel, the newest first',
    answer: z
      .object({
        shows: z.array(shownShow),
        meta: z.object(metaFields),
        links: linksAnswer,
      })
      .meta({ title: 'Shows' }),
    example: {
      shows: [
        {
          id: 40,
          begin: '2026-05-01 19:29:58',
          end: '2026-05-01 19:31:30',
          videos: [215],
          figures,
        },
      ],
      meta: { total: 1, page: 1, current: 1 },
      links: {
        next_url: null,
        end_url: 'https://live.example.com/manage/v1/channels/112/shows?p=1',
      },
    },
  }),
  getShowAudience: docs({
    summary: 'Count the viewers of a show, or some of them: where they were, what with, who',
    note: 'Each parameter narrows every number to those that it describes. Figures of a show that is on are up to ten seconds old. Of a show whose records are frozen there is the whole alone, without the lists; narrowed it is a 409.',
    answer: showAudience,
    example: {
      id: 40,
      ...figures,
      minutes_each: 1,
      minutes,
      records: 'whole',
      places: [
        { name: '上海', viewers: 2 },
        { name: 'Germany', viewers: 1 },
      ],
      devices: [
        { name: 'iPhone', viewers: 2 },
        { name: 'Windows', viewers: 1 },
      ],
      browsers: [
        { name: 'Safari', viewers: 2 },
        { name: 'Chrome', viewers: 1 },
      ],
      sources: [{ name: 'direct', viewers: 3 }],
      chat: [4, 1],
      shares: [],
      people: [person],
    },
    errors: ['noShow', 'recordsGone'],
  }),
  exportShowMinutes: docs({
    summary: 'Export the report of a show as CSV, minute by minute',
    note: csvNote,
    answer: minuteLine,
    example: { minute: 0, begin: '2026-05-01 19:29:58', ...firstMinute, chat: 4, shares: 0 },
    answerHeaders: asFile,
    errors: ['noShow', 'recordsGone'],
  }),
  exportShowPeople: docs({
    summary: 'Export the viewers of a show as CSV, in the order in which they came to the channel',
    note: csvNote,
    answer: shownPerson.meta({ title: 'ShowPerson' }),
    example: person,
    answerHeaders: asFile,
    errors: ['noShow', 'recordsGone'],
  }),
  exportShowPeopleNdjson: docs({
    summary:
      'Export the viewers of a show as NDJSON, in the order in which they came to the channel',
    note: 'For programs: one JSON object a line, with every id and name as it is. The same parameters as of the audience narrow it.',
    answer: shownPerson.meta({ title: 'ShowPerson' }),
    example: person,
    answerHeaders: asFile,
    errors: ['noShow', 'recordsGone'],
  }),
};
