// What moderators read of a chat, and what they remove by its author.
import { read, telling, where, write } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { ChatMessage } from './chat-message.ts';
import { type MessageRow, messageColumns, messagesWithReplies, readMessage } from './chat-store.ts';

export interface MessageQuery {
  /** Whose channel it is. */
  account_id: number;
  channel_id: number;
  /** Only messages before this one. */
  before?: number | undefined;
  /** Only messages after this one: of those the oldest. */
  after?: number | undefined;
  /** Only messages of one viewer. */
  viewer_id?: string | undefined;
  limit: number;
}

/** Messages, the newest first. */
export const messagesBefore = read(
  'chat.messagesBefore',
  ofAccount,
  async (sql, query: MessageQuery): Promise<ChatMessage[]> => {
    const filter = where([
      ['m.channel_id = ?', query.channel_id],
      ['m.id < ?', query.before],
      ['m.id > ?', query.after],
      ['m.viewer_id = ?', query.viewer_id],
    ]);
    // Who asks for what is new misses none of it, however much that is.
    const isForward = query.after !== undefined;
    const rows = await sql.all<MessageRow>(
      `SELECT ${messageColumns} FROM ${messagesWithReplies} ${filter.text}
       ORDER BY m.id ${isForward ? 'ASC' : 'DESC'} LIMIT CAST($${filter.next} AS BIGINT)`,
      [...filter.params, query.limit],
    );
    return (isForward ? rows.reverse() : rows).map(readMessage);
  },
);

/** Everything that a viewer has written in a channel; the ids. */
export const removeMessagesOf = telling(
  { of: ({ channel_id }) => ({ kind: 'channel', id: channel_id }) },
  write(
    'chat.removeOf',
    ofAccount,
    async (
      sql,
      input: { account_id: number; channel_id: number; viewer_id: string },
    ): Promise<number[]> => {
      const rows = await sql.all<{ id: number }>(
        'DELETE FROM chat_messages WHERE channel_id = $1 AND viewer_id = $2 RETURNING id',
        [input.channel_id, input.viewer_id],
      );
      return rows.map(({ id }) => id).sort((a, b) => a - b);
    },
  ),
);
