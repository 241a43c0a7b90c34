// The channel operations of the interface: list, create, get, rename, change the page.
import * as z from 'zod';
import { ApiError, invalidField } from '../../base/api/errors.ts';
import { choice, dateTime, idMax, integer, text } from '../../base/api/fields.ts';
import { envelope, linksAnswer, metaFields, pageNumber } from '../../base/api/paging.ts';
import { type AnyRoute, route } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofOwner } from '../../base/db/whose.ts';
import type { Zone } from '../../base/lib/time.ts';
import { ownerOf } from '../access/owner.ts';
import { channelAnswer, channelViews, listedFields } from './channel.ts';
import { channelExample } from './channel-example.ts';
import {
  callersChannel,
  changePage,
  createChannel,
  listChannels,
  renameChannel,
  rotateKey,
} from './channel-store.ts';
import { pageFields } from './page.ts';

const channelsPerPage = 30;
/** Pages further in than this are read off the main thread: skipping rows takes its time. */
const nearRows = 3_000;

const nameField = text('channel name', {
  min: 1,
  max: 255,
  trim: true,
  examples: ['Spring launch'],
});
const managerField = integer('channel manager id', { min: 0, max: idMax, cleared: 0 });

/** The path parameter of every operation on one channel. */
export const channelParams = { channel_id: integer('channel id', { min: 1, max: idMax }) };

export function channelRoutes(given: {
  store: Store;
  now: () => number;
  zone: Zone;
  /** Of an account. */
  channelsMax: number;
  rtmpUrl: (baseUrl: string) => string;
}): AnyRoute[] {
  const { store, now, zone, channelsMax } = given;
  const page = pageFields(zone);
  const views = channelViews({ zone, page, rtmpUrl: given.rtmpUrl });
  const briefAnswer = channelAnswer(page.brief.answer).meta({ title: 'Channel' });
  const wholeAnswer = channelAnswer(page.whole.answer).meta({ title: 'ChannelWithWholePage' });
  const listedAnswer = channelAnswer(page.brief.answer)
    .extend(listedFields)
    .meta({ title: 'ListedChannel' });
  const example = channelExample(zone);

  return [
    route({
      operationId: 'listChannels',
      method: 'GET',
      path: '/v1/activities',
      summary: 'List channels, newest first',
      section: '4.1',
      scope: 'channels:read',
      params: {},
      query: {
        live: choice('1 = only channels currently live', {
          of: ['0', '1'],
          cleared: '0',
          type: 'integer',
        }),
        manager: integer('channel manager id; 0 = those of no manager', { min: 0, max: idMax }),
        p: pageNumber,
      },
      answer: z
        .object({
          activities: z.array(listedAnswer),
          meta: z.object(metaFields),
          links: linksAnswer,
        })
        .meta({ title: 'ChannelList' }),
      example: {
        activities: [example.listed],
        meta: { total: 1, page: 1, current: 1 },
        links: { next_url: null, end_url: 'https://live.example.com/v1/activities?p=1' },
      },
      handle: async (call) => {
        const p = call.query.p ?? 1;
        const offset = (p - 1) * channelsPerPage;
        const query = {
          owner: ownerOf(call.caller),
          live: call.query.live === '1',
          manager: call.query.manager,
          limit: channelsPerPage,
          offset,
        };
        const { total, rows } =
          offset <= nearRows
            ? await listChannels.run(store.for(ofOwner(query)), query)
            : await store.perform(listChannels, query);
        const { meta, links } = envelope(total, { p, perPage: channelsPerPage }, call);
        return { body: { activities: rows.map((row) => views.listed(row, call)), meta, links } };
      },
    }),
    route({
      operationId: 'createChannel',
      method: 'POST',
      path: '/v1/activities',
      summary: 'Create a channel',
      section: '4.2',
      scope: 'channels:write',
      params: {},
      query: {},
      body: {
        name: nameField,
        start_time: dateTime('live start time', zone),
        act_manager_id: managerField,
      },
      required: ['name'],
      answer: briefAnswer,
      example: example.brief,
      errors: ['noPermission', 'noUser'],
      requestHeaders: {
        'Idempotency-Key':
          'a second create with the same key within 24 hours answers the first one’s channel',
      },
      handle: async (call) => {
        const { name, start_time = null, act_manager_id = 0 } = call.body;
        const own = call.caller.manager_id;
        if (own !== 0 && act_manager_id !== 0 && act_manager_id !== own) {
          throw new ApiError('noPermission', {
            message: "A manager's token makes only that manager's channels",
          });
        }
        const manager_id = own !== 0 ? own : act_manager_id;
        const { row, replayed } = await store.perform(createChannel, {
          owner: ownerOf(call.caller),
          name,
          manager_id,
          page: page.change({ start_time }),
          now: now(),
          channelsMax,
          idempotency: idempotency(call.header('idempotency-key'), [name, start_time, manager_id]),
        });
        const headers = replayed ? { 'Idempotency-Replayed': 'true' } : {};
        return { body: views.brief(row, call), headers };
      },
    }),
    route({
      operationId: 'getChannel',
      method: 'GET',
      path: '/v1/activities/{channel_id}',
      summary: 'Get a channel',
      section: '4.3',
      scope: 'channels:read',
      params: channelParams,
      query: {},
      answer: briefAnswer,
      example: example.brief,
      single: true,
      absent: 'noChannel',
      handle: async (call) => {
        const row = await callersChannel(store, call.params.channel_id, call.caller);
        return { body: views.brief(row, call) };
      },
    }),
    route({
      operationId: 'renameChannel',
      method: 'PUT',
      path: '/v1/activities/{channel_id}',
      summary: 'Rename a channel',
      section: '4.4',
      scope: 'channels:write',
      params: channelParams,
      query: {},
      body: { name: nameField },
      required: ['name'],
      answer: briefAnswer,
      example: example.brief,
      absent: 'noChannel',
      handle: async (call) => {
        const { name } = call.body;
        const owner = ownerOf(call.caller);
        const row = await store.perform(renameChannel, { id: call.params.channel_id, owner, name });
        return { body: views.brief(row, call) };
      },
    }),
    route({
      operationId: 'changeChannelPage',
      method: 'PUT',
      path: '/v1/activities/{channel_id}/page',
      summary:
        'Change the settings of the viewing page; fields that are not named stay as they are',
      section: '4.5',
      scope: 'channels:write',
      params: channelParams,
      query: {},
      body: page.shape,
      answer: wholeAnswer,
      example: example.whole,
      absent: 'noChannel',
      handle: async (call) => {
        const change = page.change(call.body);
        const owner = ownerOf(call.caller);
        const row = await store.perform(changePage, {
          id: call.params.channel_id,
          owner,
          page: change,
        });
        return { body: views.whole(row, call) };
      },
    }),
    route({
      operationId: 'rotatePublishKey',
      method: 'POST',
      path: '/manage/v1/channels/{channel_id}/rotate-key',
      summary: 'Give a channel a new publish key; a push with the old one is cut within 5 seconds',
      section: 'own',
      scope: 'manage',
      params: channelParams,
      query: {},
      body: {},
      answer: briefAnswer,
      example: example.brief,
      absent: 'noChannel',
      handle: async (call) => {
        const owner = ownerOf(call.caller);
        const row = await store.perform(rotateKey, { id: call.params.channel_id, owner });
        return { body: views.brief(row, call) };
      },
    }),
  ];
}

const idempotencyKeyMax = 255;

function idempotency(key: string | null, request: unknown[]) {
  if (key === null) return undefined;
  if (key === '' || key.length > idempotencyKeyMax || !/^[\x21-\x7e]+$/.test(key)) {
    throw invalidField(
      'Idempotency-Key',
      `Idempotency-Key must be 1 to ${idempotencyKeyMax} visible ASCII characters`,
    );
  }
  return { key, request_hash: Bun.hash(JSON.stringify(request)).toString(36) };
}
