// The repository as its own tests read it: its sources, and what each imports.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export const root = join(import.meta.dir, '../..');

/** Every TypeScript file that is ours, from the repository's root. */
export const sources = [...new Bun.Glob('{src,test,trial,bench}/**/*.ts').scanSync({ cwd: root })]
  .filter((file) => !file.includes('node_modules'))
  .sort();

export function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

export function importsOf(file: string, { types = true } = {}): string[] {
  return [...read(file).matchAll(/^(?:import|export)( type)? [^;]*?from '(\.[^']+)'/gms)]
    .filter((match) => types || !match[1])
    .map((match) => normalize(join(dirname(file), match[2] as string)))
    .filter((imported) => imported.endsWith('.ts'));
}
