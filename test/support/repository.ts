// The repository as its own tests read it: its sources, and what each imports.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export const root = join(import.meta.dir, '../..');

/** Every TypeScript file that is ours, from the repository's root. */
export const sources = [
  ...new Bun.Glob('{src,test,trial,bench,cluster,examples,client}/**/*.{ts,tsx}').scanSync({
    cwd: root,
  }),
]
  .filter((file) => !/node_modules|^client\/dist\//.test(file))
  .sort();

export function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** At the head of a file or in the midst of it, for its types alone or for its names, or only so that it runs. */
const importing =
  /^(?:import|export)( type)? (?:[^;]*?from )?'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'/gms;

export function importsOf(file: string, { types = true } = {}): string[] {
  return [...read(file).matchAll(importing)]
    .filter((match) => types || !match[1])
    .map((match) => normalize(join(dirname(file), match[2] ?? match[3] ?? '')))
    .filter((imported) => /\.tsx?$/.test(imported));
}

/** Keywords in capitals, each with what follows it in a statement: prose has the one or the other. */
const sqlPhrases = [
  /\bSELECT\s+[\w*($]/,
  /\bINSERT\s+INTO\s/,
  /\bUPDATE\s+\S+\s+SET\s/,
  /\bDELETE\s+FROM\s/,
  /\b(WHERE|JOIN)\s+[\w($]/,
  /\b(ORDER|GROUP)\s+BY\s/,
  /\bON\s+CONFLICT\s/,
  /\b(CREATE|DROP|ALTER)\s+(\w+\s+)?(TABLE|INDEX)\s/,
  /\bPRAGMA\s+\w/,
];

export function isSqlIn(text: string): boolean {
  return sqlPhrases.some((phrase) => phrase.test(text));
}
