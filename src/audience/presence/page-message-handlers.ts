// Hears the messages of pages that are in a room: that they play, a line of chat, another nickname, a share.
import type { Log } from '../../base/lib/log.ts';
import { ChatWriting, type ChatWritingOptions } from '../chat/chat-writing.ts';
import type { Connection } from '../connection/page-connection.ts';
import type { PresentSession } from '../counting/present.ts';
import { handle, type MessageHandlers } from '../protocol/message-table.ts';
import type { Hello, PageMessage } from '../protocol/messages.ts';
import { countShare } from '../records/audience-store.ts';
import type { Room } from '../rooms/room.ts';

export interface PageMessageHandlersOptions extends ChatWritingOptions {
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

export class PageMessageHandlers {
  private readonly options: PageMessageHandlersOptions;
  private readonly writing: ChatWriting;

  /** Since the start, for `/metrics`. */
  reportCount = 0;

  constructor(options: PageMessageHandlersOptions) {
    this.options = options;
    this.writing = new ChatWriting(options);
  }

  get lineCount(): number {
    return this.writing.lineCount;
  }

  hear(message: InsideMessage, speaker: Speaker): void {
    const { connection, session, at } = speaker;
    const { log, onChange } = this.options;
    // A viewer who was erased is about to be sent away: nothing is kept of them, and there is nothing to tell them.
    if (session.isGone) return;
    session.watch.heard(at);
    const kept = handle(this.handlers, message, speaker);
    onChange(session);
    kept?.catch((error) => {
      log.warn('what a viewer said could not be kept', { type: message.type, error });
      connection.send({ type: 'notice', notice: 'slow_down' });
    });
  }

  /** Each resolves when the database has what was said. A report is kept with the next flush. */
  private readonly handlers: MessageHandlers<InsideMessage, Speaker, Promise<void> | undefined> = {
    report: (report, { session, room, at }) => {
      this.reportCount += 1;
      session.report(at, report, room.stage.onAir);
      return undefined;
    },
    chat: (said, speaker) => this.writing.say(said, speaker),
    nick: ({ nick }, speaker) => this.writing.rename(nick, speaker),
    share: (_, speaker) => this.share(speaker),
  };

  /** One after the other is one share tried twice, or a client that counts for fun: nothing to tell anybody. */
  private async share({ connection, session, room, at }: Speaker): Promise<void> {
    const { visitor } = session;
    if (!visitor.shares.take(at)) return;
    const { network } = connection;
    if (!room.chat.pace.mayWrite(network, at))
      return this.options.refusals.note('messages', network);
    const { channel_id } = room;
    const { viewer_id } = visitor;
    await this.options.store.perform(countShare, { channel_id, viewer_id, at });
  }
}
