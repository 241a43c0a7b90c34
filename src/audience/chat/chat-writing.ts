// A viewer writes a line of chat, or the name that stands beside it: whether they may, and that it is kept. `shown-chat.ts` shows it.
import type { Store } from '../../base/db/sql.ts';
import type { Connection } from '../connection/page-connection.ts';
import type { PresentSession, PresentVisitor } from '../counting/present.ts';
import type { Notice, Say } from '../protocol/messages.ts';
import type { PageBook } from '../protocol/page-refusals.ts';
import { renameViewer } from '../records/audience-store.ts';
import { chatLimits } from './chat-limits.ts';
import type { ChatMessage } from './chat-message.ts';
import { addMessage } from './chat-store.ts';
import type { ShownChat } from './shown-chat.ts';
import { typedText } from './typed-text.ts';

/** The page that writes, the room that it is in, and when what it wrote came. */
export interface Writer {
  connection: Connection;
  session: PresentSession;
  room: {
    readonly channel_id: number;
    readonly chat: ShownChat;
    /** The visitor's rows are no more. */
    erase(visitor: PresentVisitor): void;
  };
  at: number;
}

export interface ChatWritingOptions {
  store: Store;
  refusals: PageBook;
  /** A line is kept: other nodes show it, too. */
  onSaid?(channel_id: number, message: ChatMessage, network: string): void;
}

export class ChatWriting {
  private readonly options: ChatWritingOptions;

  /** Lines since the start, for `/metrics`. */
  lineCount = 0;

  constructor(options: ChatWritingOptions) {
    this.options = options;
  }

  /** Resolves when the database has the line, or the writer was told why not. */
  async say({ text: came, reply_to }: Omit<Say, 'type'>, writer: Writer): Promise<void> {
    const { connection, session, room } = writer;
    if (!room.chat.isOpen) return tell(connection, 'chat_closed');
    // First of all: to clean the longest line takes half a millisecond.
    if (!this.mayWrite(writer)) return tell(connection, 'slow_down');
    const text = typedText(came, chatLimits.chatCharactersMax);
    if (text === '') return;
    if (text === undefined) return tell(connection, 'too_long');
    const leave = room.chat.pace.takePlace(connection.network);
    const added = await this.add({ text, reply_to }, writer).catch((error) => {
      leave();
      throw error;
    });
    if (typeof added === 'object' && 'id' in added) {
      this.lineCount += 1;
      room.chat.tellLater(added, leave);
      this.options.onSaid?.(room.channel_id, added, connection.network);
      return;
    }
    leave();
    // Another program may have erased them: from here on this service knows.
    if (added === 'gone') room.erase(session.visitor);
    else if (typeof added === 'object')
      connection.send({ type: 'notice', notice: 'slow_down', wait_ms: added.wait_ms });
    else tell(connection, added === 'muted' ? 'muted' : 'chat_closed');
  }

  /** Every page of the viewer learns of it. A name is said as often as a line of chat. */
  async rename(came: string, writer: Writer): Promise<void> {
    const { connection, session, room } = writer;
    const { visitor, record_id } = session;
    if (visitor.namedAt > 0) return tell(connection, 'fixed_nick');
    if (!this.mayWrite(writer)) return tell(connection, 'slow_down');
    const nick = typedText(came, chatLimits.nickCharactersMax);
    if (nick === '') return;
    if (nick === undefined) return tell(connection, 'too_long');
    const { channel_id } = room;
    const { viewer_id } = visitor;
    const leave = room.chat.pace.takePlace(connection.network);
    // In turn with the lines of chat: the next one is said under this name.
    const written = room.chat.inTurn(async () => {
      if (session.isGone || visitor.namedAt > 0) return;
      await this.options.store.perform(renameViewer, { channel_id, viewer_id, record_id, nick });
      visitor.nick = nick;
    });
    await written.finally(leave);
    visitor.tellNick();
  }

  private add(said: Omit<Say, 'type'>, { session, room, at }: Writer) {
    const { channel_id } = room;
    return room.chat.inTurn(async () => {
      // They may have been erased, or have another name, since others had their turn.
      const { viewer_id, nick } = session.visitor;
      if (session.isGone) return 'gone';
      const line = { channel_id, viewer_id, nick, ...said, at };
      return await this.options.store.perform(addMessage, line);
    });
  }

  private mayWrite({ connection, session, room, at }: Writer): boolean {
    const { network } = connection;
    const refusal = room.chat.pace.takeOrRefuse({ visitor: session.visitor, network }, at);
    if (refusal) this.options.refusals.note(refusal, network);
    return refusal === undefined;
  }
}

function tell(connection: Connection, notice: Notice): void {
  connection.send({ type: 'notice', notice });
}
