// What `/openapi.json` says of a chat's moderation: read, remove, open and close.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';

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

const removedAnswer = z
  .object({
    removed: z.array(z.int()).meta({ description: 'ids of the messages that were there' }),
  })
  .meta({ title: 'RemovedMessages' });

const openAnswer = z
  .object({ open: z.boolean().meta({ description: 'whether viewers may write' }) })
  .meta({ title: 'ChatState' });

export const chatDocs = {
  getChat: docs({
    section: 'own',
    summary: 'Read the chat of a channel, newest message first',
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
  }),
  removeChatMessages: docs({
    section: 'own',
    summary: 'Remove messages by their ids, or all of one viewer',
    answer: removedAnswer,
    example: { removed: [7, 8] },
    errors: ['missing'],
  }),
  openChat: docs({
    section: 'own',
    summary: 'Open the chat of a channel',
    answer: openAnswer,
    example: { open: true },
  }),
  closeChat: docs({
    section: 'own',
    summary: 'Close the chat of a channel; what was written stays',
    answer: openAnswer,
    example: { open: false },
  }),
};
