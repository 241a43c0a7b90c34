// What a page says once it is in: that it plays, a line of chat, another nickname, that it was shared.
import { countShare, renameViewer } from '../audience/audience-store.ts';
import { addMessage } from '../chat/chat-store.ts';
import type { Store } from '../db/sql.ts';
import type { Log } from '../lib/log.ts';
import type { Connection } from './connection.ts';
import { typedText } from './page-message.ts';
import { presenceLimits } from './presence-limits.ts';
import type { PresentSession } from './present.ts';
import type { Room } from './room.ts';
import type { Notice, PageMessage } from './wire.ts';

export interface TalkOptions {
  store: Store;
  now: () => number;
  log: Log;
  /** The sums of the session have changed. */
  onChange(session: PresentSession): void;
}

/** One page's words, and where they were said. */
interface Speaker {
  connection: Connection;
  session: PresentSession;
  room: Room;
}

export class Talk {
  private readonly options: TalkOptions;

  /** Since the start, for who watches the service. */
  reportCount = 0;
  messageCount = 0;

  constructor(options: TalkOptions) {
    this.options = options;
  }

  hear(speaker: Speaker, message: PageMessage, at: number): void {
    const { connection, session, room } = speaker;
    const { log, onChange } = this.options;
    // Who was erased is about to be sent away: nothing is kept of them, and there is nothing to tell them.
    if (session.isGone) return;
    if (message.type === 'report') {
      this.reportCount += 1;
      session.report(at, message.played_ms, room.stage.onAir);
    } else session.watch.heard(at);
    onChange(session);
    this.keep(speaker, message, at)?.catch((error) => {
      log.warn('what a viewer said could not be kept', { type: message.type, error });
      tell(connection, 'slow_down');
    });
  }

  /** What goes to the database; a report is kept with the next flush. */
  private keep(speaker: Speaker, message: PageMessage, at: number): Promise<void> | undefined {
    switch (message.type) {
      case 'chat':
        return this.say(speaker, message.text, at);
      case 'nick':
        return this.rename(speaker, message.nick, at);
      case 'share':
        return this.share(speaker, at);
      default:
        return undefined;
    }
  }

  private async say(
    { connection, session, room }: Speaker,
    came: string,
    at: number,
  ): Promise<void> {
    const { visitor } = session;
    const text = typedText(came, presenceLimits.chatCharactersMax);
    if (text === '') return;
    if (text === undefined) return tell(connection, 'too_long');
    if (!room.chat.isOpen) return tell(connection, 'chat_closed');
    if (!room.chat.hasRoom || !visitor.maySay(at)) return tell(connection, 'slow_down');
    const { channel_id } = room;
    const said = await room.chat.inTurn(async () => {
      // They may have been erased, or have another name, since others had their turn.
      const { viewer_id, nick } = visitor;
      if (session.isGone) return 'gone';
      return await this.options.store.perform(addMessage, {
        channel_id,
        viewer_id,
        nick,
        text,
        at,
      });
    });
    // Another program may have erased them: from here on this service knows.
    if (said === 'gone') room.erase(visitor);
    else if (said === 'muted') tell(connection, 'muted');
    else if (said === 'closed') tell(connection, 'chat_closed');
    else {
      this.messageCount += 1;
      room.chat.said(said);
    }
  }

  /** Every page of the viewer learns of it. A name is said as often as a line of chat. */
  private async rename(
    { connection, session, room }: Speaker,
    came: string,
    at: number,
  ): Promise<void> {
    const { visitor, record_id } = session;
    const nick = typedText(came, presenceLimits.nickCharactersMax);
    if (nick === '') return;
    if (nick === undefined) return tell(connection, 'too_long');
    if (!room.chat.hasRoom || !visitor.maySay(at)) return tell(connection, 'slow_down');
    const { channel_id } = room;
    const { viewer_id } = visitor;
    // In turn with the lines of chat: the next one is said under this name.
    await room.chat.inTurn(async () => {
      if (session.isGone) return;
      await this.options.store.perform(renameViewer, { channel_id, viewer_id, record_id, nick });
      visitor.nick = nick;
    });
    for (const one of visitor.sessions) one.connection?.send({ type: 'nick', nick });
  }

  /** One after the other is one share tried twice, or a client that counts for fun: nothing to tell anybody. */
  private async share({ session, room }: Speaker, at: number): Promise<void> {
    const { visitor } = session;
    if (!visitor.mayShare(at)) return;
    const { channel_id } = room;
    const { viewer_id } = visitor;
    await this.options.store.perform(countShare, { channel_id, viewer_id });
  }
}

function tell(connection: Connection, notice: Notice): void {
  connection.send({ type: 'notice', notice });
}
