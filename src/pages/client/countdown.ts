// The time until the show begins, by the service's clock, and when that is in the viewer's own time zone.
import type { Language, WatchData } from '../page-data.ts';
import { find, findMaybe, localeOf } from './page.ts';

/** Counts down by the clock while the page waits for a start that is still to come. */
export function startCountdown({ start_time, language }: WatchData, clock: () => number): void {
  const countdown = findMaybe('countdown', HTMLElement);
  if (!countdown || start_time === null) return;
  showStart(start_time, language);
  const show = () => {
    const leftMs = start_time - clock();
    countdown.hidden = leftMs <= 0;
    find('countdown-over', HTMLElement).hidden = leftMs > 0;
    if (leftMs > 0) showParts(partsOf(leftMs));
    else clearInterval(timer);
  };
  const timer = setInterval(show, 1000);
  show();
}

export interface CountdownParts {
  days: string;
  hours: string;
  minutes: string;
  seconds: string;
}

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
  find('countdown-days-part', HTMLElement).hidden = parts.days === '0';
  for (const [name, text] of Object.entries(parts)) {
    const place = find(`countdown-${name}`, HTMLElement);
    // What has not changed is not written: a screen reader would say it again.
    if (place.textContent !== text) place.textContent = text;
  }
}

function showStart(start_time: number, language: Language): void {
  const place = findMaybe('start-time', HTMLElement);
  if (!place) return;
  const style = { dateStyle: 'full', timeStyle: 'short' } as const;
  place.textContent = new Intl.DateTimeFormat(localeOf(language), style).format(start_time);
}
