// What goes wrong in a style sheet of the pages or the console without a word: a value that is missing, a direction that the bundler rewrites.
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

test('no rule is of a direction where the bundler would make it one of languages', () => {
  // Arabic is written on pages in English, too: which way a line runs is known to the browser alone.
  const rewritten = /:dir\(|\binset-inline|\bborder-(?:start|end)-(?:start|end)-radius/g;
  const found = sheets.flatMap(({ file, text }) =>
    [...text.matchAll(rewritten)].map(([rule]) => `${file}: ${rule}`),
  );
  expect(found).toEqual([]);
});
