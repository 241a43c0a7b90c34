// The operations of moderators share this: what they work on, and whom they tell.
import * as z from 'zod';
import { text } from '../../base/api/fields.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import type { ChatMessage, Reply } from './chat-message.ts';

/**
 * Presence is told what a moderator has done through this service, so that pages follow at once. What the command
 * line and other services do, it reads from the database.
 */
export interface ChatWatch {
  /** The host has written a line. */
  said(channel_id: number, message: ChatMessage): void;
  /** None is pinned any more where it is undefined. */
  pinned(channel_id: number, message: ChatMessage | undefined): void;
  removed(channel_id: number, ids: readonly number[]): void;
  chatOpened(channel_id: number, open: boolean): void;
  chatSlowed(channel_id: number, slow_seconds: number): void;
  banned(channel_id: number, viewer_id: string): void;
  /** Somebody was muted, a mute or a ban was lifted, or ends at another time. */
  changed(channel_id: number): void;
}

export interface ModerationOptions {
  store: Store;
  now: () => number;
  zone: Zone;
  watch: ChatWatch;
}

/** A message as those see it who run the channel. */
export const messageAnswer = z
  .object({
    id: z.int().meta({ description: 'message id; rises from 1 in each channel' }),
    viewer_id: z.string().meta({ description: 'who wrote it; empty for the host' }),
    nick: z.string().meta({ description: 'nickname at that time' }),
    text: z.string().meta({ description: 'what was written' }),
    sent_at: z.string().meta({ description: 'when, `YYYY-MM-DD HH:MM:SS`' }),
    host: z.boolean().meta({ description: 'whether the host of the channel wrote it' }),
    reply_to: z
      .int()
      .nullable()
      .meta({ description: 'id of the message that it answers; null where it answers none' }),
    quoted: z
      .object({ nick: z.string(), text: z.string(), host: z.boolean() })
      .nullable()
      .meta({ description: 'that message; null where it was removed, too' }),
  })
  .meta({ title: 'ChatMessage' });

export function shownMessage(message: ChatMessage, zone: Zone): z.output<typeof messageAnswer> {
  const { reply, ...line } = message;
  return {
    ...line,
    sent_at: zone.dateTime(message.sent_at),
    reply_to: reply?.id ?? null,
    quoted: quotedIn(reply),
  };
}

function quotedIn(reply: Reply | undefined): z.output<typeof messageAnswer>['quoted'] {
  if (!reply?.line) return null;
  const { nick, text, host } = reply.line;
  return { nick, text, host };
}

export const viewerIdField = text('viewer id: `user_id` of a watch record', {
  min: 1,
  max: 255,
  examples: ['u-58213'],
});
