import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Zone } from '../lib/time.ts';
import {
  address,
  choice,
  colour,
  dateTime,
  duration,
  flag,
  idList,
  idText,
  integer,
  periodEnd,
  text,
} from './fields.ts';
import { type Field, readShape } from './shape.ts';

const zone = new Zone('UTC');

test('a value that is long or nested without end is quoted by its beginning', () => {
  const name = text('a name', { max: 10 });
  const deep = JSON.parse(`${'['.repeat(30_000)}${']'.repeat(30_000)}`);
  expect(read(name, deep)).toEqual({
    refused: 'it must be text of at most 10 characters (got [[[["…"]]]])',
  });
  expect(read(name, { of: { a: 1, b: [2, null] } })).toEqual({
    refused: 'it must be text of at most 10 characters (got {"of":{"a":1,"b":[2,null]}})',
  });
  expect(
    read(
      name,
      Array.from({ length: 6_000 }, () => 1),
    ),
  ).toEqual({
    refused: `it must be text of at most 10 characters (got [${'1,'.repeat(28)}…)`,
  });
});

/** Reads a field as a request's is read: the value, or the sentence it is refused with. */
function read(field: Field<unknown>, came: unknown): unknown {
  const { given, problems } = readShape({ it: field }, { it: came });
  return problems[0] ? { refused: problems[0].message } : given.it;
}

function isRefused(field: Field<unknown>, came: unknown): boolean {
  return readShape({ it: field }, { it: came }).problems.length > 0;
}

describe('integer', () => {
  const perPage = integer('results per page', { min: 1, max: 100, cleared: 20 });
  test.each([
    [1, 1],
    ['100', 100],
    [5.0, 5],
    ['', 20],
  ])('%j is %j', (came, value) => {
    expect(read(perPage, came)).toBe(value);
  });
  test.each([
    0,
    101,
    -1,
    '101',
    '1e2',
    ' 5',
    1.5,
    '1.5',
    true,
    [[]],
    {},
    'x',
    '9'.repeat(20),
    Number.NaN,
  ])('%j is refused', (came) => {
    expect(isRefused(perPage, came)).toBe(true);
  });
  test('the sentence says what came and what was wanted', () => {
    expect(read(perPage, 500)).toEqual({ refused: 'it must be 1 to 100 (got 500)' });
    expect(read(perPage, 'ten')).toEqual({ refused: 'it must be a whole number (got "ten")' });
  });
});

describe('idList', () => {
  const ids = idList('message ids', { countMax: 3 });
  test('it takes numbers and numeric strings', () => {
    expect(read(ids, [1, '2', 3])).toEqual([1, 2, 3]);
  });
  test.each([[[]], [[1, 2, 3, 4]], [[0]], [[1, 'x']], [[[1]]], [7], ['7'], ['']])(
    '%j is refused',
    (came) => {
      expect(isRefused(ids, came)).toBe(true);
    },
  );
});

test('a flag is also 0 and 1, and cleared it is its default', () => {
  const field = flag('shown', { cleared: true });
  expect([true, 1, '1', 'true', ''].map((came) => read(field, came))).toEqual([
    true,
    true,
    true,
    true,
    true,
  ]);
  expect([false, 0, '0', 'false'].map((came) => read(field, came))).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(isRefused(field, 2)).toBe(true);
});

test('a choice takes a number for its string', () => {
  const field = choice('filter', { of: ['0', '1'], cleared: '0' });
  expect([0, '1', ''].map((came) => read(field, came))).toEqual(['0', '1', '0']);
  expect(read(field, 2)).toEqual({ refused: 'it must be "0" or "1" (got 2)' });
});

test('text is counted in characters, not in code units', () => {
  const seen = text('name', { min: 1, max: 9, trim: true, isVisible: true });
  expect(seen.read('\u202Ea\nb\u200B')).toBe('a b');
  expect(seen.read('\u202E\u200B')).not.toBeString();
  const name = text('name', { min: 1, max: 3, trim: true });
  expect(read(name, ' 𝒜𝒜𝒜 ')).toBe('𝒜𝒜𝒜');
  expect(isRefused(name, '𝒜𝒜𝒜𝒜')).toBe(true);
  expect(isRefused(name, '   ')).toBe(true);
  expect(isRefused(name, 'a\0')).toBe(true);
  expect(isRefused(name, '\ud800')).toBe(true);
  expect(isRefused(name, 5)).toBe(true);
});

describe('address', () => {
  const field = address('logo');
  test.each([
    'https://a.example/x.png?q=1#f',
    'HTTP://a.example',
    '//a.example/x',
    '/x/标志.png',
    'http://[::1]:8080/',
    '',
  ])('%j is kept as written', (came) => {
    expect(read(field, came)).toBe(came);
  });
  test.each([
    'javascript:alert(1)',
    'data:image/png;base64,AA',
    'ftp://a.example',
    'x.png',
    'https://',
    'http:/a',
    'https:// a',
    '/\\evil.example',
    'https://a.example/<x>',
    'https://a\t.example',
    'java\nscript:x',
    ` https://a.example`,
    `/${'x'.repeat(2_048)}`,
    7,
  ])('%j is refused', (came) => {
    expect(isRefused(field, came)).toBe(true);
  });
});

describe('colour', () => {
  const field = colour('background');
  test.each([
    '#fff',
    '#FFFA',
    '#12abEF',
    '#12abEF80',
    'rgb(255,255,255,1)',
    'rgba(0, 12, 255, 0.5)',
    'RGB( 1,2,3 )',
    'rgb(1,2,3,.25)',
    '',
  ])('%j is kept as written', (came) => {
    expect(read(field, came)).toBe(came);
  });
  test.each([
    'red',
    '#ff',
    '#fffff',
    '#ggg',
    'rgb(256,0,0)',
    'rgb(1,2)',
    'rgb(1,2,3,4)',
    'rgb(1,2,3,1,1)',
    'rgb(1,2,3);x:y',
    'url(x)',
    ' #fff',
    '#fff ',
    'rgb(-1,0,0)',
    'var(--x)',
    16777215,
  ])('%j is refused', (came) => {
    expect(isRefused(field, came)).toBe(true);
  });
});

test('a datetime needs its seconds; an end of a period may go without', () => {
  expect(read(dateTime('start', zone), '2026-05-01 10:00:30')).toBe(
    Date.UTC(2026, 4, 1, 10, 0, 30),
  );
  expect(isRefused(dateTime('start', zone), '2026-05-01 10:00')).toBe(true);
  expect(read(dateTime('start', zone), '')).toBeNull();
  expect(read(periodEnd('from', zone, 'start'), '2026-05-01 10:00')).toBe(
    Date.UTC(2026, 4, 1, 10, 0, 0),
  );
  expect(read(periodEnd('to', zone, 'end'), '2026-05-01 10:00')).toBe(
    Date.UTC(2026, 4, 1, 10, 0, 59),
  );
});

test('a duration is hours, minutes and seconds; it has no cleared value', () => {
  const field = duration('time watched');
  expect(read(field, '01:02:03')).toBe(3_723_000);
  expect(['1:2', 3_723, ''].map((came) => isRefused(field, came))).toEqual([true, true, true]);
});

test('an id of another platform is kept as text, number or not', () => {
  const field = idText('the id there');
  expect([7, '7', 'a-7'].map((came) => read(field, came))).toEqual(['7', '7', 'a-7']);
  const bad = ['', 1.5, 2 ** 53, 'a\0', 'x'.repeat(256), [7]];
  expect(bad.filter((came) => !isRefused(field, came))).toEqual([]);
});

describe('every string is refused or kept as it was written', () => {
  const near = (parts: string[]) =>
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.constantFrom(...parts), { maxLength: 14 }).map((list) => list.join('')),
    );
  test.each([
    [
      'a colour',
      colour('c'),
      near(['#', 'f', '0', 'rgb', 'rgba', '(', ')', ',', ' ', '255', '1', '.5', ';', '/*']),
    ],
    [
      'an address',
      address('a'),
      near([
        'http://',
        'https:',
        '/',
        '//',
        '\\',
        'a.example',
        ':',
        '@',
        '?',
        '#',
        '%2f',
        '\n',
        'é',
        '<',
        '"',
        'javascript:',
      ]),
    ],
  ])('%s', (_name, field, strings) => {
    fc.assert(
      fc.property(strings, (came) => {
        if (!isRefused(field, came)) expect(read(field, came)).toBe(came);
      }),
      { numRuns: 2_000 },
    );
  });
});
