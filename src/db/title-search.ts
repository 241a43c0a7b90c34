// Finding text inside a folded column on either engine.
import type { Condition, Sql } from './sql.ts';

/** Both engines' trigram indexes know nothing of shorter text. */
const indexedCharacters = 3;

/**
 * Upper and lower case become one, in the column and in what is looked for. Letter by letter, because
 * `toLowerCase` of a whole word treats a last Greek sigma as another letter.
 */
export function folded(text: string): string {
  return Array.from(text.toUpperCase(), (letter) => letter.toLowerCase()).join('');
}

export interface TitleQuestion {
  title: string;
  /** Rows that are looked through where the index does not help: those of the account. */
  rows: number;
}

/** Both are ids or rows; what either costs is some hundred milliseconds at most. */
export interface TitleBounds {
  /** So few rows are compared one by one: the index has those of all accounts. */
  scanned: number;
  /** More candidates than this, and comparing the account's own rows costs less. */
  candidates: number;
}

const titleBounds: TitleBounds = { scanned: 20_000, candidates: 20_000 };

/**
 * Conditions that hold for the rows of `videos v` whose folded name contains the text. The index only
 * proposes candidates; the plain comparison decides, so `%`, `_` and quotes are ordinary characters.
 */
export async function titleContains(
  sql: Sql,
  { title, rows }: TitleQuestion,
  bounds = titleBounds,
): Promise<Condition[]> {
  const wanted = folded(title);
  if (sql.dialect === 'postgres') {
    // One condition serves both: pg_trgm reads its trigrams out of the LIKE pattern and scans where it has none.
    return [['v.folded_name LIKE ?', `%${wanted.replace(/[\\%_]/g, '\\$&')}%`]];
  }
  const exact: Condition = ['instr(v.folded_name, ?) > 0', wanted];
  if (rows <= bounds.scanned || [...wanted].length < indexedCharacters) return [exact];
  const candidates = await sql.all<{ id: number }>(
    'SELECT rowid AS id FROM video_titles WHERE video_titles MATCH $1 LIMIT CAST($2 AS BIGINT)',
    [someTrigrams(wanted), bounds.candidates + 1],
  );
  if (candidates.length > bounds.candidates) return [exact];
  const ids = JSON.stringify(candidates.map(({ id }) => id));
  return [['v.id IN (SELECT value FROM json_each(?))', ids], exact];
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
