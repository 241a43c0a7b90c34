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

/** Entries that hold every word of what was typed. */
export function findIn({ pages, entries }: SearchIndex, typed: string): FoundEntry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, foundMax)
    .map(({ entry: [kind, title, page, anchor, said] }) => ({
      kind,
      title,
      words: said,
      address: `${pages[page] ?? ''}${anchor && `#${anchor}`}`,
    }));
}

/** 0 where a word is missing. */
function scoreOf([kind, title, , anchor, said]: SearchEntry, words: readonly string[]): number {
  const name = title.toLowerCase();
  const rest = `${anchor} ${said}`.toLowerCase();
  let score = worth[kind];
  for (const word of words) {
    if (name === word) score += 40;
    else if (name.startsWith(word)) score += 20;
    else if (new RegExp(`\\b${escaped(word)}`).test(name)) score += 14;
    else if (name.includes(word)) score += 8;
    else if (rest.includes(word)) score += 3;
    else return 0;
  }
  return score;
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
