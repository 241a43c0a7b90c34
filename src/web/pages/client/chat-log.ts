// The list of chat messages, newest last. Texts are set as text, never as HTML; addresses in them are links.
import type { ShownMessage } from '../../../audience/protocol/messages.ts';
import type { ClientTexts, Language } from '../page-data.ts';
import { linkAttributes, linkedText } from './linked-text.ts';
import { find, localeOf } from './page-elements.ts';

/** More is not scrolled back to, and a page open all day must not grow. */
const shownMax = 200;
/** Nearer to the end than this, a reader wants to see what comes. */
const nearPixels = 60;
/** Names are told apart by as many colours. */
const hues = 8;

export class ChatLog {
  /** Who the viewer is in this channel. */
  author = '';
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
    }
  }

  /** The last messages as the service has them: what is missing among them was removed while the page was away. */
  renew(messages: readonly ShownMessage[]): void {
    this.remove(goneIds([...this.items.keys()], messages));
    this.add(messages);
  }

  /** What a message consists of, for whoever shows it; blanks between, or a screen reader makes one word of them. */
  parts({ author, nick, text, at, host }: ShownMessage): (HTMLElement | ' ')[] {
    const isOwn = author === this.author;
    const name = textElement('bdi', 'author', isOwn ? this.texts.you : nick || this.texts.guest);
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
    item.append(...this.parts(message));
    this.list.append(item);
    this.items.set(id, item);
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
function textElement<Name extends 'bdi' | 'span' | 'time'>(
  name: Name,
  className: string,
  text: string,
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (className !== '') element.className = className;
  element.textContent = text;
  return element;
}
