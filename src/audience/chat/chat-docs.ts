// What `/openapi.json` says of a chat's moderation: read, remove, open, close and slow down.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';
import { messageAnswer } from './moderation.ts';

const slowSeconds = z
  .int()
  .meta({ description: 'seconds between two lines of one viewer; 0 where it is not slow' });

const chatAnswer = z
  .object({
    open: z.boolean().meta({ description: 'whether viewers may write' }),
    slow_seconds: slowSeconds,
    pinned: messageAnswer
      .nullable()
      .meta({ description: 'the message that stands above the chat; null where none does' }),
    messages: z.array(messageAnswer),
    next_before: z
      .int()
      .nullable()
      .meta({ description: '`before` of the next page; null when there is none' }),
    next_after: z
      .int()
      .meta({ description: '`after` of the next call, to get what is written from now on' }),
  })
  .meta({ title: 'Chat' });

const removedAnswer = z
  .object({
    removed: z.array(z.int()).meta({ description: 'ids of the messages that were there' }),
  })
  .meta({ title: 'RemovedMessages' });

const openAnswer = z
  .object({ open: z.boolean().meta({ description: 'whether viewers may write' }) })
  .meta({ title: 'ChatState' });

const slowAnswer = z.object({ slow_seconds: slowSeconds }).meta({ title: 'ChatPace' });

export const chatDocs = {
  getChat: docs({
    summary: 'Read the chat of a channel, newest message first',
    note: 'To follow it, ask again with `after` as `next_after` says: then the oldest of what is new comes first, so none is missed. What was removed is not told.',
    answer: chatAnswer,
    example: {
      open: true,
      slow_seconds: 0,
      pinned: null,
      messages: [
        {
          id: 7,
          viewer_id: 'u-58213',
          nick: 'Li Wei',
          text: 'Hello',
          sent_at: '2026-05-01 19:31:02',
          host: false,
          reply_to: null,
          quoted: null,
        },
      ],
      next_before: null,
      next_after: 7,
    },
  }),
  removeChatMessages: docs({
    summary: 'Remove messages by their ids, or all of one viewer',
    answer: removedAnswer,
    example: { removed: [7, 8] },
    errors: ['missing'],
  }),
  openChat: docs({
    summary: 'Open the chat of a channel',
    answer: openAnswer,
    example: { open: true },
  }),
  closeChat: docs({
    summary: 'Close the chat of a channel; what was written stays',
    answer: openAnswer,
    example: { open: false },
  }),
  slowChat: docs({
    summary: 'Let each viewer write one line in so many seconds',
    note: 'Whichever of their pages and whichever node it comes from. Pages say how long to wait, and keep what was typed. The host is not slowed. 0 ends it.',
    answer: slowAnswer,
    example: { slow_seconds: 30 },
  }),
};
