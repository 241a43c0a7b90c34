// Moderation of a channel's chat, beside the interface: read, remove, open and close.
import * as z from 'zod';
import type { Owner } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import { idList, idMax, integer } from '../../base/api/fields.ts';
import { pageSize } from '../../base/api/paging.ts';
import { type AnyRoute, route } from '../../base/api/route.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { channelParams } from '../../library/channels/channel-routes.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import { isChatOpen, removedMax, removeMessages, setChatOpen } from './chat-store.ts';
import { type ModerationOptions, viewerIdField } from './moderation.ts';
import { messagesBefore, removeMessagesOf } from './moderation-store.ts';
import { silenceRoutes } from './silence-routes.ts';

const messagesPerPage = { default: 50, max: 1_000 };

const messageAnswer = z
  .object({
    id: z.int().meta({ description: 'message id; rises from 1 in each channel' }),
    viewer_id: z.string().meta({ description: 'who wrote it' }),
    nick: z.string().meta({ description: 'nickname at that time' }),
    text: z.string().meta({ description: 'what was written' }),
    sent_at: z.string().meta({ description: 'when, `YYYY-MM-DD HH:MM:SS`' }),
  })
  .meta({ title: 'ChatMessage' });

const chatAnswer = z
  .object({
    open: z.boolean().meta({ description: 'whether viewers may write' }),
    messages: z.array(messageAnswer),
    next_before: z
      .int()
      .nullable()
      .meta({ description: '`before` of the next page; null when there is none' }),
  })
  .meta({ title: 'Chat' });

const openAnswer = z
  .object({ open: z.boolean().meta({ description: 'whether viewers may write' }) })
  .meta({ title: 'ChatState' });

export function chatRoutes(given: ModerationOptions): AnyRoute[] {
  const { store, zone, watch } = given;
  return [
    route({
      operationId: 'getChat',
      method: 'GET',
      path: '/manage/v1/channels/{channel_id}/chat',
      summary: 'Read the chat of a channel, newest message first',
      section: 'own',
      scope: 'manage',
      params: channelParams,
      query: {
        before: integer('only messages before this id', { min: 1, max: idMax }),
        viewer_id: viewerIdField,
        perPage: pageSize(messagesPerPage),
      },
      answer: chatAnswer,
      example: {
        open: true,
        messages: [
          {
            id: 7,
            viewer_id: 'u-58213',
            nick: 'Li Wei',
            text: 'Hello',
            sent_at: '2026-05-01 19:31:02',
          },
        ],
        next_before: null,
      },
      absent: 'noChannel',
      handle: async ({ params, query, caller }) => {
        const { perPage = messagesPerPage.default, before, viewer_id } = query;
        const { id: channel_id, account_id } = await callersChannel(
          store,
          params.channel_id,
          caller,
        );
        const asked = { account_id, channel_id, before, viewer_id, limit: perPage };
        // A thousand of the longest would take 10 ms here.
        const rows = await store.perform(messagesBefore, asked);
        const messages = rows.map((row) => ({ ...row, sent_at: zone.dateTime(row.sent_at) }));
        const open = (await isChatOpen(store.for(ofAccount(caller)), channel_id)) ?? false;
        const next_before = rows.length === perPage ? (rows.at(-1)?.id ?? null) : null;
        return { body: { open, messages, next_before } };
      },
    }),
    route({
      operationId: 'removeChatMessages',
      method: 'POST',
      path: '/manage/v1/channels/{channel_id}/chat/remove',
      summary: 'Remove messages by their ids, or all of one viewer',
      section: 'own',
      scope: 'manage',
      params: channelParams,
      query: {},
      body: { ids: idList('message ids', { countMax: removedMax }), viewer_id: viewerIdField },
      answer: z
        .object({
          removed: z.array(z.int()).meta({ description: 'ids of the messages that were there' }),
        })
        .meta({ title: 'RemovedMessages' }),
      example: { removed: [7, 8] },
      absent: 'noChannel',
      errors: ['missing'],
      handle: async ({ params, body: { ids, viewer_id }, caller }) => {
        if (ids === undefined && viewer_id === undefined)
          throw new ApiError('missing', {
            fields: [{ name: 'ids', message: 'ids or viewer_id must be given' }],
          });
        const { id: channel_id, account_id } = await callersChannel(
          store,
          params.channel_id,
          caller,
        );
        const removed = new Set<number>();
        if (ids)
          for (const id of await store.perform(removeMessages, { account_id, channel_id, ids }))
            removed.add(id);
        if (viewer_id !== undefined)
          for (const id of await store.perform(removeMessagesOf, {
            account_id,
            channel_id,
            viewer_id,
          }))
            removed.add(id);
        if (removed.size > 0) watch.removed(channel_id, [...removed]);
        return { body: { removed: [...removed] } };
      },
    }),
    openRoute(given, true),
    openRoute(given, false),
    ...silenceRoutes(given),
  ];
}

function openRoute({ store, watch }: ModerationOptions, open: boolean): AnyRoute {
  const word = open ? 'open' : 'close';
  return route({
    operationId: `${word}Chat`,
    method: 'POST',
    path: `/manage/v1/channels/{channel_id}/chat/${word}`,
    summary: open
      ? 'Open the chat of a channel'
      : 'Close the chat of a channel; what was written stays',
    section: 'own',
    scope: 'manage',
    params: channelParams,
    query: {},
    body: {},
    answer: openAnswer,
    example: { open },
    absent: 'noChannel',
    handle: async ({ params, caller }: { params: { channel_id: number }; caller: Owner }) => {
      const { id: channel_id, account_id } = await callersChannel(store, params.channel_id, caller);
      await store.perform(setChatOpen, { account_id, channel_id, open });
      watch.chatOpened(channel_id, open);
      return { body: { open } };
    },
  });
}
