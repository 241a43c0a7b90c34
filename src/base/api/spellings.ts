// What became of the names in a request that are not the interface's own: spellings that were taken, and what was ignored.

/** Says in an answer which names of the request were ignored. */
export const ignoredHeader = 'X-Ignored-Parameters';

/** Of the header: proxies and clients take heads of 8 KB, and most of that is others'. */
const ignoredBytesMax = 1_024;
/** Of a name: as much as says which one it is. */
const nameCharactersMax = 64;
/** Stands for what there is no room for. */
const more = '...';

/** Of one request. Most have nothing of it, so it holds nothing until there is something. */
export class Spellings {
  private ownNames: Map<string, string> | undefined;
  private ignoredNames: Set<string> | undefined;

  /** The name is read as the field's. */
  take(spelling: string, name: string): void {
    this.ownNames ??= new Map();
    this.ownNames.set(spelling, name);
  }

  ignore(name: string): void {
    this.ignoredNames ??= new Set();
    this.ignoredNames.add(name);
  }

  /** Whether there is no room for a further name. */
  get isFull(): boolean {
    return this.ignoredNames !== undefined && this.ignoredNames.size * 3 > ignoredBytesMax;
  }

  /** Names alone, each as in a query, so that any of them is ASCII; undefined where nothing was ignored. */
  get ignored(): string | undefined {
    if (!this.ignoredNames) return undefined;
    let text = '';
    for (const name of this.ignoredNames) {
      const next = text === '' ? written(name) : `${text}, ${written(name)}`;
      if (next.length > ignoredBytesMax - more.length - 2) return `${text}, ${more}`;
      text = next;
    }
    return text;
  }

  /** A target in the interface's own names, so that the links of a list are. */
  ownTarget(target: string): string {
    const at = target.indexOf('?');
    if (!this.ownNames || at < 0) return target;
    const query = new URLSearchParams();
    for (const [name, value] of new URLSearchParams(target.slice(at + 1)))
      query.append(this.ownNames.get(name) ?? name, value);
    return `${target.slice(0, at)}?${query}`;
  }
}

function written(name: string): string {
  if (name === '') return '""';
  const start = [...name.slice(0, 2 * nameCharactersMax)].slice(0, nameCharactersMax).join('');
  return encodeURIComponent(start.toWellFormed()) + (start.length < name.length ? more : '');
}
