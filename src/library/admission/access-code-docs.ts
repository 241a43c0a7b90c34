// What `/openapi.json` says of codes that let people in.
import * as z from 'zod';
import { linksAnswer, metaFields } from '../../base/api/paging.ts';
import { docs } from '../../base/api/route.ts';

const madeCodes = {
  answer: z
    .object({
      codes: z.array(
        z.object({
          id: z.string().meta({ description: 'by which it is taken back' }),
          code: z.string().meta({ description: 'what a viewer types; it is shown this once' }),
        }),
      ),
    })
    .meta({ title: 'MadeCodes' }),
  example: { codes: [{ id: '5f1c09ab77e2d410', code: 'K7QPX-2MTRA' }] },
};

const listedCodes = {
  answer: z
    .object({
      codes: z.array(
        z.object({
          id: z.string(),
          hint: z.string().meta({ description: 'how it begins' }),
          note: z.string(),
          uses: z.int().meta({ description: 'how often it has let somebody in' }),
          uses_max: z.int().meta({ description: 'how often it may; 0: as often as it is typed' }),
          created_at: z.string(),
        }),
      ),
      meta: z.object(metaFields),
      links: linksAnswer,
    })
    .meta({ title: 'CodeList' }),
  example: {
    codes: [
      {
        ...{ id: '5f1c09ab77e2d410', hint: 'K7Q', note: 'class of 2026', uses: 1, uses_max: 1 },
        created_at: '2026-05-01 19:30:00',
      },
    ],
    meta: { total: 1, page: 1, current: 1 },
    links: {
      next_url: null,
      end_url: 'https://live.example.com/manage/v1/channels/1024/access/codes?p=1',
    },
  },
};

export const accessCodeDocs = {
  makeChannelCodes: docs({
    summary: 'Make codes that let viewers of a channel in',
    note: 'They are kept as their signature: export the answer, nobody can show them again.',
    ...madeCodes,
    errors: ['noPermission'],
  }),
  listChannelCodes: docs({ summary: 'List the codes of a channel, newest first', ...listedCodes }),
  makeVideoCodes: docs({
    summary: 'Make codes that let viewers of a video in',
    note: 'They are kept as their signature: export the answer, nobody can show them again.',
    ...madeCodes,
    errors: ['noPermission'],
  }),
  listVideoCodes: docs({ summary: 'List the codes of a video, newest first', ...listedCodes }),
};
