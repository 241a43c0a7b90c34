// What the script finds in its page: the data it carries, and its elements by their ids (page-ids.ts names them).
import type { Language } from '../page-data.ts';
import type { PageId, PageIdOfSome, pageElements } from '../page-ids.ts';

/** The page is of the same service and the same version, so its data is what the type says. */
export function readPageData<Data>(): Data {
  return JSON.parse(find('page').text);
}

/** An element by its id, as the table of the markup names it. */
type PageElement<Id extends PageId> = HTMLElementTagNameMap[(typeof pageElements)[Id]];

/** An element that every page with this script has. */
export function find<Id extends Exclude<PageId, PageIdOfSome>>(id: Id): PageElement<Id> {
  const found = elementWith(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** An element that some pages with this script lack. */
export function findMaybe<Id extends PageIdOfSome>(id: Id): PageElement<Id> | undefined {
  return elementWith(id);
}

function elementWith<Id extends PageId>(id: Id): PageElement<Id> | undefined {
  // The markup takes its ids from the same table, and a test compares the elements.
  return (document.getElementById(id) as PageElement<Id> | null) ?? undefined;
}

/** What the whole page is about now; the style sheet shows and hides by it. */
export type PageState = 'waiting' | 'live' | 'ended' | 'video';

export function setPageState(state: PageState): void {
  document.body.dataset['state'] = state;
}

export function pageState(): PageState {
  return document.body.dataset['state'] as PageState;
}

/** Tells those who hear the page instead of seeing it. */
export function announce(text: string): void {
  find('announce').textContent = text;
}

/** What went wrong, in the place of the picture; none where it is well again. */
export function showMessage(text: string | undefined): void {
  const message = find('message');
  message.hidden = text === undefined;
  message.textContent = text ?? '';
}

/** The script runs: the style sheet need not say that it does not. */
export function hideNotStarted(): void {
  find('not-started').hidden = true;
}

/** How the viewer writes times and numbers, where that is in the page's language. */
export function localeOf(language: Language): string {
  return navigator.language.startsWith(language) ? navigator.language : language;
}

/** `{name}` in a text becomes the value of that name. */
export function filled(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
