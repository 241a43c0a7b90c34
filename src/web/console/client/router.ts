// From view to view without loading the page: links are real links, and back is back.
import { type Signal, signal } from '@preact/signals';
import { type Place, placeOf } from './console-place.ts';

/** Asks whether one may leave what is shown; false where one stays. */
export type Guard = () => Promise<boolean>;

export interface Moved {
  place: Place;
  address: string;
  /** Where the window was when one was here before; undefined where one comes anew. */
  scrollY: number | undefined;
}

export class Router {
  readonly moved: Signal<Moved>;

  private guard: Guard | undefined;
  /** Which entry of the history this is: `history.state` holds it. */
  private entry = 0;
  /** Where the window was, by entry. */
  private readonly scrolls = new Map<number, number>();
  /** The history moves because we take a step back. */
  private isStepOfOurs = false;

  constructor() {
    this.moved = signal(this.here(undefined));
  }

  start(): void {
    history.scrollRestoration = 'manual';
    this.entry = entryOf(history.state) ?? 0;
    history.replaceState({ entry: this.entry }, '');
    window.addEventListener('popstate', (event) => this.stepped(entryOf(event.state) ?? 0));
    window.addEventListener('scroll', () => this.scrolls.set(this.entry, scrollY), {
      passive: true,
    });
    window.addEventListener('beforeunload', (event) => {
      if (this.guard) event.preventDefault();
    });
    document.addEventListener('click', (event) => this.clicked(event));
  }

  /** `replace`: back does not lead here. `isForced`: nobody is asked. `stays`: the window is not moved. */
  async go(to: string, { replace = false, isForced = false, stays = false } = {}): Promise<void> {
    if (to === location.pathname + location.search + location.hash) return;
    if (this.guard && !isForced && !(await this.guard())) return;
    if (replace) history.replaceState({ entry: this.entry }, '', to);
    else {
      this.entry += 1;
      this.scrolls.delete(this.entry);
      history.pushState({ entry: this.entry }, '', to);
    }
    this.moved.value = this.here(stays ? scrollY : undefined);
  }

  /** Until it is released: who leaves is asked first. */
  guarded(guard: Guard): () => void {
    this.guard = guard;
    return () => {
      if (this.guard === guard) this.guard = undefined;
    };
  }

  private async stepped(entry: number): Promise<void> {
    if (this.isStepOfOurs) {
      this.isStepOfOurs = false;
      return;
    }
    const steps = entry - this.entry;
    if (this.guard && steps !== 0) {
      this.isStepOfOurs = true;
      history.go(-steps);
      if (!(await this.guard())) return;
      this.guard = undefined;
      history.go(steps);
      return;
    }
    this.entry = entry;
    this.moved.value = this.here(this.scrolls.get(entry));
  }

  private here(scrollY: number | undefined): Moved {
    const address = location.pathname + location.search;
    return { place: placeOf(address), address, scrollY };
  }

  private clicked(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || event.defaultPrevented || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const isView = /^\/console(\/(?!watch\/|preview|assets\/)|$)/.test(link.pathname);
    if (link.target !== '' || link.origin !== location.origin || !isView) return;
    event.preventDefault();
    this.go(link.pathname + link.search, { stays: link.dataset['stays'] !== undefined });
  }
}

function entryOf(state: unknown): number | undefined {
  const entry = (state as { entry?: unknown } | null)?.entry;
  return typeof entry === 'number' ? entry : undefined;
}
