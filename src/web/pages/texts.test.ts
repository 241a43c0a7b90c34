// Which language a browser gets, and that both say the same.
import { expect, test } from 'bun:test';
import { languageOf, texts } from './texts.ts';

test.each([
  [null, 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['de-DE,de;q=0.9', 'en'],
  ['en-GB,en;q=0.9', 'en'],
  ['zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
  ['zh-TW', 'zh'],
  ['ZH-cn', 'zh'],
  ['en;q=0.5,zh;q=0.9', 'zh'],
  ['zh;q=0,en;q=0.1', 'en'],
  ['fr,zh;q=0.4,en;q=0.6', 'en'],
  ['zhx,enx', 'en'],
  [`${'de,'.repeat(400)}zh`, 'en'],
] as const)('Accept-Language %p is answered in %s', (header, language) => {
  expect(languageOf(header)).toBe(language);
});

test('no sentence is missing, and each has the same values to fill in', () => {
  const gaps = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([gap]) => gap).sort();
  for (const [name, english] of Object.entries(flat(texts.en))) {
    const chinese = flat(texts.zh)[name] ?? '';
    expect({ name, isEmpty: english === '' || chinese === '' }).toEqual({ name, isEmpty: false });
    expect({ name, gaps: gaps(chinese) }).toEqual({ name, gaps: gaps(english) });
  }
});

test('the button that is spoken to by what is written on it has that in its names', () => {
  for (const { live_edge, client } of Object.values(texts))
    for (const name of [client.at_live_edge, client.go_to_live_edge])
      expect(name.toLowerCase()).toContain(live_edge.toLowerCase());
});

/** Those of every group, by where they stand. */
function flat(group: object, at = ''): Record<string, string> {
  const texts = Object.entries(group).map(([name, text]) =>
    typeof text === 'string' ? { [at + name]: text } : flat(text, `${at}${name} `),
  );
  return Object.assign({}, ...texts);
}
