// The chat that a room's pages are shown: the last lines, those to be told next, and who may not be there. `chat-writing.ts` takes new ones.
import type { Sql } from '../../base/db/sql.ts';
import type { Quote, ServiceMessage, ShownMessage, Welcome } from '../protocol/messages.ts';
import { chatLimits } from './chat-limits.ts';
import type { ChatMessage, Reply, Silence, SilenceKind } from './chat-message.ts';
import { ChatPace, type ChatPaceOptions } from './chat-pace.ts';
import { lastMessages, readChatState, silencesOf } from './chat-store.ts';
import { pinnedMessage } from './host-store.ts';

const { chatToldBytesMax, messagesShownMax, quoteCharactersMax, shownBytesMax } = chatLimits;

export interface ShownChatOptions extends ChatPaceOptions {
  channel_id: number;
  sql: Sql;
  now: () => number;
  authorOf(viewer_id: string): string;
  publish(message: ServiceMessage): void;
  /** The viewer may not be here any longer. */
  evict(viewer_id: string): void;
  /** The viewer may not write any longer, or may again. */
  tellMuted(viewer_id: string, muted: boolean): void;
}

/** A line that is to be told, and the place that it takes until then. */
interface Waiting {
  line: ShownMessage;
  leave(): void;
}

export class ShownChat {
  private readonly options: ShownChatOptions;
  readonly pace: ChatPace;

  private isKnown = false;
  isOpen = false;
  private slowSeconds = 0;
  /** The last ones, the oldest first. */
  private shown: ShownMessage[] = [];
  /** The line above them, which may be older than all of them. */
  private pinned: ShownMessage | null = null;
  /** The newest of those that are not shown any more. */
  private forgottenId = 0;
  private waiting: Waiting[] = [];
  private lastWrite: Promise<void> = Promise.resolve();
  /** Until when each banned viewer is; as many as the operator has banned. */
  private bans = new Map<string, number>();
  /** The same of those who may not write. */
  private mutes = new Map<string, number>();
  /** Whose pages were told so when this was looked at last: a mute ends by itself. */
  private toldMuted = new Set<string>();
  private text: string | undefined;
  /** How often this service was told of what a moderator did: what was read before may be older. */
  private changeCount = 0;

  constructor(options: ShownChatOptions) {
    this.options = options;
    this.pace = new ChatPace(options);
  }

  /** Reads what was said before; false where there is no such channel. */
  async open(): Promise<boolean> {
    if (!this.isKnown) this.isKnown = await this.refreshFromDatabase();
    return this.isKnown;
  }

  /** `chat` of a welcome. */
  get stateText(): string {
    this.text ??= JSON.stringify({
      open: this.isOpen,
      slow_seconds: this.slowSeconds,
      messages: this.shown,
      pinned: this.pinned,
    } satisfies Welcome['chat']);
    return this.text;
  }

  /** Until the database, when it is read next, says for how long. */
  ban(viewer_id: string): void {
    this.changeCount += 1;
    this.bans.set(viewer_id, Number.POSITIVE_INFINITY);
    this.options.evict(viewer_id);
  }

  isBanned(viewer_id: string): boolean {
    return (this.bans.get(viewer_id) ?? 0) > this.options.now();
  }

  isMuted(viewer_id: string): boolean {
    return (this.mutes.get(viewer_id) ?? 0) > this.options.now();
  }

  /** One write after the other, so that lines keep the order in which they came. */
  inTurn<T>(write: () => Promise<T>): Promise<T> {
    const written = this.lastWrite.then(write);
    const done = () => {};
    this.lastWrite = written.then(done, done);
    return written;
  }

  /** Pages are told of it in the next round; then its place is left. */
  tellLater(message: ChatMessage, leave = () => {}): void {
    const isMessage = ({ id }: ShownMessage) => id === message.id;
    if (this.shown.some(isMessage) || this.waiting.some(({ line }) => isMessage(line))) leave();
    else this.waiting.push({ line: this.shownAs(message), leave });
  }

  /** Tells what was said since the last time; what would be too much at once keeps its place until the next. */
  tell(): void {
    if (this.waiting.length === 0) return;
    const waiting = this.waiting.toSorted((a, b) => a.line.id - b.line.id);
    const count = Math.max(
      1,
      fittingCount(
        waiting.map(({ line }) => line),
        chatToldBytesMax,
      ),
    );
    this.waiting = waiting.slice(count);
    const told = waiting.slice(0, count);
    for (const { leave } of told) leave();
    const messages = told.map(({ line }) => line);
    this.show(messages);
    this.options.publish({ type: 'chat', messages });
  }

  removed(ids: readonly number[]): void {
    if (ids.length === 0) return;
    this.changeCount += 1;
    const isLeft = ({ id }: ShownMessage) => !ids.includes(id);
    const left = (line: ShownMessage) => withoutQuoteOf(line, ids);
    this.shown = this.shown.filter(isLeft).map(left);
    for (const { line, leave } of this.waiting) if (!isLeft(line)) leave();
    this.waiting = this.waiting
      .filter(({ line }) => isLeft(line))
      .map(({ line, leave }) => ({ line: left(line), leave }));
    this.pinned &&= left(this.pinned);
    this.text = undefined;
    this.options.publish({ type: 'chat_removed', ids: [...ids] });
    if (this.pinned && !isLeft(this.pinned)) this.pin(undefined);
  }

  /** None is pinned any more where it is undefined. */
  pin(message: ChatMessage | undefined): void {
    if (message?.id === this.pinned?.id) return;
    this.changeCount += 1;
    this.pinned = message ? this.shownAs(message) : null;
    this.text = undefined;
    this.options.publish({ type: 'chat_pinned', message: this.pinned });
  }

  setOpen(open: boolean): void {
    if (open === this.isOpen) return;
    this.changeCount += 1;
    this.isOpen = open;
    this.text = undefined;
    this.options.publish({ type: 'chat_open', open });
  }

  setSlow(slowSeconds: number): void {
    if (slowSeconds === this.slowSeconds) return;
    this.changeCount += 1;
    this.slowSeconds = slowSeconds;
    this.text = undefined;
    this.options.publish({ type: 'chat_slow', slow_seconds: slowSeconds });
  }

  /** Takes over what others have changed: the command line, another service on the same database. */
  async refreshFromDatabase(): Promise<boolean> {
    const { sql, channel_id } = this.options;
    const { changeCount, shown: before } = this;
    const state = await readChatState(sql, channel_id);
    if (state === undefined) return false;
    const silences = await silencesOf(sql, channel_id);
    const kept = await lastMessages(sql, channel_id, messagesShownMax);
    const pinned = await pinnedMessage(sql, channel_id);
    if (changeCount !== this.changeCount) return await this.refreshFromDatabase();
    this.bans = endsOf(silences, 'ban');
    this.mutes = endsOf(silences, 'mute');
    for (const viewer_id of this.bans.keys())
      if (this.isBanned(viewer_id)) this.options.evict(viewer_id);
    this.tellMutes();
    this.setOpen(state.open);
    this.setSlow(state.slow_seconds);
    this.takeOver(before, kept);
    this.pin(pinned);
    return true;
  }

  private tellMutes(): void {
    const muted = new Set(this.mutes.keys().filter((viewer_id) => this.isMuted(viewer_id)));
    for (const viewer_id of muted.difference(this.toldMuted))
      this.options.tellMuted(viewer_id, true);
    for (const viewer_id of this.toldMuted.difference(muted))
      this.options.tellMuted(viewer_id, false);
    this.toldMuted = muted;
  }

  private takeOver(before: readonly ShownMessage[], kept: readonly ChatMessage[]): void {
    const ids = new Set(kept.map(({ id }) => id));
    // Older ones than these were not looked at.
    const firstId = kept.length < messagesShownMax ? 0 : Math.min(...ids);
    const gone = before.map(({ id }) => id).filter((id) => id >= firstId && !ids.has(id));
    // A quoted line may be older than all that are shown.
    const quoted = new Set(before.flatMap(({ reply }) => (reply?.quote ? [reply.id] : [])));
    const unquoted = kept.flatMap(({ reply }) => (reply && !reply.line ? [reply.id] : []));
    this.removed([...new Set([...gone, ...unquoted.filter((id) => quoted.has(id))])]);
    if (!this.isKnown && before.length === 0)
      this.show(kept.map((message) => this.shownAs(message)));
    for (const message of kept) if (message.id > this.forgottenId) this.tellLater(message);
  }

  /** The newest that are few and short enough for everybody who comes. */
  private show(messages: readonly ShownMessage[]): void {
    // Another service's line may be older than the last of ours.
    const all = [...this.shown, ...messages].sort((a, b) => b.id - a.id);
    const count = Math.min(messagesShownMax, fittingCount(all, shownBytesMax));
    this.shown = all.slice(0, count).reverse();
    this.forgottenId = Math.max(this.forgottenId, all[count]?.id ?? 0);
    this.text = undefined;
  }

  private shownAs({ id, sent_at, reply, ...line }: ChatMessage): ShownMessage {
    const shown = { id, ...this.quoteOf(line), text: line.text, at: sent_at };
    return reply ? { ...shown, reply: this.replyAs(reply) } : shown;
  }

  private replyAs({ id, line }: Reply): NonNullable<ShownMessage['reply']> {
    return line ? { id, quote: this.quoteOf(line) } : { id };
  }

  private quoteOf({ viewer_id, nick, text, host }: NonNullable<Reply['line']>): Quote {
    const quote = { author: this.options.authorOf(viewer_id), nick, text: beginningOf(text) };
    return host ? { ...quote, host } : quote;
  }
}

/** What is removed is quoted no more. */
function withoutQuoteOf(line: ShownMessage, ids: readonly number[]): ShownMessage {
  const { reply } = line;
  return reply && ids.includes(reply.id) ? { ...line, reply: { id: reply.id } } : line;
}

function beginningOf(text: string): string {
  const characters = [...text];
  if (characters.length <= quoteCharactersMax) return text;
  return `${characters
    .slice(0, quoteCharactersMax - 1)
    .join('')
    .trimEnd()}…`;
}

/** Until when each viewer is silenced so. */
function endsOf(silences: readonly Silence[], wanted: SilenceKind): Map<string, number> {
  const those = silences.filter(({ kind }) => kind === wanted);
  return new Map(
    those.map(({ viewer_id, until }) => [viewer_id, until ?? Number.POSITIVE_INFINITY]),
  );
}

/** How many of the lines, from the first on, have so many bytes together. */
function fittingCount(lines: readonly ShownMessage[], bytesMax: number): number {
  let bytes = 0;
  const over = lines.findIndex((line) => {
    bytes += Buffer.byteLength(JSON.stringify(line));
    return bytes > bytesMax;
  });
  return over < 0 ? lines.length : over;
}
