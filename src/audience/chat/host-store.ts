// What a channel's host writes into its chat, and the line that is pinned above it.
import { ApiError } from '../../base/api/errors.ts';
import { type Sql, write } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { ChatMessage } from './chat-message.ts';
import {
  type MessageRow,
  messageColumns,
  readMessage,
  replyTo,
  takeMessageId,
} from './chat-store.ts';

/** Who writes a host's line: no viewer has this id. */
const hostId = '';

export interface HostLine {
  /** Whose channel it is. */
  account_id: number;
  channel_id: number;
  nick: string;
  text: string;
  /** The line that it answers. */
  reply_to?: number | undefined;
  at: number;
}

/**
 * A line of the host, who is no viewer and counts for none; also where the chat is closed to viewers. Throws where there is
 * no such line to answer.
 */
export const sayAsHost = write(
  'chat.sayAsHost',
  ofAccount,
  async (sql, { channel_id, nick, text, reply_to, at }: HostLine): Promise<ChatMessage> => {
    const reply = await replyTo(sql, channel_id, reply_to);
    if (reply_to !== undefined && !reply) throw new ApiError('noMessage');
    const id = await takeMessageId(sql, channel_id);
    await sql.run(
      `INSERT INTO chat_messages (channel_id, id, viewer_id, nick, text, sent_at, host, reply_to)
       VALUES ($1, $2, $3, $4, $5, $6, 1, $7)`,
      [channel_id, id, hostId, nick, text, at, reply?.id ?? null],
    );
    const line = { id, viewer_id: hostId, nick, text, sent_at: at, host: true };
    return reply ? { ...line, reply } : line;
  },
);

/** Pins a line in the place of any other. */
export const pinMessage = write(
  'chat.pin',
  ofAccount,
  async (
    sql,
    input: { account_id: number; channel_id: number; id: number },
  ): Promise<ChatMessage> => {
    const { channel_id, id } = input;
    await sql.run('UPDATE channels SET pinned_message_id = $2 WHERE id = $1', [channel_id, id]);
    const pinned = await pinnedMessage(sql, channel_id);
    if (!pinned) throw new ApiError('noMessage');
    return pinned;
  },
);

export const unpinMessage = write(
  'chat.unpin',
  ofAccount,
  async (sql, { channel_id }: { account_id: number; channel_id: number }): Promise<void> => {
    await sql.run('UPDATE channels SET pinned_message_id = NULL WHERE id = $1', [channel_id]);
  },
);

/** None where the line is gone, whoever has removed it: its id is never another's. */
export async function pinnedMessage(
  sql: Sql,
  channel_id: number,
): Promise<ChatMessage | undefined> {
  const row = await sql.one<MessageRow>(
    `SELECT ${messageColumns} FROM channels c
     JOIN chat_messages m ON m.channel_id = c.id AND m.id = c.pinned_message_id
     LEFT JOIN chat_messages r ON r.channel_id = m.channel_id AND r.id = m.reply_to WHERE c.id = $1`,
    [channel_id],
  );
  return row && readMessage(row);
}
