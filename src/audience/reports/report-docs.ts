// What `/openapi.json` says of the report of a show.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';
import { showAnswer } from './show-report.ts';

export const reportDocs = {
  getReport: docs({
    section: 'own',
    summary: 'Get the report of a show of a channel: the latest, or the one that is named',
    note: 'A show lasts from the first part that can be played until the channel is live no more; a push that was cut and came back in time is one show. Every number can be counted again from `sessions.ndjson`. Not under the daily limit.',
    answer: z
      .object({
        id: z.int().meta({ description: 'channel id' }),
        shows: z.array(showAnswer).meta({ description: 'one; none where there was no show yet' }),
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
          peak: 2,
          average: 1.7,
          uv: 3,
          pv: 4,
          watch_seconds: 156,
          minutes: [
            { viewers: 2, came: 2, left: 0, seen: 2, stayed: 3 },
            { viewers: 2, came: 1, left: 3, seen: 3, stayed: 1 },
          ],
          unplaced: { sessions: 0, watch_seconds: 0 },
        },
      ],
    },
    errors: ['noShow'],
  }),
};
