// Finding text inside a folded column on either engine.
import { dialectWords } from './dialect.ts';
import { within } from './index-walk.ts';
import { type Search, searchInSteps } from './row-steps.ts';
import { type Condition, type Sql, where } from './sql.ts';

/** Both engines' trigram indexes know nothing of shorter text. */
const indexedCharacters = 3;

/**
 * Upper and lower case become one, in the column and in what is looked for. Letter by letter, because
 * `toLowerCase` of a whole word treats a last Greek sigma as another letter.
 */
export function folded(text: string): string {
  // Most names: a tenth of the time.
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase();
  return Array.from(text.toUpperCase(), (letter) => letter.toLowerCase()).join('');
}

/** By the table that is looked through: its index of names, and how SQL calls its columns. */
const tables = {
  'videos v': { table: 'videos', letter: 'v', names: 'video_titles' },
  'channels c': { table: 'channels', letter: 'c', names: 'channel_names' },
} as const;

export interface TitleSearch extends Search {
  title: string;
  /** How many rows the index leads to. */
  rows: number;
}

/** Ids or rows; what each costs is some fifty milliseconds at most. */
export interface TitleBounds {
  /** So few rows are compared one by one: the index has those of all accounts. */
  scanned: number;
  /** More candidates than this, and comparing the rows themselves costs less. */
  candidates: number;
  /** Rows that are compared in one statement. */
  step: number;
}

const titleBounds: TitleBounds = { scanned: 10_000, candidates: 10_000, step: 10_000 };

/**
 * The ids of one page of rows whose folded name contains the text, and how many there are. The index only
 * proposes candidates; the plain comparison decides, so `%`, `_` and quotes are ordinary characters.
 */
export async function searchTitles(
  sql: Sql,
  search: TitleSearch,
  bounds = titleBounds,
): Promise<{ total: number; ids: number[] }> {
  const wanted = folded(search.title);
  const { from, id } = search;
  const { letter } = tables[from];
  const contains: Condition = [dialectWords(sql.dialect).contains(`${letter}.folded_name`), wanted];
  const matching = [...search.matching, contains];
  const isIndexed = search.rows > bounds.scanned && [...wanted].length >= indexedCharacters;
  const candidates = isIndexed
    ? await proposed(sql, { from, wanted, max: bounds.candidates })
    : undefined;
  if (!candidates) return await searchInSteps(sql, { ...search, matching }, bounds.step);
  const { text, params } = where([...within(search), [among(sql, id), candidates], ...matching]);
  const found = await sql.all<{ id: number }>(
    `SELECT ${id} FROM ${from} ${text} ORDER BY ${id} DESC`,
    params,
  );
  const page = found.slice(search.offset, search.offset + search.limit);
  return { total: found.length, ids: page.map(({ id }) => id) };
}

function among(sql: Sql, id: TitleSearch['id']): string {
  return `${id} IN (${dialectWords(sql.dialect).listed})`;
}

/** Ids of the names, of all accounts, that may contain the text, as JSON; undefined where they are too many. */
async function proposed(
  sql: Sql,
  { from, wanted, max }: { from: TitleSearch['from']; wanted: string; max: number },
): Promise<string | undefined> {
  const { table, names } = tables[from];
  const [text, asked] =
    sql.dialect === 'sqlite'
      ? [`SELECT rowid AS id FROM ${names} WHERE ${names} MATCH $1`, someTrigrams(wanted)]
      : [`SELECT id FROM ${table} WHERE folded_name LIKE $1`, like(wanted)];
  // Written out: with a parameter PostgreSQL may take the whole table for the shorter way.
  const found = await sql.all<{ id: number }>(`${text} LIMIT ${max + 1}`, [asked]);
  return found.length > max ? undefined : JSON.stringify(found.map(({ id }) => id));
}

/** pg_trgm reads its trigrams out of the pattern. */
function like(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** Of a long text: each costs a walk through the names that have it, and a few tell nearly as much as all. */
const trigramsMax = 8;

/** What FTS5 is asked for: names that have these, wherever. As one phrase a common text would take seconds. */
function someTrigrams(text: string): string {
  const letters = [...text];
  const last = letters.length - indexedCharacters;
  const count = Math.min(trigramsMax, last + 1);
  const starts = Array.from({ length: count }, (_, at) =>
    Math.round((at * last) / Math.max(1, count - 1)),
  );
  const trigrams = starts.map((from) => letters.slice(from, from + indexedCharacters).join(''));
  return trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
}
