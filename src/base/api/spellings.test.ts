import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Spellings } from './spellings.ts';

function ignoring(...names: string[]): string | undefined {
  const spellings = new Spellings();
  for (const name of names) spellings.ignore(name);
  return spellings.ignored;
}

test('what was ignored is named once, in the order it came', () => {
  expect(ignoring()).toBeUndefined();
  expect(ignoring('b', 'a', 'b')).toBe('b, a');
});

test('names that would break the header are written as in a query', () => {
  expect(ignoring('a b', 'a,b', 'a\r\nX: 1', '名')).toBe(
    'a%20b, a%2Cb, a%0D%0AX%3A%201, %E5%90%8D',
  );
  expect(ignoring('', '\ud800', 'filter[from]')).toBe('"", %EF%BF%BD, filter%5Bfrom%5D');
});

test('a long name is cut, and so is a long list', () => {
  expect(ignoring('n'.repeat(64))).toBe('n'.repeat(64));
  expect(ignoring('n'.repeat(65))).toBe(`${'n'.repeat(64)}...`);
  expect(ignoring('𝒏'.repeat(65))).toBe(`${encodeURIComponent('𝒏'.repeat(64))}...`);
  const many = ignoring(...Array.from({ length: 500 }, (_, n) => `name${n}`)) ?? '';
  expect(many).toStartWith('name0, name1, ');
  expect(many).toEndWith(', ...');
});

test('whatever the names are, it is a line of printable ASCII within 1 KB', () => {
  const names = fc.array(fc.string({ unit: 'binary', maxLength: 100 }), {
    minLength: 1,
    maxLength: 60,
  });
  fc.assert(
    fc.property(names, (some) => {
      expect(ignoring(...some)).toMatch(/^[\x20-\x7e]{1,1024}$/);
    }),
  );
});

test('a target is written in own names, and stays as it is where it has no others', () => {
  const spellings = new Spellings();
  expect(spellings.ownTarget('/v1/videos?page=2&x=%20')).toBe('/v1/videos?page=2&x=%20');
  spellings.take('page', 'p');
  expect(spellings.ownTarget('/v1/videos?a=1&page=2&a=3')).toBe('/v1/videos?a=1&p=2&a=3');
  expect(spellings.ownTarget('/v1/videos')).toBe('/v1/videos');
});
