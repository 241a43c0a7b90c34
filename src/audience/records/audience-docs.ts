// What `/openapi.json` says of the audience operations.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';
import { watchRecordAnswer, watchRecordExample } from './session.ts';
import { visitorAnswer, visitorExample } from './visitor.ts';

const pageAnswerHeaders = {
  Link: 'addresses of the next and the last page (RFC 8288); the fields may be sent in the query too',
  'X-Total-Count': 'how many rows there are in all pages',
};

export const audienceDocs = {
  getWatchRecords: docs({
    summary: 'Get the watch records of a channel, newest entry first; a few calls a day',
    answer: z.array(watchRecordAnswer).meta({ title: 'WatchRecords' }),
    example: [watchRecordExample],
    errors: ['rateLimit'],
    answerHeaders: {
      ...pageAnswerHeaders,
      'RateLimit-Policy': 'calls a day',
      RateLimit: 'calls left today and seconds until the count starts again',
    },
  }),
  getVisitors: docs({
    summary: 'Get the visitors of a channel by first entry',
    answer: z.array(visitorAnswer).meta({ title: 'Visitors' }),
    example: [visitorExample],
    answerHeaders: pageAnswerHeaders,
  }),
};
