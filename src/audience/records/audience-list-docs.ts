// What `/openapi.json` says of the lists of a channel's visitors and sessions.
import * as z from 'zod';
import { linksAnswer, metaFields } from '../../base/api/paging.ts';
import { docs } from '../../base/api/route.ts';
import { watchRecordAnswer, watchRecordExample } from './session.ts';
import { visitorAnswer, visitorExample } from './visitor.ts';

const listFields = {
  whole: z.boolean().meta({
    description:
      'false where `q` may have more than are told: 200 viewers at most, with 50 sessions each, of the last million visitors',
  }),
  meta: z.object(metaFields),
  links: linksAnswer,
};

const listExample = (name: string) => ({
  whole: true,
  meta: { total: 1, page: 1, current: 1 },
  links: {
    next_url: null,
    end_url: `https://live.example.com/manage/v1/channels/1024/${name}?p=1`,
  },
});

const note =
  'As the operation of the interface has them, and not under its daily limit: that is for programs that fetch everything, and what is looked at here is a page.';

export const audienceListDocs = {
  listSessions: docs({
    summary: 'List the watch records of a channel, newest entry first, also those of somebody',
    note,
    answer: z
      .object({ sessions: z.array(watchRecordAnswer), ...listFields })
      .meta({ title: 'SessionList' }),
    example: { sessions: [watchRecordExample], ...listExample('sessions') },
  }),
  listVisitors: docs({
    summary: 'List the visitors of a channel by first entry, or look for somebody among them',
    note,
    answer: z
      .object({ visitors: z.array(visitorAnswer), ...listFields })
      .meta({ title: 'VisitorList' }),
    example: { visitors: [visitorExample], ...listExample('visitors') },
  }),
};
