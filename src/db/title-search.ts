// Finding text inside a folded column on either engine.
import type { Condition, Dialect } from './sql.ts';

/** Both engines' trigram indexes know nothing of shorter text. */
const indexedCharacters = 3;

/**
 * Upper and lower case become one, in the column and in what is looked for. Letter by letter, because
 * `toLowerCase` of a whole word treats a last Greek sigma as another letter.
 */
export function folded(text: string): string {
  return Array.from(text.toUpperCase(), (letter) => letter.toLowerCase()).join('');
}

/**
 * Conditions that hold for the rows of `videos v` whose folded name contains the text. The index only
 * proposes candidates; the plain comparison decides, so `%`, `_` and quotes are ordinary characters.
 */
export function titleContains(dialect: Dialect, title: string): Condition[] {
  const wanted = folded(title);
  if (dialect === 'postgres') {
    // One condition serves both: pg_trgm reads its trigrams out of the LIKE pattern and scans where it has none.
    return [['v.folded_name LIKE ?', `%${wanted.replace(/[\\%_]/g, '\\$&')}%`]];
  }
  const exact: Condition = ['instr(v.folded_name, ?) > 0', wanted];
  if ([...wanted].length < indexedCharacters) return [exact];
  const phrase = `"${wanted.replaceAll('"', '""')}"`;
  return [['v.id IN (SELECT rowid FROM video_titles WHERE video_titles MATCH ?)', phrase], exact];
}
