// A room's chat in memory: the last messages, those to be told next, and who may not be there.
import type { ChatMessage } from '../chat/chat-message.ts';
import { isChatOpen, lastMessages, silencesOf } from '../chat/chat-store.ts';
import type { Sql } from '../db/sql.ts';
import { presenceLimits } from './presence-limits.ts';
import type { ServiceMessage, ShownMessage } from './wire.ts';

const { chatWaitingMax, messagesShownMax } = presenceLimits;

export interface RoomChatOptions {
  channel_id: number;
  sql: Sql;
  now: () => number;
  authorOf(viewer_id: string): string;
  publish(message: ServiceMessage): void;
  /** The viewer may not be here any longer. */
  evict(viewer_id: string): void;
}

export class RoomChat {
  private readonly options: RoomChatOptions;

  private isKnown = false;
  isOpen = false;
  /** The last ones, the oldest first. */
  private shown: ShownMessage[] = [];
  /** Said since the last telling. */
  private waiting: ShownMessage[] = [];
  private underWay = 0;
  private lastWrite: Promise<void> = Promise.resolve();
  /** Until when each banned viewer is; as many as the operator has banned. */
  private bans = new Map<string, number>();
  private text: string | undefined;

  constructor(options: RoomChatOptions) {
    this.options = options;
  }

  /** Reads what was said before; false where there is no such channel. */
  async open(): Promise<boolean> {
    if (!this.isKnown) this.isKnown = await this.look();
    return this.isKnown;
  }

  /** `chat` of a welcome. */
  get stateText(): string {
    this.text ??= JSON.stringify({ open: this.isOpen, messages: this.shown });
    return this.text;
  }

  /** Until the next look says for how long. */
  ban(viewer_id: string): void {
    this.bans.set(viewer_id, Number.POSITIVE_INFINITY);
    this.options.evict(viewer_id);
  }

  isBanned(viewer_id: string): boolean {
    return (this.bans.get(viewer_id) ?? 0) > this.options.now();
  }

  /** Whether another message would still be read before the next ones come. */
  get hasRoom(): boolean {
    return this.waiting.length + this.underWay < chatWaitingMax;
  }

  /** One write after the other, so that lines keep the order in which they came. */
  inTurn<T>(write: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    const written = this.lastWrite.then(write);
    const done = () => {
      this.underWay -= 1;
    };
    this.lastWrite = written.then(done, done);
    return written;
  }

  said(message: ChatMessage): void {
    const isMessage = ({ id }: ShownMessage) => id === message.id;
    if (!this.shown.some(isMessage) && !this.waiting.some(isMessage))
      this.waiting.push(this.shownAs(message));
  }

  /** Tells what was said since the last time. */
  tell(): void {
    if (this.waiting.length === 0) return;
    const messages = this.waiting.toSorted((a, b) => a.id - b.id);
    this.waiting = [];
    // Another service's line may be older than the last of ours.
    const all = [...this.shown, ...messages].sort((a, b) => a.id - b.id);
    this.shown = all.slice(-messagesShownMax);
    this.text = undefined;
    this.options.publish({ type: 'chat', messages });
  }

  removed(ids: readonly number[]): void {
    if (ids.length === 0) return;
    const isLeft = ({ id }: ShownMessage) => !ids.includes(id);
    this.shown = this.shown.filter(isLeft);
    this.waiting = this.waiting.filter(isLeft);
    this.text = undefined;
    this.options.publish({ type: 'chat_removed', ids: [...ids] });
  }

  opened(open: boolean): void {
    if (open === this.isOpen) return;
    this.isOpen = open;
    this.text = undefined;
    this.options.publish({ type: 'chat_open', open });
  }

  /** Takes over what others have changed: the command line, another service on the same database. */
  async look(): Promise<boolean> {
    const { sql, channel_id } = this.options;
    const before = this.shown;
    const isOpen = await isChatOpen(sql, channel_id);
    if (isOpen === undefined) return false;
    const silences = await silencesOf(sql, channel_id);
    const kept = await lastMessages(sql, channel_id, messagesShownMax);
    const bans = silences.filter(({ kind }) => kind === 'ban');
    this.bans = new Map(
      bans.map(({ viewer_id, until }) => [viewer_id, until ?? Number.POSITIVE_INFINITY]),
    );
    for (const viewer_id of this.bans.keys())
      if (this.isBanned(viewer_id)) this.options.evict(viewer_id);
    this.opened(isOpen);
    this.takeOver(before, kept);
    return true;
  }

  private takeOver(before: readonly ShownMessage[], kept: readonly ChatMessage[]): void {
    const ids = new Set(kept.map(({ id }) => id));
    // Older ones than these were not looked at.
    const firstId = kept.length < messagesShownMax ? 0 : Math.min(...ids);
    this.removed(before.map(({ id }) => id).filter((id) => id >= firstId && !ids.has(id)));
    for (const message of kept) this.said(message);
    if (!this.isKnown) this.tell();
  }

  private shownAs({ id, viewer_id, nick, text, sent_at }: ChatMessage): ShownMessage {
    return { id, author: this.options.authorOf(viewer_id), nick, text, at: sent_at };
  }
}
