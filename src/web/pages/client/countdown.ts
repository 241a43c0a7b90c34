// The time until the show begins, by the service's clock, and when that is in the viewer's own time zone.
import type { Language, WatchData } from '../page-data.ts';
import { find, localeOf } from './page-elements.ts';

export class Countdown {
  private readonly language: Language;
  private readonly clock: () => number;

  private timer: ReturnType<typeof setInterval> | undefined;

  /** `clock`: the service's. */
  constructor({ start_time, language }: WatchData, clock: () => number) {
    this.language = language;
    this.clock = clock;
    this.startsAt(start_time);
  }

  /** Counts down to another start from now on. */
  startsAt(start_time: number | null): void {
    clearInterval(this.timer);
    const isAhead = start_time !== null && start_time > this.clock();
    find('start').hidden = !isAhead;
    if (isAhead) showStart(start_time, this.language);
    const show = () => {
      const leftMs = (start_time ?? 0) - this.clock();
      find('countdown').hidden = leftMs <= 0;
      find('countdown-over').hidden = leftMs > 0;
      if (leftMs > 0) showParts(partsOf(leftMs));
      else clearInterval(this.timer);
    };
    this.timer = setInterval(show, 1000);
    show();
  }

  /** Its elements are about to go. */
  stop(): void {
    clearInterval(this.timer);
  }
}

const partNames = ['days', 'hours', 'minutes', 'seconds'] as const;

export type CountdownParts = Record<(typeof partNames)[number], string>;

/** Rounded up: at the last second it says one, and is over when it is over. */
export function partsOf(leftMs: number): CountdownParts {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  const two = (count: number) => String(count).padStart(2, '0');
  return {
    days: String(Math.floor(seconds / 86_400)),
    hours: two(Math.floor(seconds / 3_600) % 24),
    minutes: two(Math.floor(seconds / 60) % 60),
    seconds: two(seconds % 60),
  };
}

function showParts(parts: CountdownParts): void {
  find('countdown-days-part').hidden = parts.days === '0';
  for (const name of partNames) {
    const place = find(`countdown-${name}`);
    // A screen reader would say it again if the same were written once more.
    if (place.textContent !== parts[name]) place.textContent = parts[name];
  }
}

function showStart(start_time: number, language: Language): void {
  const place = find('start-time');
  place.dateTime = new Date(start_time).toISOString();
  place.textContent = startText(start_time, language);
}

/** In the viewer's time zone. */
export function startText(start_time: number, language: Language): string {
  const style = { dateStyle: 'full', timeStyle: 'short' } as const;
  return new Intl.DateTimeFormat(localeOf(language), style).format(start_time);
}
