// What `/openapi.json` says of who is here now.
import * as z from 'zod';
import { linksAnswer, metaFields } from '../base/api/paging.ts';
import { docs } from '../base/api/route.ts';

const text = (description: string) => z.string().meta({ description });

export const presentAnswer = z
  .object({
    user_id: text('viewer id'),
    nick: text('viewer nickname'),
    phone: text('viewer telephone number'),
    addr: text('viewer location text'),
    device: text('viewing device'),
    browser: text('viewing method'),
    since: text('when they came in, `YYYY-MM-DD HH:MM:SS`'),
    pages: z.int().meta({ description: 'pages of the channel that they have open' }),
    playing: z.boolean().meta({
      description:
        'whether they play it; one who stops may be shown as playing for ten seconds more',
    }),
    muted: z.boolean().meta({ description: 'whether they may not write in the chat' }),
  })
  .meta({ title: 'PresentViewer' });

export const presentDocs = {
  listPresent: docs({
    summary: 'List who is here now, those who came last first',
    note: 'A viewer is listed once, however many pages they have open. Where several services share a database and are linked, those of all that answer within two seconds: of each the newest 5,000, and whoever has pages at two stands where they came in last. Not under the daily limit.',
    answer: z
      .object({
        viewers: z.array(presentAnswer),
        meta: z.object(metaFields),
        links: linksAnswer,
      })
      .meta({ title: 'PresentViewers' }),
    example: {
      viewers: [
        {
          user_id: 'u-58213',
          nick: 'Li Wei',
          phone: '',
          addr: 'Shanghai',
          device: 'iPhone',
          browser: 'WeChat',
          since: '2026-05-01 19:31:02',
          pages: 1,
          playing: true,
          muted: false,
        },
      ],
      meta: { total: 1, page: 1, current: 1 },
      links: {
        next_url: null,
        end_url: 'https://live.example.com/manage/v1/channels/112/present?p=1',
      },
    },
  }),
};
