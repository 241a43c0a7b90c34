// A host speaks in the chat of their channel and pins a line above it, beside the interface.
import { post } from '../../base/api/endpoint.ts';
import { ApiError } from '../../base/api/errors.ts';
import { idMax, integer, text } from '../../base/api/fields.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import { Allowances } from '../../base/peers/allowance.ts';
import { channelById } from '../../library/channels/channel.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import { chatLimits } from './chat-limits.ts';
import { hostDocs } from './host-docs.ts';
import { hostLine } from './host-line.ts';
import { pinMessage, sayAsHost, unpinMessage } from './host-store.ts';
import { type ModerationOptions, shownMessage } from './moderation.ts';

const { chatCharactersMax, nickCharactersMax, hostLines } = chatLimits;

export function hostRoutes(options: ModerationOptions): AnyRoute[] {
  const parts = { ...options, pace: new Allowances(hostLines) };
  const handlers = { sayInChat, pinChatMessage, unpinChatMessage };
  return routes({ table: hostTable, docs: hostDocs, handlers, parts });
}

const hostTable = {
  sayInChat: post('/manage/v1/channels/{channel_id}/chat/say', 'channels:run', {
    ...channelById,
    body: {
      text: text('what is said', { min: 1, max: chatCharactersMax, examples: ['Welcome!'] }),
      nick: text('name beside it; absent: that of the channel', {
        max: nickCharactersMax,
        examples: ['Anna'],
      }),
      reply_to: integer('id of the message that it answers', { min: 1, max: idMax }),
    },
    required: ['text'],
  }),
  pinChatMessage: post('/manage/v1/channels/{channel_id}/chat/pin', 'channels:run', {
    ...channelById,
    body: { id: integer('message id', { min: 1, max: idMax, examples: [8] }) },
    required: ['id'],
  }),
  unpinChatMessage: post('/manage/v1/channels/{channel_id}/chat/unpin', 'channels:run', {
    ...channelById,
    body: {},
  }),
};

interface Parts extends ModerationOptions {
  /** By channel. */
  pace: Allowances;
}

type Handle = Handlers<typeof hostTable, typeof hostDocs, Parts>;

const sayInChat: Handle['sayInChat'] = async ({ params, body, caller }, parts) => {
  const { store, watch, zone, now, pace } = parts;
  const channel = await callersChannel(store, params.channel_id, caller);
  const { id: channel_id, account_id } = channel;
  const said = hostLine(body, channel);
  const at = now();
  if (!pace.take(`channel ${channel_id}`, at))
    throw new ApiError('rateLimit', {
      message: 'The host of this channel says too much at once',
      headers: { 'Retry-After': '1' },
    });
  const { reply_to } = body;
  const line = { account_id, channel_id, ...said, reply_to, at };
  const message = await store.perform(sayAsHost, line);
  watch.said(channel_id, message);
  return { body: shownMessage(message, zone) };
};

const pinChatMessage: Handle['pinChatMessage'] = async ({ params, body, caller }, parts) => {
  const { store, watch, zone } = parts;
  const { id: channel_id, account_id } = await callersChannel(store, params.channel_id, caller);
  const message = await store.perform(pinMessage, { account_id, channel_id, id: body.id });
  watch.pinned(channel_id, message);
  return { body: { pinned: shownMessage(message, zone) } };
};

const unpinChatMessage: Handle['unpinChatMessage'] = async ({ params, caller }, parts) => {
  const { store, watch } = parts;
  const { id: channel_id, account_id } = await callersChannel(store, params.channel_id, caller);
  await store.perform(unpinMessage, { account_id, channel_id });
  watch.pinned(channel_id, undefined);
  return { body: { pinned: null } };
};
