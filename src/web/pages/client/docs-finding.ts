// What a search finds in the index of `/docs`, the best first.
import type { FoundKind, SearchEntry, SearchIndex } from '../search-entry.ts';

export interface FoundEntry {
  kind: FoundKind;
  title: string;
  words: string;
  address: string;
}

const foundMax = 20;

/** Where a word is found as well, this comes first. */
const worth: Record<FoundKind, number> = {
  operation: 4,
  guide: 3,
  event: 3,
  error: 2,
  command: 2,
  setting: 1,
  field: 0,
};

export interface FoundEntries {
  entries: FoundEntry[];
  /** Whether they hold every word of what was typed. */
  isWhole: boolean;
}

/** Entries that hold every word of what was typed; where there are none, those that hold the most of them. */
export function findIn({ pages, entries }: SearchIndex, typed: string): FoundEntries {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const held = entries.map((entry) => ({ entry, ...heldBy(entry, words) }));
  const most = held.reduce((max, { count }) => Math.max(max, count), 0);
  const best = most === 0 ? [] : held.filter(({ count }) => count === most);
  return {
    isWhole: most === words.length,
    entries: best
      .toSorted((one, other) => other.score - one.score)
      .slice(0, foundMax)
      .map(({ entry: [kind, title, page, anchor, said] }) => ({
        kind,
        title,
        words: said,
        address: `${pages[page] ?? ''}${anchor && `#${anchor}`}`,
      })),
  };
}

/** How many of the words, and how well. */
function heldBy(
  [kind, title, , anchor, said, others = '']: SearchEntry,
  words: readonly string[],
): { count: number; score: number } {
  const name = title.toLowerCase();
  const rest = `${anchor} ${said}`.toLowerCase();
  let count = 0;
  let score = worth[kind];
  for (const word of words) {
    const begins = new RegExp(`\\b${escaped(word)}`);
    const points = () => {
      if (name === word) return 40;
      if (name.startsWith(word)) return 20;
      if (begins.test(name)) return 14;
      if (begins.test(others)) return 10;
      if (name.includes(word)) return 8;
      return rest.includes(word) ? 3 : 0;
    };
    const found = points();
    if (found > 0) count += 1;
    score += found;
  }
  return { count, score };
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
