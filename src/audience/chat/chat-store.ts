// Chat in the database: what was said on a channel, who may not speak there, whether anybody may.
import { ApiError } from '../../base/api/errors.ts';
import { batchStatement } from '../../base/db/batch.ts';
import { type Sql, telling, write } from '../../base/db/sql.ts';
import { ofAccount, ofChannel } from '../../base/db/whose.ts';
import { checkChannel } from '../records/channel-audience-store.ts';
import type { ChatMessage, ChatState, Reply, Silence, SilenceKind } from './chat-message.ts';

export interface NewMessage {
  channel_id: number;
  viewer_id: string;
  nick: string;
  text: string;
  /** The line that it answers. */
  reply_to?: number | undefined;
  at: number;
}

/** In a slow chat a line of the viewer came less than its time ago. */
export interface TooSoon {
  wait_ms: number;
}

/** The message as it is kept, counted with its visitor; or why it is not. */
export const addMessage = write(
  'chat.add',
  ofChannel,
  async (
    sql,
    message: NewMessage,
  ): Promise<ChatMessage | TooSoon | 'muted' | 'closed' | 'gone'> => {
    const { channel_id, viewer_id, nick, text, reply_to, at } = message;
    const state = await readChatState(sql, channel_id);
    if (!state?.open) return 'closed';
    if (await isSilenced(sql, channel_id, viewer_id, at)) return 'muted';
    const slowMs = 1_000 * state.slow_seconds;
    const refused = await tooSoon(sql, message, slowMs);
    if (refused) return refused;
    // First, as every write of an audience takes the channel's row before a visitor's.
    const id = await takeMessageId(sql, channel_id);
    const visitors = await sql.run(
      `UPDATE visitors SET comment_count = comment_count + 1, wrote_at = $3
       WHERE channel_id = $1 AND viewer_id = $2 AND ${hasWaited('$4', '$5')}`,
      [channel_id, viewer_id, at, ...slowSpan(at, slowMs)],
    );
    // Another node was faster; or they were erased since they came, and nothing is kept of them.
    if (visitors === 0) return (await tooSoon(sql, message, slowMs)) ?? 'gone';
    // It may have been removed while the answer was written: then that is a line like any other.
    const reply = await replyTo(sql, channel_id, reply_to);
    await sql.run(
      `INSERT INTO chat_messages (channel_id, id, viewer_id, nick, text, sent_at, reply_to)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [channel_id, id, viewer_id, nick, text, at, reply?.id ?? null],
    );
    return { id, viewer_id, nick, text, sent_at: at, host: false, ...(reply && { reply }) };
  },
);

function hasWaited(from: string, to: string): string {
  return `(wrote_at IS NULL OR wrote_at NOT BETWEEN ${from} AND ${to})`;
}

/** A line keeps its viewer from another; one that is further ahead was written by a clock that was set back since. */
function slowSpan(at: number, slowMs: number): [from: number, to: number] {
  return [at - slowMs + 1, at + slowMs];
}

/** Whichever node had the viewer's last line. */
async function tooSoon(
  sql: Sql,
  { channel_id, viewer_id, at }: NewMessage,
  slowMs: number,
): Promise<TooSoon | undefined> {
  if (slowMs === 0) return undefined;
  const [from, to] = slowSpan(at, slowMs);
  const row = await sql.one<{ wrote_at: number }>(
    `SELECT wrote_at FROM visitors
     WHERE channel_id = $1 AND viewer_id = $2 AND NOT ${hasWaited('$3', '$4')}`,
    [channel_id, viewer_id, from, to],
  );
  return row && { wait_ms: Math.min(slowMs, row.wrote_at + slowMs - at) };
}

/** The line that is to be answered, where there is one. */
export async function replyTo(
  sql: Sql,
  channel_id: number,
  id: number | undefined,
): Promise<Reply | undefined> {
  if (id === undefined) return undefined;
  const row = await sql.one<Omit<NonNullable<Reply['line']>, 'host'> & { host: number }>(
    'SELECT viewer_id, nick, text, host FROM chat_messages WHERE channel_id = $1 AND id = $2',
    [channel_id, id],
  );
  return row && { id, line: { ...row, host: row.host === 1 } };
}

export interface MessageRow extends Omit<ChatMessage, 'host' | 'reply'> {
  host: number;
  reply_to: number | null;
  /** Of the line that it answers; null where there is none. */
  replied_viewer_id: string | null;
  replied_nick: string | null;
  replied_text: string | null;
  replied_host: number | null;
}

/** Of a `MessageRow`, from `messagesWithReplies`. */
export const messageColumns = `m.id, m.viewer_id, m.nick, m.text, m.sent_at, m.host, m.reply_to,
  r.viewer_id AS replied_viewer_id, r.nick AS replied_nick, r.text AS replied_text, r.host AS replied_host`;

/** Each with the line that it answers: what was removed is quoted nowhere. */
export const messagesWithReplies =
  'chat_messages m LEFT JOIN chat_messages r ON r.channel_id = m.channel_id AND r.id = m.reply_to';

export function readMessage(row: MessageRow): ChatMessage {
  const { id, viewer_id, nick, text, sent_at, host, reply_to } = row;
  const reply = reply_to === null ? undefined : { id: reply_to, ...repliedLine(row) };
  return { id, viewer_id, nick, text, sent_at, host: host === 1, ...(reply && { reply }) };
}

function repliedLine(row: MessageRow): Pick<Reply, 'line'> {
  const { replied_viewer_id: viewer_id, replied_nick: nick, replied_text: text } = row;
  if (viewer_id === null || nick === null || text === null) return {};
  return { line: { viewer_id, nick, text, host: row.replied_host === 1 } };
}

/** Either kind keeps from writing. */
async function isSilenced(
  sql: Sql,
  channel_id: number,
  viewer_id: string,
  at: number,
): Promise<boolean> {
  const silence = await sql.one(
    `SELECT kind FROM chat_silences WHERE channel_id = $1 AND viewer_id = $2
     AND (until IS NULL OR until > $3) LIMIT 1`,
    [channel_id, viewer_id, at],
  );
  return silence !== undefined;
}

export async function takeMessageId(sql: Sql, channel_id: number): Promise<number> {
  const row = await sql.one<{ id: number }>(
    `INSERT INTO channel_audience (channel_id, next_session_seq, next_visitor_seq, last_entry_at, numbering,
       next_message_id)
     VALUES ($1, 1, 1, 0, 0, 2)
     ON CONFLICT (channel_id) DO UPDATE SET next_message_id = channel_audience.next_message_id + 1
     RETURNING next_message_id - 1 AS id`,
    [channel_id],
  );
  if (!row) throw new Error(`channel ${channel_id} gave no number to a message`);
  return row.id;
}

/** The channel's last messages, the oldest of them first. */
export async function lastMessages(
  sql: Sql,
  channel_id: number,
  count: number,
): Promise<ChatMessage[]> {
  const rows = await sql.all<MessageRow>(
    `SELECT ${messageColumns} FROM ${messagesWithReplies} WHERE m.channel_id = $1
     ORDER BY m.id DESC LIMIT CAST($2 AS BIGINT)`,
    [channel_id, count],
  );
  return rows.reverse().map(readMessage);
}

/** Messages that one call removes at most. */
export const removedMax = 1_000;

/** Which of the messages there were. What a visitor has written stays counted. */
export const removeMessages = telling(
  { of: ({ channel_id }) => ({ kind: 'channel', id: channel_id }) },
  write(
    'chat.remove',
    ofAccount,
    async (
      sql,
      input: { account_id: number; channel_id: number; ids: readonly number[] },
    ): Promise<number[]> => {
      const { channel_id, ids } = input;
      if (ids.length > removedMax)
        throw new Error(`${ids.length} messages: at most ${removedMax} are removed at once`);
      const given = ids.map((id) => ({ channel_id, id }));
      const rows = await removeEach.all<{ id: number }>(sql, given);
      return rows.map(({ id }) => id).sort((a, b) => a - b);
    },
  ),
);

const removeEach = batchStatement(
  { channel_id: 'int', id: 'int' },
  ({ channel_id, id }, from) => `
    DELETE FROM chat_messages WHERE (channel_id, id) IN (SELECT ${channel_id}, ${id} ${from()})
    RETURNING id`,
);

/** Silences of one channel: whoever serves its viewers keeps them all in memory, and one answer lists them. */
export const silencesMax = 5_000;

export interface NewSilence {
  /** Whose channel it is. */
  account_id: number;
  channel_id: number;
  viewer_id: string;
  kind: SilenceKind;
  until: number | null;
  now: number;
}

/** Mutes or bans a viewer; a second time only changes until when. */
export const silence = telling(
  { of: ({ channel_id }) => ({ kind: 'channel', id: channel_id }) },
  write('chat.silence', ofAccount, async (sql, order: NewSilence): Promise<void> => {
    const { channel_id, viewer_id, kind, until, now } = order;
    await checkChannel(sql, channel_id);
    await sql.run('DELETE FROM chat_silences WHERE channel_id = $1 AND until <= $2', [
      channel_id,
      now,
    ]);
    await sql.run(
      `INSERT INTO chat_silences (channel_id, viewer_id, kind, until, created_at)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (channel_id, viewer_id, kind) DO UPDATE SET until = excluded.until`,
      [channel_id, viewer_id, kind, until, now],
    );
    const counted = await sql.one<{ n: number }>(
      'SELECT COUNT(*) AS n FROM chat_silences WHERE channel_id = $1',
      [channel_id],
    );
    if ((counted?.n ?? 0) > silencesMax)
      throw new ApiError('invalid', {
        message: `${silencesMax} viewers are muted or banned on channel ${channel_id}: lift some first`,
      });
  }),
);

/** Whether there was such a silence. */
export const unsilence = telling(
  { of: ({ channel_id }) => ({ kind: 'channel', id: channel_id }) },
  write(
    'chat.unsilence',
    ofAccount,
    async (
      sql,
      input: { account_id: number; channel_id: number; viewer_id: string; kind: SilenceKind },
    ): Promise<boolean> =>
      (await sql.run(
        'DELETE FROM chat_silences WHERE channel_id = $1 AND viewer_id = $2 AND kind = $3',
        [input.channel_id, input.viewer_id, input.kind],
      )) === 1,
  ),
);

/** Also those that are over, until another comes or retention takes them away: look at `until`. */
export async function silencesOf(sql: Sql, channel_id: number): Promise<Silence[]> {
  return await sql.all<Silence>(
    `SELECT viewer_id, kind, until, created_at FROM chat_silences WHERE channel_id = $1
     ORDER BY viewer_id, kind`,
    [channel_id],
  );
}

/** The same of one viewer: a channel may have thousands. */
export async function silencesOfViewer(
  sql: Sql,
  channel_id: number,
  viewer_id: string,
): Promise<Silence[]> {
  return await sql.all<Silence>(
    `SELECT viewer_id, kind, until, created_at FROM chat_silences
     WHERE channel_id = $1 AND viewer_id = $2 ORDER BY kind`,
    [channel_id, viewer_id],
  );
}

export const setChatOpen = telling(
  { of: ({ channel_id }) => ({ kind: 'channel', id: channel_id }) },
  write(
    'chat.setOpen',
    ofAccount,
    async (
      sql,
      input: { account_id: number; channel_id: number; open: boolean },
    ): Promise<void> => {
      await sql.run('UPDATE channels SET chat = $2 WHERE id = $1', [
        input.channel_id,
        Number(input.open),
      ]);
    },
  ),
);

/** Lines of the host are not slowed. */
export const setChatSlow = telling(
  { of: ({ channel_id }) => ({ kind: 'channel', id: channel_id }) },
  write(
    'chat.setSlow',
    ofAccount,
    async (
      sql,
      input: { account_id: number; channel_id: number; slow_seconds: number },
    ): Promise<void> => {
      await sql.run('UPDATE channels SET chat_slow_seconds = $2 WHERE id = $1', [
        input.channel_id,
        input.slow_seconds,
      ]);
    },
  ),
);

/** Undefined where there is no such channel. */
export async function readChatState(sql: Sql, channel_id: number): Promise<ChatState | undefined> {
  const row = await sql.one<{ chat: number; slow_seconds: number }>(
    `SELECT chat, chat_slow_seconds AS slow_seconds FROM channels
     WHERE id = $1 AND deleted_at IS NULL`,
    [channel_id],
  );
  return row && { open: row.chat === 1, slow_seconds: row.slow_seconds };
}
