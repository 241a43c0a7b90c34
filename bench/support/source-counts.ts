// What can be counted in a checkout's sources without running them: SQL beside the stores, lines that stand twice, names that are not alone.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isSqlIn } from '../../test/support/repository.ts';

export interface SourceCounts {
  /** Files that hold SQL and are neither an `x-store.ts` nor of the database's own folder. */
  sqlFiles: string[];
  /** Where the same six lines or more stand once more: `file:line = file:line, N lines`. */
  duplicates: string[];
  /** Files that share their name, a line each name. */
  sharedNames: string[];
}

/** Where SQL belongs beside `x-store.ts`: now, and in the layout before the house had wings. */
const databaseFolders = ['src/base/db/', 'src/db/'];

const duplicateLines = 6;

export function countSources(checkout: string): SourceCounts {
  const files = [...new Bun.Glob('src/**/*.ts').scanSync(checkout)]
    .filter((file) => !file.endsWith('.test.ts'))
    .sort();
  const sources = files.map((file) => ({ file, lines: linesOf(join(checkout, file)) }));
  return {
    sqlFiles: sources.filter(({ file, lines }) => holdsSql(file, lines)).map(({ file }) => file),
    duplicates: duplicatesIn(sources),
    sharedNames: [...Map.groupBy(files, (file) => basename(file)).values()]
      .filter((group) => group.length > 1)
      .map((group) => group.join(' = ')),
  };
}

/** A line that says something, trimmed, with its number. */
interface Line {
  text: string;
  number: number;
}

interface Source {
  file: string;
  lines: readonly Line[];
}

/** Without imports, comments, and lines of punctuation alone. */
function linesOf(path: string): Line[] {
  const blank = (text: string) => text.replace(/[^\n]/g, '');
  return readFileSync(path, 'utf8')
    .replace(/^(import|export) [^;=(]*? from '[^']*';/gm, blank)
    .replace(/\/\*\*?.*?\*\//gs, blank)
    .split('\n')
    .map((text, index) => ({ text: text.trim(), number: index + 1 }))
    .filter(({ text }) => /\w/.test(text) && !text.startsWith('//'));
}

function holdsSql(file: string, lines: readonly Line[]): boolean {
  const mayHold =
    file.endsWith('-store.ts') || databaseFolders.some((folder) => file.startsWith(folder));
  return !mayHold && isSqlIn(lines.map(({ text }) => text).join('\n'));
}

/** Goes through all runs of six lines; those that follow one another and stood before in the same place are one. */
function duplicatesIn(sources: readonly Source[]): string[] {
  const seen = new Map<string, { source: Source; at: number }>();
  const found: string[] = [];
  for (const source of sources) {
    let at = 0;
    while (at + duplicateLines <= source.lines.length) {
      const key = runAt(source, at);
      const before = seen.get(key);
      if (before && (before.source !== source || before.at + duplicateLines <= at)) {
        const count = sameLines(before, { source, at });
        const places = [before, { source, at }].map(placeOf).join(' = ');
        found.push(`${places}, ${count} lines`);
        at += count;
      } else {
        if (!before) seen.set(key, { source, at });
        at += 1;
      }
    }
  }
  return found;
}

function runAt({ lines }: Source, at: number): string {
  return lines
    .slice(at, at + duplicateLines)
    .map(({ text }) => text)
    .join('\n');
}

interface Place {
  source: Source;
  at: number;
}

function sameLines(one: Place, other: Place): number {
  const textAt = ({ source, at }: Place, further: number) => source.lines[at + further]?.text;
  let count = duplicateLines;
  while (textAt(one, count) !== undefined && textAt(one, count) === textAt(other, count))
    count += 1;
  return count;
}

function placeOf({ source, at }: Place): string {
  return `${source.file}:${source.lines[at]?.number}`;
}
