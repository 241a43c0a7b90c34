// The list of chat messages, newest last. Texts are set as text, never as HTML; addresses in them are links.
import type { Quote, ShownMessage } from '../../../audience/protocol/messages.ts';
import type { ClientTexts, Language } from '../page-data.ts';
import { linkAttributes, linkedText } from './linked-text.ts';
import { filled, find, localeOf } from './page-elements.ts';

/** More is not scrolled back to, and a page open all day must not grow. */
const shownMax = 200;
/** Nearer to the end than this, a reader wants to see what comes. */
const nearPixels = 60;
/** Names are told apart by as many colours. */
const hues = 8;

export class ChatLog {
  /** Who the viewer is in this channel. */
  author = '';
  /** A line is chosen to be answered. */
  onReply: (message: ShownMessage) => void = () => {};
  private readonly texts: ClientTexts;
  private readonly time: Intl.DateTimeFormat;
  private readonly list = find('chat-log');
  private readonly newer = find('chat-new');

  /** What is shown, by id, oldest first; as many as `shownMax`. */
  private readonly items = new Map<number, HTMLLIElement>();
  /** Whether the reader follows what is said: only one who scrolls back does not. */
  private isAtEnd = true;
  private top = 0;

  constructor({ texts, language }: { texts: ClientTexts; language: Language }) {
    this.texts = texts;
    this.time = new Intl.DateTimeFormat(localeOf(language), { timeStyle: 'short' });
    this.newer.addEventListener('click', () => this.goToEnd());
    this.list.addEventListener('keydown', (event) => this.step(event));
    this.list.addEventListener('scroll', () => {
      const { scrollTop } = this.list;
      this.isAtEnd = this.isNearEnd() || (this.isAtEnd && scrollTop >= this.top);
      this.top = scrollTop;
      if (this.isAtEnd) this.newer.hidden = true;
    });
    // A line is pinned above it, a keyboard comes up below: what was said last stays in sight.
    new ResizeObserver(() => {
      if (this.isAtEnd) this.goToEnd();
    }).observe(this.list);
  }

  add(messages: readonly ShownMessage[]): void {
    const unknown = messages.filter(({ id }) => !this.items.has(id));
    if (unknown.length === 0) return;
    const follows = this.isAtEnd || unknown.some(({ author }) => author === this.author);
    for (const message of unknown) this.append(message);
    this.remove([...this.items.keys()].slice(0, -shownMax));
    if (follows) this.goToEnd();
    else this.newer.hidden = false;
  }

  remove(ids: readonly number[]): void {
    for (const id of ids) {
      this.items.get(id)?.remove();
      this.items.delete(id);
      // What is removed is quoted no more.
      for (const quote of this.list.querySelectorAll(`[data-quotes="${id}"]`))
        quote.replaceWith(this.goneQuote());
    }
  }

  /** The last messages as the service has them: what is missing among them was removed while the page was away. */
  renew(messages: readonly ShownMessage[]): void {
    this.remove(goneIds([...this.items.keys()], messages));
    this.add(messages);
  }

  /** Whom a line is of, and its words, where it is quoted. */
  quoteText({ author, nick, text }: Quote): string {
    return `${this.nameOf(author, nick)}: ${text}`;
  }

  private nameOf(author: string, nick: string): string {
    return author === this.author ? this.texts.you : nick || this.texts.guest;
  }

  /** What a message consists of, for whoever shows it; blanks between, or a screen reader makes one word of them. */
  parts({ author, nick, text, at, host }: ShownMessage): (HTMLElement | ' ')[] {
    const name = textElement('bdi', 'author', this.nameOf(author, nick));
    name.dataset['hue'] = String(hueOf(author));
    const badge = textElement('span', 'host', this.texts.host);
    badge.dir = 'auto';
    const badges = host ? [badge, ' ' as const] : [];
    const time = textElement('time', '', this.time.format(at));
    time.dateTime = new Date(at).toISOString();
    // The line runs as its text does, so nothing else of it has a say.
    time.dir = 'auto';
    return [name, ' ', ...badges, saidElement(text), ' ', time];
  }

  private append(message: ShownMessage): void {
    const { id, author, host } = message;
    const item = document.createElement('li');
    item.className = 'message';
    item.dir = 'auto';
    item.classList.toggle('own', author === this.author);
    item.classList.toggle('by-host', host === true);
    item.dataset['id'] = String(id);
    item.append(...this.replied(message), ...this.parts(message), this.replyButton(message));
    this.list.append(item);
    this.items.set(id, item);
  }

  /** Above a line what it answers; it leads there. */
  private replied({ reply }: ShownMessage): HTMLElement[] {
    if (!reply) return [];
    if (!reply.quote) return [this.goneQuote()];
    const text = this.quoteText(reply.quote);
    const quote = textElement('button', 'quote', text);
    quote.type = 'button';
    quote.tabIndex = -1;
    quote.dir = 'auto';
    quote.dataset['quotes'] = String(reply.id);
    quote.ariaLabel = filled(this.texts.in_reply_to, { text });
    quote.addEventListener('click', () => this.goTo(reply.id));
    return [quote];
  }

  private goneQuote(): HTMLElement {
    return textElement('span', 'quote', this.texts.reply_to_removed);
  }

  private replyButton(message: ShownMessage): HTMLElement {
    const { author, nick } = message;
    const button = textElement('button', 'reply', '↩');
    button.type = 'button';
    // By the arrow keys: before the field there would be as many stops as there are lines.
    button.tabIndex = -1;
    button.ariaLabel = filled(this.texts.reply_to, { nick: this.nameOf(author, nick) });
    button.title = button.ariaLabel;
    button.addEventListener('click', () => this.onReply(message));
    return button;
  }

  /** The line itself, where it is still shown. */
  private goTo(id: number): void {
    const item = this.items.get(id);
    if (!item) return;
    item.scrollIntoView({ block: 'nearest' });
    for (const shown of item.getAnimations()) shown.cancel();
    item.animate([{ background: 'rgba(128, 128, 128, 0.45)' }, {}], { duration: 1_500 });
    replyButtonOf(item)?.focus({ preventScroll: true });
  }

  /** Up and down the lines, to their buttons. */
  private step(event: KeyboardEvent): void {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by === undefined) return;
    const items = [...this.items.values()];
    const at = items.findIndex((item) => item.contains(document.activeElement));
    const next = items[at < 0 ? items.length - 1 : at + by];
    if (!next) return;
    replyButtonOf(next)?.focus();
    event.preventDefault();
  }

  private isNearEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.list;
    return scrollHeight - scrollTop - clientHeight < nearPixels;
  }

  private goToEnd(): void {
    this.list.scrollTop = this.list.scrollHeight;
    this.top = this.list.scrollTop;
    this.isAtEnd = true;
    this.newer.hidden = true;
  }
}

/** Of those shown, the ones that the newest messages should hold and do not. */
export function goneIds(
  shown: readonly number[],
  newest: readonly { readonly id: number }[],
): number[] {
  const [first] = newest;
  const kept = new Set(newest.map(({ id }) => id));
  // Without a message left, all that were shown are gone.
  return shown.filter((id) => (!first || id >= first.id) && !kept.has(id));
}

/** The same author has the same colour in every page. */
export function hueOf(author: string): number {
  let sum = 0;
  for (const character of author) sum = (sum * 31 + character.charCodeAt(0)) % 65_521;
  return sum % hues;
}

function replyButtonOf(item: HTMLElement): HTMLElement | null {
  return item.querySelector<HTMLElement>('.reply');
}

function saidElement(text: string): HTMLElement {
  const element = textElement('span', 'text', '');
  const shown = linkedText(text).map((piece) =>
    piece.href === undefined ? piece.text : linkElement(piece.text, piece.href),
  );
  element.append(...shown);
  return element;
}

function linkElement(text: string, href: string): HTMLAnchorElement {
  const link = Object.assign(document.createElement('a'), { ...linkAttributes, href });
  link.textContent = text;
  return link;
}

/** A name stands in a `bdi`: whichever way it runs, its neighbours stay in their places. */
function textElement<Name extends 'bdi' | 'button' | 'span' | 'time'>(
  name: Name,
  className: string,
  text: string,
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (className !== '') element.className = className;
  element.textContent = text;
  return element;
}
