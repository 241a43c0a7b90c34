// Every sentence of the console says the same in both languages, and is said somewhere.
import { describe, expect, test } from 'bun:test';
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
  const said = new Set(
    [...new Bun.Glob('**/*.{ts,tsx}').scanSync(client)]
      .filter((file) => !/^texts\/|\.test\./.test(file))
      .flatMap((file) => saidIn(readFileSync(join(client, file), 'utf8'))),
  );
  expect([...english.keys()].filter((way) => !said.has(way) && !isChosen(way))).toEqual([]);
});

/** All of it is chosen by a value that the service tells; its type says by which. */
function isChosen(way: string): boolean {
  return /^(advice|states|refused\.(codes|said|fields|jobs))\./.test(way);
}

describe('a sentence of a screen', () => {
  const said = (text: string) => saidIn(`function View() {\n  ${text}\n}`);

  test('is said by its whole way, by whatever name its group has there', () => {
    expect(said('const texts = useTexts(); return texts.shows.title;')).toEqual(['shows.title']);
    expect(said('const { shows: texts, nav } = useTexts(); go(texts.title, nav.main);')).toEqual([
      'shows.title',
      'nav.main',
    ]);
    expect(said("const of = (texts: ConsoleTexts['shows']) => texts.title;")).toEqual([
      'shows.title',
    ]);
  });

  test('is not said by one of the same name in another group', () => {
    expect(said('const { shows: texts } = useTexts(); return texts.title;')).not.toContain(
      'videos.title',
    );
    const two = 'function A() { const { nav: texts } = useTexts(); }\nfunction B() { texts.main; }';
    expect(saidIn(two)).toEqual([]);
  });

  test('that is chosen by a value is said with its neighbours, but not a whole screen by one', () => {
    const one = said('const { videos: texts } = useTexts(); return texts.file_names[file];');
    expect(one).toContain('videos.file_names.cover');
    expect(one).not.toContain('videos.title');
    expect(said('const { videos: texts } = useTexts(); return texts[name];')).toEqual([]);
  });
});

/** The ways that a file of the console says, function by function: a name means something else in each. */
function saidIn(file: string): string[] {
  return file.split(/^(?=(?:export )?(?:async )?(?:function|const) )/m).flatMap(saidInPart);
}

function saidInPart(part: string): string[] {
  const groups = namesIn(part);
  const said = [...groups.values()].flat().filter((way) => english.has(way));
  for (const [name, ways] of groups)
    for (const [, rest = ''] of part.matchAll(
      new RegExp(`(?<![.\\w])${name}((?:\\??\\.\\w+)+)`, 'g'),
    ))
      for (const way of ways) {
        const whole = joined(way, rest.replaceAll('?', '').slice(1));
        // Words below a screen's are chosen by a value, there or where they are handed on.
        if (whole.includes('.'))
          said.push(...[...english.keys()].filter((one) => one.startsWith(`${whole}.`)));
        // What comes behind a sentence is done with it.
        said.push(...[...english.keys()].filter((one) => `${whole}.`.startsWith(`${one}.`)));
      }
  return [...new Set(said)];
}

/** Which way each name of a part leads. */
function namesIn(part: string): Map<string, string[]> {
  const names = new Map<string, string[]>();
  const add = (name: string, way: string) => names.set(name, [...(names.get(name) ?? []), way]);
  const taken = (list: string, way: string) => {
    for (const [, from = '', to = from] of list.matchAll(/(\w+)(?:: (\w+))?/g))
      add(to, joined(way, from));
  };
  for (const [, list, name] of part.matchAll(/const (?:\{([^}]*)\}|(\w+)) = useTexts\(\)/g))
    if (list !== undefined) taken(list, '');
    else add(name ?? '', '');
  for (const [, list, name, group = ''] of part.matchAll(
    /(?:\{([^{}]*)\}|(\w+)): ConsoleTexts(?:\['(\w+)'\])?/g,
  ))
    if (list !== undefined) taken(list, group);
    else add(name ?? '', group);
  for (const [, list = '', name = ''] of part.matchAll(/const \{([^}]*)\} = (\w+);/g))
    for (const way of names.get(name) ?? []) taken(list, way);
  return names;
}

function joined(...ways: string[]): string {
  return ways.filter(Boolean).join('.');
}
