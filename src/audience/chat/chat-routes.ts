// A channel's chat for whoever runs it, beside the interface: read, remove, open, close and slow down; hosts and silences join it.
import { get, post } from '../../base/api/endpoint.ts';
import { ApiError } from '../../base/api/errors.ts';
import { idList, idMax, integer } from '../../base/api/fields.ts';
import { pageSize } from '../../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { channelById } from '../../library/channels/channel.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import { chatDocs } from './chat-docs.ts';
import { chatLimits } from './chat-limits.ts';
import {
  readChatState,
  removedMax,
  removeMessages,
  setChatOpen,
  setChatSlow,
} from './chat-store.ts';
import { hostRoutes } from './host-routes.ts';
import { pinnedMessage } from './host-store.ts';
import { type ModerationOptions, shownMessage, viewerIdField } from './moderation.ts';
import { messagesBefore, removeMessagesOf } from './moderation-store.ts';
import { silenceRoutes } from './silence-routes.ts';

export function chatRoutes(parts: ModerationOptions): AnyRoute[] {
  const own = routes({
    table: chatTable,
    docs: chatDocs,
    handlers: {
      getChat,
      removeChatMessages,
      openChat: setOpen(true),
      closeChat: setOpen(false),
      slowChat,
    },
    parts,
  });
  return [...own, ...hostRoutes(parts), ...silenceRoutes(parts)];
}

const messagesPerPage = { default: 50, max: 1_000 };

const chatTable = {
  getChat: get('/manage/v1/channels/{channel_id}/chat', 'channels:run', {
    ...channelById,
    query: {
      before: integer('only messages before this id', { min: 1, max: idMax }),
      after: integer('only messages after this id, the oldest of them', { min: 0, max: idMax }),
      viewer_id: viewerIdField,
      perPage: pageSize(messagesPerPage),
    },
  }),
  removeChatMessages: post('/manage/v1/channels/{channel_id}/chat/remove', 'channels:run', {
    ...channelById,
    body: { ids: idList('message ids', { countMax: removedMax }), viewer_id: viewerIdField },
  }),
  openChat: post('/manage/v1/channels/{channel_id}/chat/open', 'channels:run', {
    ...channelById,
    body: {},
  }),
  closeChat: post('/manage/v1/channels/{channel_id}/chat/close', 'channels:run', {
    ...channelById,
    body: {},
  }),
  slowChat: post('/manage/v1/channels/{channel_id}/chat/slow', 'channels:run', {
    ...channelById,
    body: {
      seconds: integer('seconds between two lines of one viewer; 0 for a chat that is not slow', {
        min: 0,
        max: chatLimits.slowSecondsMax,
        examples: [30],
      }),
    },
    required: ['seconds'],
  }),
};

type Handle = Handlers<typeof chatTable, typeof chatDocs, ModerationOptions>;

const getChat: Handle['getChat'] = async ({ params, query, caller }, { store, zone }) => {
  const { perPage = messagesPerPage.default, before, after, viewer_id } = query;
  const { id: channel_id, account_id } = await callersChannel(store, params.channel_id, caller);
  const asked = { account_id, channel_id, before, after, viewer_id, limit: perPage };
  // A thousand of the longest would take 10 ms here.
  const rows = await store.perform(messagesBefore, asked);
  const messages = rows.map((row) => shownMessage(row, zone));
  const sql = store.for(ofAccount(caller));
  const { open = false, slow_seconds = 0 } = (await readChatState(sql, channel_id)) ?? {};
  const line = await pinnedMessage(sql, channel_id);
  const pinned = line ? shownMessage(line, zone) : null;
  const isLast = after !== undefined || rows.length < perPage;
  const next_before = isLast ? null : (rows.at(-1)?.id ?? null);
  const next_after = rows[0]?.id ?? after ?? 0;
  return { body: { open, slow_seconds, pinned, messages, next_before, next_after } };
};

const removeChatMessages: Handle['removeChatMessages'] = async (call, { store, watch }) => {
  const { ids, viewer_id } = call.body;
  if (ids === undefined && viewer_id === undefined)
    throw new ApiError('missing', {
      fields: [{ name: 'ids', message: 'ids or viewer_id must be given' }],
    });
  const channel = await callersChannel(store, call.params.channel_id, call.caller);
  const of = { account_id: channel.account_id, channel_id: channel.id };
  const byId = ids ? await store.perform(removeMessages, { ...of, ids }) : [];
  const byViewer =
    viewer_id === undefined ? [] : await store.perform(removeMessagesOf, { ...of, viewer_id });
  const removed = [...new Set([...byId, ...byViewer])];
  if (removed.length > 0) watch.removed(channel.id, removed);
  return { body: { removed } };
};

function setOpen(open: boolean): Handle['openChat' | 'closeChat'] {
  return async ({ params, caller }, { store, watch }) => {
    const { id: channel_id, account_id } = await callersChannel(store, params.channel_id, caller);
    await store.perform(setChatOpen, { account_id, channel_id, open });
    watch.chatOpened(channel_id, open);
    return { body: { open } };
  };
}

const slowChat: Handle['slowChat'] = async ({ params, body, caller }, { store, watch }) => {
  const { id: channel_id, account_id } = await callersChannel(store, params.channel_id, caller);
  const { seconds: slow_seconds } = body;
  await store.perform(setChatSlow, { account_id, channel_id, slow_seconds });
  watch.chatSlowed(channel_id, slow_seconds);
  return { body: { slow_seconds } };
};
