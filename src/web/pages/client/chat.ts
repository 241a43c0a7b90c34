// The chat column: what the viewer says, under which name, and what the service says of it.
import type {
  Notice,
  PageMessage,
  ShownMessage,
  Welcome,
} from '../../../audience/protocol/messages.ts';
import type { ClientTexts, WatchData } from '../page-data.ts';
import { ChatLog } from './chat-log.ts';
import { announce, filled, find } from './page-elements.ts';
import { SlowMode } from './slow-mode.ts';

/** How long a notice is of use. */
const noticeMs = 6_000;

export class Chat {
  private readonly texts: ClientTexts;
  private readonly send: (message: PageMessage) => boolean;
  private readonly log: ChatLog;
  private readonly slow: SlowMode;
  private readonly text = find('chat-text');
  private readonly nick = find('nick');

  /** Given back where the service does not take it. */
  private lastSaid = '';
  private lastAnswered: ShownMessage | undefined;
  /** What the next line answers. */
  private answered: ShownMessage | undefined;
  /** By which name the service knows the viewer. */
  private knownNick = '';
  private isLost = false;
  private isOpen = false;
  private isMuted = false;
  private noticeEnds: ReturnType<typeof setTimeout> | undefined;

  /** `send` says whether the message is on its way; `now` is the service's clock. */
  constructor(data: WatchData, send: (message: PageMessage) => boolean, now: () => number) {
    this.texts = data.texts;
    this.send = send;
    this.log = new ChatLog(data);
    this.slow = new SlowMode(data.texts, now);
    find('chat-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.say();
    });
    this.nick.addEventListener('change', () => this.rename());
    this.log.onReply = (message) => {
      this.answer(message);
      this.text.focus();
    };
    find('chat-reply-end').addEventListener('click', () => {
      this.answer(undefined);
      this.text.focus();
    });
    this.text.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.answer(undefined);
    });
    this.setOpen(data.chat_open);
  }

  welcomed({ viewer, chat }: Welcome): void {
    this.log.author = viewer.author;
    if (this.isLost) this.notice(this.texts.connected_again);
    this.isLost = false;
    // A name that is being typed is not taken away.
    if (document.activeElement !== this.nick || viewer.fixed) this.named(viewer);
    this.isMuted = viewer.muted ?? false;
    this.setOpen(chat.open);
    this.setSlow(chat.slow_seconds ?? 0);
    this.log.renew(chat.messages);
    this.noteOwn(chat.messages);
    this.showPinned(chat.pinned);
  }

  add(messages: readonly ShownMessage[]): void {
    this.log.add(messages);
    this.noteOwn(messages);
    if (messages.some(({ author, text }) => author === this.log.author && text === this.lastSaid))
      this.lastSaid = '';
  }

  remove(ids: readonly number[]): void {
    this.log.remove(ids);
    if (this.answered && ids.includes(this.answered.id)) this.answer(undefined);
  }

  /** A line is pinned above the log, or none any more. */
  pin(message: ShownMessage | null): void {
    this.showPinned(message);
    if (message) announce(filled(this.texts.now_pinned, { text: message.text }));
  }

  /** A name that a link has given is shown, not asked for. */
  named({ nick, fixed }: { nick: string; fixed: boolean }): void {
    find('nick-asked').hidden = fixed;
    find('nick-given').hidden = !fixed;
    find('nick-name').textContent = nick;
    this.nick.value = nick;
    this.nick.dataset['told'] = nick;
    this.knownNick = nick;
  }

  setOpen(isOpen: boolean): void {
    this.isOpen = isOpen;
    this.showForm();
  }

  /** The viewer alone may not write, or may again. */
  setMuted(isMuted: boolean): void {
    this.isMuted = isMuted;
    this.showForm();
  }

  /** The viewer may not be here: nothing of it is theirs to read or to write. */
  keptOut(): void {
    find('chat').hidden = true;
  }

  setSlow(slowSeconds: number): void {
    this.slow.set(slowSeconds);
  }

  /** Shows for a while what the service has to tell, or would not do. */
  notice(text: string): void {
    this.show(text);
    this.noticeEnds = setTimeout(() => this.show(''), noticeMs);
  }

  /** Nothing can be said until it is welcome again. */
  lost(text: string): void {
    this.isLost = true;
    this.show(text);
  }

  /** `waitMs`: of a slow chat, until the viewer may write again. */
  refused(notice: Notice, waitMs: number | undefined): void {
    if (waitMs !== undefined) this.slow.waits(waitMs);
    const waitText = waitMs === undefined ? undefined : this.slow.waitText;
    // It stands above the field already.
    if (waitText !== undefined) announce(waitText);
    else this.notice(this.texts[notice]);
    if (this.text.value === '' && this.lastSaid !== '') {
      this.text.value = this.lastSaid;
      this.answer(this.lastAnswered);
    }
    this.lastSaid = '';
    // It may have been the name: then it is told once more with the next words.
    this.nick.dataset['told'] = this.knownNick;
  }

  private showForm(): void {
    const mayWrite = this.isOpen && !this.isMuted;
    find('chat').dataset['open'] = String(mayWrite);
    find('chat-closed').textContent = this.texts[this.isOpen ? 'muted' : 'chat_closed'];
    this.text.disabled = !mayWrite;
    find('chat-send').disabled = !mayWrite;
  }

  private noteOwn(messages: readonly ShownMessage[]): void {
    for (const { author, at } of messages) if (author === this.log.author) this.slow.wrote(at);
  }

  private showPinned(message: ShownMessage | null): void {
    const line = find('pinned-line');
    line.replaceChildren(...(message ? this.log.parts(message) : []));
    line.classList.toggle('by-host', message?.host === true);
    line.scrollTop = 0;
    find('chat-pinned').hidden = message === null;
  }

  private show(text: string): void {
    clearTimeout(this.noticeEnds);
    const place = find('chat-notice');
    // A screen reader would say it again if the same were written once more.
    if (place.textContent !== text) place.textContent = text;
  }

  private say(): void {
    const text = this.text.value.trim();
    if (text === '') return;
    // What was typed stays until it can be said.
    const { waitText } = this.slow;
    if (waitText !== undefined) {
      announce(waitText);
      return;
    }
    // A name typed just before was not left yet, so it has not been told.
    this.rename();
    const reply_to = this.answered?.id;
    if (!this.send({ type: 'chat', text, ...(reply_to !== undefined && { reply_to }) })) {
      if (!this.isLost) this.lost(this.texts.connection_lost);
      return;
    }
    this.lastSaid = text;
    this.lastAnswered = this.answered;
    this.text.value = '';
    this.answer(undefined);
  }

  /** Shows above the field what is answered, or that nothing is. */
  private answer(message: ShownMessage | undefined): void {
    this.answered = message;
    find('chat-reply').hidden = message === undefined;
    const text = message ? this.log.quoteText(message) : '';
    find('chat-reply-text').textContent = message ? filled(this.texts.in_reply_to, { text }) : '';
  }

  private rename(): void {
    const nick = this.nick.value.trim();
    if (nick === this.nick.dataset['told']) return;
    if (this.send({ type: 'nick', nick })) this.nick.dataset['told'] = nick;
  }
}
