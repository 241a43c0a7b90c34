// A slow chat, for its viewer: that there is a time between two lines, and how much of it is left.
import type { ClientTexts } from '../page-data.ts';
import { filled, find } from './page-elements.ts';

export class SlowMode {
  private readonly texts: ClientTexts;
  private readonly now: () => number;

  private slowMs = 0;
  private wroteAt = Number.NEGATIVE_INFINITY;
  private next: ReturnType<typeof setTimeout> | undefined;

  /** `now` is the service's clock. */
  constructor(texts: ClientTexts, now: () => number) {
    this.texts = texts;
    this.now = now;
  }

  set(slowSeconds: number): void {
    this.slowMs = 1_000 * slowSeconds;
    this.show();
  }

  /** The viewer did, on whichever page. */
  wrote(at: number): void {
    this.wroteAt = Math.max(this.wroteAt, at);
    this.show();
  }

  /** So says the service, whose clock is right. */
  waits(waitMs: number): void {
    this.wroteAt = this.now() + waitMs - this.slowMs;
    this.show();
  }

  /** Until the viewer may write; undefined where that is now. */
  get waitText(): string | undefined {
    const left = Math.min(this.slowMs, this.wroteAt + this.slowMs - this.now());
    if (left <= 0) return undefined;
    return filled(this.texts.slow_wait, { seconds: Math.ceil(left / 1_000) });
  }

  private show(): void {
    clearTimeout(this.next);
    const { waitText } = this;
    const line = find('chat-slow');
    line.hidden = this.slowMs === 0;
    line.dataset['waits'] = String(waitText !== undefined);
    line.textContent = waitText ?? filled(this.texts.slow_mode, { seconds: this.slowMs / 1_000 });
    // Of a page that is not looked at this comes late, and reads the clock then.
    if (waitText !== undefined) this.next = setTimeout(() => this.show(), 1_000);
  }
}
