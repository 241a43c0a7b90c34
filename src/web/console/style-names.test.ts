// Every value that a style sheet of the pages or the console names is there: one that is missing is silently nothing.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chosenSchemeStyle, themeStyle } from '../pages/theme.ts';

const web = join(import.meta.dir, '..');
const sheets = [...new Bun.Glob('{console,pages}/style/*.css').scanSync(web)].map((file) => ({
  file,
  text: readFileSync(join(web, file), 'utf8'),
}));
/** Scripts set these on an element. */
const scripts = [...new Bun.Glob('{console,pages}/**/*.{ts,tsx}').scanSync(web)]
  .map((file) => readFileSync(join(web, file), 'utf8'))
  .join('\n');

test('every value has its name', () => {
  const all = [
    themeStyle('default', ''),
    themeStyle('tech', ''),
    chosenSchemeStyle(),
    ...sheets.map(({ text }) => text),
  ].join('\n');
  const given = new Set([...all.matchAll(/(--[\w-]+)\s*:/g)].map(([, name]) => name));
  for (const [, name] of scripts.matchAll(/['"`](--[\w-]+)/g)) given.add(name);
  const missing = sheets.flatMap(({ file, text }) =>
    [...text.matchAll(/var\((--[\w-]+)/g)]
      .filter(([, name]) => !given.has(name))
      .map(([, name]) => `${file}: ${name}`),
  );
  expect(sheets.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});
