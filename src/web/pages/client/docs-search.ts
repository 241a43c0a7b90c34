// The search of `/docs`: its index is loaded when somebody searches, and asked without the service.
import type { SearchIndex } from '../search-entry.ts';
import { type FoundEntry, findIn } from './docs-finding.ts';

/** `go` leads to an address of `/docs`. */
export function startSearch(go: (address: string) => void): void {
  const field = document.querySelector<HTMLInputElement>('search input');
  const list = document.querySelector<HTMLElement>('search ul');
  const count = document.querySelector<HTMLElement>('search p');
  if (field && list && count) new Search({ field, list, count, go }).start();
}

interface SearchParts {
  field: HTMLInputElement;
  list: HTMLElement;
  /** Tells screen readers how many there are. */
  count: HTMLElement;
  go(address: string): void;
}

class Search {
  private readonly parts: SearchParts;

  private index: Promise<SearchIndex> | undefined;
  private found: FoundEntry[] = [];
  private chosen = 0;

  constructor(parts: SearchParts) {
    this.parts = parts;
  }

  start(): void {
    const { field, list } = this.parts;
    field.addEventListener('focus', () => this.load());
    field.addEventListener('input', () => this.search());
    field.addEventListener('keydown', (event) => this.press(event));
    field.addEventListener('blur', () => this.close());
    // Before the field loses the focus, which closes the list.
    list.addEventListener('pointerdown', (event) => event.preventDefault());
    list.addEventListener('click', ({ target }) => {
      const item = target instanceof Element ? target.closest('li') : null;
      if (item) this.go([...list.children].indexOf(item));
    });
    document.addEventListener('keydown', (event) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      event.preventDefault();
      field.focus();
      field.select();
    });
  }

  private load(): Promise<SearchIndex> {
    this.index ??= fetch('/docs/search.json').then((answer) => {
      if (!answer.ok) throw new Error(`The index is answered with ${answer.status}`);
      return answer.json();
    });
    // The next try loads it anew.
    this.index.catch(() => {
      this.index = undefined;
    });
    return this.index;
  }

  private async search(): Promise<void> {
    const { field, count } = this.parts;
    const typed = field.value;
    try {
      const index = await this.load();
      // More was typed meanwhile.
      if (field.value !== typed) return;
      const { entries, isWhole } = findIn(index, typed);
      this.found = entries;
      this.chosen = 0;
      this.show(isWhole);
      const said = isWhole || entries.length === 0 ? 'found' : `found. ${partlySaid}`;
      count.textContent = typed.trim() === '' ? '' : `${entries.length} ${said}`;
    } catch {
      count.textContent = 'The search could not be loaded';
    }
  }

  private press(event: KeyboardEvent): void {
    const { length } = this.found;
    if (event.key === 'Escape') this.close();
    else if (event.key === 'Enter' && length > 0) this.go(this.chosen);
    else if (event.key === 'ArrowDown' && length > 0) this.choose((this.chosen + 1) % length);
    else if (event.key === 'ArrowUp' && length > 0)
      this.choose((this.chosen + length - 1) % length);
    else return;
    event.preventDefault();
  }

  private choose(at: number): void {
    const { field, list } = this.parts;
    this.chosen = at;
    for (const [place, item] of [...list.children].entries())
      item.ariaSelected = String(place === at);
    field.setAttribute('aria-activedescendant', `found-${at}`);
    list.children[at]?.scrollIntoView({ block: 'nearest' });
  }

  private show(isWhole: boolean): void {
    const { field, list } = this.parts;
    const isEmpty = field.value.trim() === '';
    list.replaceChildren(...this.found.map(itemOf));
    if (this.found.length === 0) list.append(saidItem('Nothing found'));
    else if (!isWhole) list.append(saidItem(partlySaid));
    list.hidden = isEmpty;
    field.ariaExpanded = String(!isEmpty);
    if (this.found.length > 0) this.choose(0);
    else field.removeAttribute('aria-activedescendant');
  }

  private close(): void {
    const { field, list } = this.parts;
    list.hidden = true;
    field.ariaExpanded = 'false';
    field.removeAttribute('aria-activedescendant');
  }

  private go(at: number): void {
    const found = this.found[at];
    if (!found) return;
    this.close();
    this.parts.field.blur();
    this.parts.go(found.address);
  }
}

function itemOf({ kind, title, words, address }: FoundEntry, at: number): HTMLElement {
  const item = document.createElement('li');
  item.id = `found-${at}`;
  item.role = 'option';
  item.dataset['address'] = address;
  const name = document.createElement('b');
  name.textContent = title;
  const rest = document.createElement('span');
  rest.textContent = `${kind} · ${words.length > 110 ? `${words.slice(0, 109)}…` : words}`;
  item.append(name, rest);
  return item;
}

const partlySaid = 'Nothing has every word; these have the most of them.';

/** Nothing to choose. */
function saidItem(sentence: string): HTMLElement {
  const item = document.createElement('li');
  item.role = 'option';
  item.ariaDisabled = 'true';
  item.textContent = sentence;
  return item;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}
