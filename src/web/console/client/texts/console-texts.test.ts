// Every sentence of the console says the same in both languages, and is said somewhere.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { consoleTexts } from './console-texts.ts';

const client = join(import.meta.dir, '..');

/** `channels.states.all` and the like, with their sentences. */
function sentencesOf(texts: object, way = ''): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([name, text]) =>
      typeof text === 'string'
        ? [[`${way}${name}`, text] as const]
        : [...sentencesOf(text, `${way}${name}.`)],
    ),
  );
}

const english = sentencesOf(consoleTexts.en);
const chinese = sentencesOf(consoleTexts.zh);
const valuesIn = (text = '') => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

test('both languages have the same sentences, with the same values in them', () => {
  expect([...chinese.keys()]).toEqual([...english.keys()]);
  for (const [name, text] of english)
    expect({ name, values: valuesIn(chinese.get(name)) }).toEqual({ name, values: valuesIn(text) });
});

test('no sentence is empty, and none of the Chinese ones is left in English', () => {
  const same = [...english].filter(([name, text]) => text === '' || chinese.get(name) === text);
  expect(same.map(([name]) => name)).toEqual(['brand']);
});

test('every sentence is said somewhere', () => {
  const files = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(client)]
    .filter((file) => !/^texts\/|\.test\./.test(file))
    .map((file) => readFileSync(join(client, file), 'utf8'))
    .join('\n');
  const names = [...english.keys()].filter(
    (name) =>
      !/^(advice|states|(channels|videos)\.(\w+_)?(states|names)|account\.(scopes|plans|job_states)|audience\.periods|uploads\.(states|of|found|reasons)|audit\.(groups|operations)|refused\.(codes|said|fields|jobs))\./.test(
        name,
      ),
  );
  const silent = names.filter((name) => !new RegExp(`\\b${name.split('.').at(-1)}\\b`).test(files));
  expect(silent).toEqual([]);
});
