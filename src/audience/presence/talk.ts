// What a page says once it is in: that it plays, a line of chat, another nickname, that it was shared.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { addMessage } from '../chat/chat-store.ts';
import type { Connection } from '../connection/page-connection.ts';
import type { PresentSession } from '../counting/present.ts';
import { type Handlers, handle } from '../protocol/message-handlers.ts';
import { presenceLimits } from '../protocol/page-limits.ts';
import { typedText } from '../protocol/page-message.ts';
import type { PageBook, PageReason } from '../protocol/page-refusals.ts';
import type { Hello, Notice, PageMessage } from '../protocol/wire.ts';
import { countShare, renameViewer } from '../records/audience-store.ts';
import type { Room } from '../rooms/room.ts';

export interface TalkOptions {
  store: Store;
  refusals: PageBook;
  now: () => number;
  log: Log;
  /** The sums of the session have changed. */
  onChange(session: PresentSession): void;
}

/** `hello` is not among them: it is what lets a page in. */
export type InsideMessage = Exclude<PageMessage, Hello>;

/** The page that says something, the room that it is in, and when it came. */
interface Speaker {
  connection: Connection;
  session: PresentSession;
  room: Room;
  at: number;
}

export class Talk {
  private readonly options: TalkOptions;

  /** Since the start, for who watches the service. */
  reportCount = 0;
  messageCount = 0;

  constructor(options: TalkOptions) {
    this.options = options;
  }

  hear(message: InsideMessage, speaker: Speaker): void {
    const { connection, session, at } = speaker;
    const { log, onChange } = this.options;
    // Who was erased is about to be sent away: nothing is kept of them, and there is nothing to tell them.
    if (session.isGone) return;
    session.watch.heard(at);
    const kept = handle(this.handlers, message, speaker);
    onChange(session);
    kept?.catch((error) => {
      log.warn('what a viewer said could not be kept', { type: message.type, error });
      tell(connection, 'slow_down');
    });
  }

  /** Each resolves when the database has what was said. A report is kept with the next flush. */
  private readonly handlers: Handlers<InsideMessage, Speaker, Promise<void> | undefined> = {
    report: ({ played_ms }, { session, room, at }) => {
      this.reportCount += 1;
      session.report(at, played_ms, room.stage.onAir);
      return undefined;
    },
    chat: ({ text }, speaker) => this.say(text, speaker),
    nick: ({ nick }, speaker) => this.rename(nick, speaker),
    share: (_, speaker) => this.share(speaker),
  };

  private async say(came: string, speaker: Speaker): Promise<void> {
    const { connection, session, room } = speaker;
    if (!room.chat.isOpen) return tell(connection, 'chat_closed');
    // First of all: to clean the longest line takes half a millisecond.
    if (!this.mayWrite(speaker)) return tell(connection, 'slow_down');
    const text = typedText(came, presenceLimits.chatCharactersMax);
    if (text === '') return;
    if (text === undefined) return tell(connection, 'too_long');
    const leave = room.chat.takePlace(connection.network);
    const said = await this.add(text, speaker).catch((error) => {
      leave();
      throw error;
    });
    if (typeof said === 'object') {
      this.messageCount += 1;
      room.chat.said(said, leave);
      return;
    }
    leave();
    // Another program may have erased them: from here on this service knows.
    if (said === 'gone') room.erase(session.visitor);
    else tell(connection, said === 'muted' ? 'muted' : 'chat_closed');
  }

  private add(text: string, { session, room, at }: Speaker) {
    const { channel_id } = room;
    return room.chat.inTurn(async () => {
      // They may have been erased, or have another name, since others had their turn.
      const { viewer_id, nick } = session.visitor;
      if (session.isGone) return 'gone';
      const line = { channel_id, viewer_id, nick, text, at };
      return await this.options.store.perform(addMessage, line);
    });
  }

  /** Every page of the viewer learns of it. A name is said as often as a line of chat. */
  private async rename(came: string, speaker: Speaker): Promise<void> {
    const { connection, session, room } = speaker;
    const { visitor, record_id } = session;
    if (visitor.namedAt > 0) return tell(connection, 'fixed_nick');
    if (!this.mayWrite(speaker)) return tell(connection, 'slow_down');
    const nick = typedText(came, presenceLimits.nickCharactersMax);
    if (nick === '') return;
    if (nick === undefined) return tell(connection, 'too_long');
    const { channel_id } = room;
    const { viewer_id } = visitor;
    const leave = room.chat.takePlace(connection.network);
    // In turn with the lines of chat: the next one is said under this name.
    const written = room.chat.inTurn(async () => {
      if (session.isGone || visitor.namedAt > 0) return;
      await this.options.store.perform(renameViewer, { channel_id, viewer_id, record_id, nick });
      visitor.nick = nick;
    });
    await written.finally(leave);
    visitor.tellNick();
  }

  /** One after the other is one share tried twice, or a client that counts for fun: nothing to tell anybody. */
  private async share({ connection, session, room, at }: Speaker): Promise<void> {
    const { visitor } = session;
    if (!visitor.shares.take(at)) return;
    const { network } = connection;
    if (!room.chat.mayWrite(network, at)) return this.options.refusals.note('messages', network);
    const { channel_id } = room;
    const { viewer_id } = visitor;
    await this.options.store.perform(countShare, { channel_id, viewer_id });
  }

  private mayWrite(speaker: Speaker): boolean {
    const refusal = refusalOf(speaker);
    if (refusal) this.options.refusals.note(refusal, speaker.connection.network);
    return refusal === undefined;
  }
}

/** Why nothing may be written now: what costs the writer nothing is asked first. */
function refusalOf({ connection, session, room, at }: Speaker): PageReason | undefined {
  const { network } = connection;
  if (!room.chat.hasRoom(network)) return 'chat';
  if (!session.visitor.lines.take(at)) return 'pace';
  return room.chat.mayWrite(network, at) ? undefined : 'messages';
}

function tell(connection: Connection, notice: Notice): void {
  connection.send({ type: 'notice', notice });
}
