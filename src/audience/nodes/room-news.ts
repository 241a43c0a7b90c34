// What nodes tell each other of a channel's room as soon as it is in the database; looks at the database heal what is lost.
import { jsonCodec, linkTopic } from '../../base/links/link-topic.ts';
import type { Talking } from '../../base/links/links.ts';
import type { ChatMessage } from '../chat/chat-message.ts';
import { handle, type MessageHandlers } from '../protocol/message-table.ts';

/** Each is a row first. */
export type RoomNews = { channel_id: number } & (
  | {
      type: 'said';
      message: ChatMessage;
      /** Of who wrote it; empty where the host did. */
      network: string;
    }
  | { type: 'pinned'; message: ChatMessage | null }
  | { type: 'removed'; ids: readonly number[] }
  | { type: 'chat_open'; open: boolean }
  | { type: 'chat_slow'; slow_seconds: number }
  | { type: 'banned'; viewer_id: string }
  | { type: 'erased'; viewer_id: string }
  | { type: 'deleted' }
  /** Something else of it has changed: its name, its page, who may write. */
  | { type: 'changed' }
);

const roomNews = linkTopic('room', { message: jsonCodec(readNews) });

export type RoomNewsHandlers = MessageHandlers<RoomNews, undefined, void>;

export class RoomTelling {
  private readonly options: { links: Talking; handlers: RoomNewsHandlers };

  /** `onLost`: some news may be missing, so the database is to be looked at. */
  constructor(options: { links: Talking; handlers: RoomNewsHandlers; onLost(): void }) {
    this.options = options;
    const { links, onLost } = options;
    links.join(roomNews, {
      received: (_, news) => this.take(news),
      opened: onLost,
      gap: onLost,
    });
  }

  /** Here and on every other node. */
  tell(news: RoomNews): void {
    this.take(news);
    this.tellOthers(news);
  }

  tellOthers(news: RoomNews): void {
    this.options.links.sendAll(roomNews, news);
  }

  /** A type that is not known is of a newer node: the next look finds what it told of. */
  private take(news: RoomNews): void {
    handle(this.options.handlers, news, undefined);
  }
}

function readNews(value: unknown): RoomNews {
  const { type, channel_id } = (value ?? {}) as Record<string, unknown>;
  if (typeof type !== 'string' || !Number.isSafeInteger(channel_id))
    throw new Error('this is no news of a room');
  return value as RoomNews;
}
