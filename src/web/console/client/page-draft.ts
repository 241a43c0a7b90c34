// The settings of a viewing page that somebody is changing: what differs from what is saved, kept by the browser.
import { keptText } from '../../pages/client/kept-text.ts';
import type { PageSettings, ShownPage } from './service-answers.ts';

/** The fields that were changed, with their new values. */
export type PageChanges = Partial<PageSettings>;

/** What was changed is no change where it is as it was. */
export function changed<K extends keyof PageSettings>(
  changes: PageChanges,
  saved: ShownPage,
  [name, value]: [name: K, value: PageSettings[K]],
): PageChanges {
  const { [name]: _, ...others } = changes;
  return value === (saved as PageSettings)[name]
    ? (others as PageChanges)
    : { ...others, [name]: value };
}

/** Drops what is saved by now, or by somebody else. */
export function stillChanged(changes: PageChanges, saved: ShownPage): PageChanges {
  const shown: Record<string, unknown> = saved;
  const left = Object.entries(changes).filter(
    ([name, value]) => name in shown && shown[name] !== value,
  );
  return Object.fromEntries(left) as PageChanges;
}

/** What the fields had before the change: how it is undone. */
export function before(changes: PageChanges, saved: ShownPage): PageChanges {
  const shown: Record<string, unknown> = saved;
  const names = Object.keys(changes);
  return Object.fromEntries(names.map((name) => [name, shown[name]])) as PageChanges;
}

export interface KeptChanges {
  read(): PageChanges;
  keep(changes: PageChanges): void;
}

/** Of a person: who signs in next in this browser has changes of their own. */
export function keptChanges(personId: number, channelId: number): KeptChanges {
  const kept = keptText('browser', `footlight_page_${personId}_${channelId}`);
  return {
    read: () => readChanges(kept.read() ?? ''),
    keep: (changes) => kept.keep(Object.keys(changes).length > 0 ? JSON.stringify(changes) : ''),
  };
}

/** Kept by this version or an older one: what cannot be read is nothing. */
export function readChanges(text: string): PageChanges {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}
