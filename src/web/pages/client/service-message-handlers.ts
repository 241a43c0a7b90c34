// Every message of the service, and what the page does with it.
import { handle, type MessageHandlers } from '../../../audience/protocol/message-table.ts';
import type { Playbill } from '../../../audience/protocol/messages.ts';
import type { HeardMessage } from './audience-connection.ts';
import type { Chat } from './chat.ts';
import type { Stage } from './stage.ts';
import type { ViewerCount } from './viewer-count.ts';
import type { WatchReports } from './watch-reports.ts';

/** The parts of the page that the service tells something. */
export interface ToldParts {
  stage: Stage;
  reports: WatchReports;
  /** An embedded page has none. */
  chat: Chat | undefined;
  viewers: ViewerCount;
  showPlaybill(playbill: Playbill): void;
}

export function hearService(message: HeardMessage, parts: ToldParts): void {
  handle(handlers, message, parts);
}

const handlers: MessageHandlers<HeardMessage, ToldParts, void> = {
  welcome: (message, { stage, reports, chat, showPlaybill, viewers }) => {
    reports.welcomed(message);
    stage.live(message.live);
    if (message.video !== null) stage.videoMade(message.video);
    viewers.told(message.viewers);
    chat?.welcomed(message);
    showPlaybill(message.playbill);
  },
  live: ({ live }, { stage }) => stage.live(live),
  playbill: ({ playbill }, { showPlaybill }) => showPlaybill(playbill),
  video: ({ id }, { stage }) => stage.videoMade(id),
  viewers: ({ count }, { viewers }) => viewers.told(count),
  chat: ({ messages }, { chat }) => chat?.add(messages),
  chat_removed: ({ ids }, { chat }) => chat?.remove(ids),
  chat_open: ({ open }, { chat }) => chat?.setOpen(open),
  chat_slow: ({ slow_seconds }, { chat }) => chat?.setSlow(slow_seconds),
  chat_pinned: ({ message }, { chat }) => chat?.pin(message),
  muted: ({ muted }, { chat }) => chat?.setMuted(muted),
  nick: (named, { chat }) => chat?.named(named),
  notice: ({ notice, wait_ms }, { chat }) => chat?.refused(notice, wait_ms),
};
