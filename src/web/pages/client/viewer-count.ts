// How many people are here: they wait while the show is still to come, then they watch, and when it is over they are here.
import type { WatchData } from '../page-data.ts';
import { filled, findMaybe, localeOf, pageState } from './page-elements.ts';

export class ViewerCount {
  private readonly data: Pick<WatchData, 'texts' | 'language'>;

  /** Undefined until the service has told it. */
  private count: number | undefined;

  constructor(data: Pick<WatchData, 'texts' | 'language'>) {
    this.data = data;
  }

  told(count: number): void {
    this.count = count;
    this.show();
  }

  /** What the page is about may be something else now. */
  show(): void {
    const { count, data } = this;
    const place = findMaybe('viewers');
    if (!place || count === undefined) return;
    const { texts, language } = data;
    const [one, several] = {
      waiting: [texts.waiting_one, texts.waiting],
      live: [texts.viewers_one, texts.viewers],
      ended: [texts.here_one, texts.here],
      video: [texts.viewers_one, texts.viewers],
    }[pageState()];
    const text = (count === 1 ? one : several) ?? '';
    place.textContent = filled(text, { count: count.toLocaleString(localeOf(language)) });
  }
}
