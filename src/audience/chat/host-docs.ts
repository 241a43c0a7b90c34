// What `/openapi.json` says of a host's words in the chat.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';
import { messageAnswer } from './moderation.ts';

const pinnedAnswer = z
  .object({ pinned: messageAnswer.nullable().meta({ description: 'what stands above the chat' }) })
  .meta({ title: 'PinnedMessage' });

const example: z.output<typeof messageAnswer> = {
  id: 8,
  viewer_id: '',
  nick: 'Spring launch',
  text: 'Questions at the end, please',
  sent_at: '2026-05-01 19:32:00',
  host: true,
  reply_to: 7,
  quoted: { nick: 'Li Wei', text: 'Can I ask something?', host: false },
};

export const hostDocs = {
  sayInChat: docs({
    summary: 'Say a line in the chat as the host',
    note: 'It is shown with a host’s badge and counts for no viewer. A host may speak while the chat is closed: 20 lines at once, then one a second.',
    answer: messageAnswer,
    example,
    errors: ['noMessage', 'rateLimit'],
  }),
  pinChatMessage: docs({
    summary: 'Pin a message above the chat, in the place of any other',
    note: 'It stays there until it is unpinned or removed, or its writer is erased.',
    answer: pinnedAnswer,
    example: { pinned: example },
    errors: ['noMessage'],
  }),
  unpinChatMessage: docs({
    summary: 'Take the pinned message away; it stays in the chat',
    answer: pinnedAnswer,
    example: { pinned: null },
  }),
};
