// The audience operations of the interface: watch records and visitors of a channel.
import * as z from 'zod';
import { invalidField } from '../../base/api/errors.ts';
import { choice, periodEnd } from '../../base/api/fields.ts';
import { pageHeaders, pageNumber, pageSize } from '../../base/api/paging.ts';
import { type AnyRoute, route } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import type { DailyLimit } from '../../library/access/daily-limit.ts';
import { channelParams } from '../../library/channels/channel-routes.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import { sessionPage, visitorPage } from './audience-page.ts';
import { watchRecordAnswer, watchRecordExample, watchRecordView } from './session.ts';
import { visitorAnswer, visitorExample, visitorView } from './visitor.ts';

const rowsPerPage = { default: 20, max: 100 };

const pageAnswerHeaders = {
  Link: 'addresses of the next and the last page (RFC 8288); the fields may be sent in the query too',
  'X-Total-Count': 'how many rows there are in all pages',
};

export function audienceRoutes(given: { store: Store; zone: Zone; limit: DailyLimit }): AnyRoute[] {
  const { store, zone, limit } = given;
  return [
    route({
      operationId: 'getWatchRecords',
      method: 'POST',
      path: '/v1/activities/{channel_id}/userRecords',
      summary: 'Get the watch records of a channel, newest entry first; a few calls a day',
      section: '4.6',
      scope: 'audience:read',
      params: channelParams,
      query: {},
      bodyInQuery: true,
      body: {
        start_time: periodEnd('start of the period', zone, 'start'),
        end_time: periodEnd('end of the period', zone, 'end'),
        perPage: pageSize(rowsPerPage),
        p: pageNumber,
        filter_watch_time: choice('1 = exclude viewers who did not watch, 0 = include them', {
          of: ['1', '0'],
          cleared: '1',
          type: 'integer',
        }),
      },
      answer: z.array(watchRecordAnswer).meta({ title: 'WatchRecords' }),
      example: [watchRecordExample],
      absent: 'noChannel',
      errors: ['rateLimit'],
      answerHeaders: {
        ...pageAnswerHeaders,
        'RateLimit-Policy': 'calls a day',
        RateLimit: 'calls left today and seconds until the count starts again',
      },
      handle: async (call) => {
        const { start_time, end_time, perPage = rowsPerPage.default, p = 1 } = call.body;
        const { filter_watch_time = '1' } = call.body;
        if (start_time != null && end_time != null && start_time > end_time) {
          throw invalidField('start_time', 'start_time must not be after end_time');
        }
        const channel = await callersChannel(store, call.params.channel_id, call.caller);
        await limit.check(channel.account_id);
        const { total, rows } = await store.perform(sessionPage, {
          account_id: channel.account_id,
          channel_id: channel.id,
          filtered: filter_watch_time === '1',
          direction: 'desc',
          enteredFrom: start_time ?? undefined,
          // A time of entering is cut to its second, so the end's whole second belongs to the period.
          enteredBefore: end_time == null ? undefined : end_time + 1_000,
          limit: perPage,
          offset: (p - 1) * perPage,
        });
        const period = {
          ...(start_time != null && { start_time: zone.dateTime(start_time) }),
          ...(end_time != null && { end_time: zone.dateTime(end_time) }),
        };
        const headers = {
          ...pageHeaders(total, { p, perPage }, call, { perPage, filter_watch_time, ...period }),
          ...(await limit.count(channel.account_id)),
        };
        return { body: rows.map((row) => watchRecordView(row, zone)), headers };
      },
    }),
    route({
      operationId: 'getVisitors',
      method: 'POST',
      path: '/v1/activities/{channel_id}/visitors',
      summary: 'Get the visitors of a channel by first entry',
      section: '4.7',
      scope: 'audience:read',
      params: channelParams,
      query: {},
      bodyInQuery: true,
      body: {
        filter: choice('1 = exclude viewers whose watch time is under 1 minute, 0 = all viewers', {
          of: ['0', '1'],
          cleared: '0',
        }),
        perPage: pageSize(rowsPerPage),
        p: pageNumber,
        direction: choice('order by first entry', { of: ['desc', 'asc'], cleared: 'desc' }),
      },
      answer: z.array(visitorAnswer).meta({ title: 'Visitors' }),
      example: [visitorExample],
      absent: 'noChannel',
      answerHeaders: pageAnswerHeaders,
      handle: async (call) => {
        const {
          filter = '0',
          perPage = rowsPerPage.default,
          p = 1,
          direction = 'desc',
        } = call.body;
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
      },
    }),
  ];
}
