// What the search of `/docs` is made of: one entry for each thing that can be found, as the page loads them.

export const foundKinds = [
  'operation',
  'field',
  'error',
  'event',
  'guide',
  'setting',
  'command',
] as const;
export type FoundKind = (typeof foundKinds)[number];

export interface SearchIndex {
  /** Addresses of pages; an entry says which by its number. */
  pages: readonly string[];
  entries: readonly SearchEntry[];
}

export type SearchEntry = readonly [
  kind: FoundKind,
  title: string,
  page: number,
  /** Empty for the page itself. */
  anchor: string,
  /** What else is said of it. */
  words: string,
  /** What others call it; not shown. */
  others?: string,
];
