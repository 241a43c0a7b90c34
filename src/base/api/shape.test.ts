import { expect, test } from 'bun:test';
import { ApiError } from './errors.ts';
import { alsoAs, integer, text } from './fields.ts';
import { readPart, readShape } from './shape.ts';
import { Spellings } from './spellings.ts';

const shape = {
  name: text('a name', { min: 1, max: 10 }),
  p: integer('page number', { min: 1, max: 100 }),
};

test('what is unknown, null or not an own property is not given', () => {
  expect(readShape(shape, { name: 'a', other: 1 })).toEqual({ given: { name: 'a' }, problems: [] });
  expect(readShape(shape, { name: null, p: undefined })).toEqual({ given: {}, problems: [] });
  expect(readShape(shape, Object.create({ p: 1 }))).toEqual({ given: {}, problems: [] });
});

test('where a name that is not known would be dear it is refused, with a value or without', () => {
  const strict = { strict: true };
  const spelt = { ...shape, p: alsoAs(shape.p, 'page') };
  expect(readPart(spelt, { name: 'a', page: 2 }, strict)).toEqual({ name: 'a', p: 2 });
  for (const came of [{ nmae: 'a' }, { name: 'a', other: null }, { Name: 'a' }])
    expect(() => readPart(spelt, came, strict)).toThrow(ApiError);
  expect(() => readPart({}, { name: 'a' }, strict)).toThrow(ApiError);
});

test('null comes to a reader that wants it', () => {
  const { given, problems } = readShape(
    { name: { ...shape.name, readsNull: true } },
    { name: null },
  );
  expect(given).toEqual({});
  expect(problems).toEqual([
    { name: 'name', message: 'name must be text of 1 to 10 characters (got null)' },
  ]);
});

test('every field at fault is named, in the order of the shape', () => {
  expect(readShape(shape, { p: 0, name: '' })).toEqual({
    given: {},
    problems: [
      { name: 'name', message: 'name must be text of 1 to 10 characters (got "")' },
      { name: 'p', message: 'p must be 1 to 100 (got 0)' },
    ],
  });
});

test.each([
  [{ p: 1 }, 'missing', ['name must be given']],
  [{ name: null }, 'missing', ['name must be given']],
  [{ p: 0 }, 'invalid', ['name must be given', 'p must be 1 to 100 (got 0)']],
] as const)('%j is refused as %s', (came, kind, messages) => {
  const error = refusalOf(came);
  expect(error.kind).toBe(kind);
  expect(error.fields.map(({ message }) => message)).toEqual([...messages]);
});

test('a required field that is there is read', () => {
  expect(readPart(shape, { name: 'a', p: '2' }, { required: ['name'] })).toEqual({
    name: 'a',
    p: 2,
  });
});

const spelt = { ...shape, p: alsoAs(shape.p, 'page', 'pageNo') };

test.each<[Record<string, unknown>, object, string | undefined]>([
  [{ page: '3' }, { p: 3 }, undefined],
  [{ pageNo: 4 }, { p: 4 }, undefined],
  [{ p: 2, page: 3 }, { p: 2 }, 'page'],
  [{ p: null, page: 3 }, { p: 3 }, undefined],
  [{ page: 'x' }, {}, 'page'],
  [{ page: 0, pageNo: 5 }, { p: 5 }, 'page'],
  [{ page: null, pageNo: undefined }, {}, undefined],
  [{ Page: 3, name: 'a', other: [] }, { name: 'a' }, 'Page, other'],
  [JSON.parse('{"__proto__":1,"constructor":2}'), {}, '__proto__, constructor'],
])(
  'of %j other spellings are taken where they can be read, and the rest is named',
  (came, given, ignored) => {
    const spellings = new Spellings();
    expect(readShape(spelt, came, spellings)).toEqual({ given, problems: [] });
    expect(spellings.ignored).toBe(ignored);
  },
);

test('the own name that cannot be read is at fault, whatever another spelling says', () => {
  const { given, problems } = readShape(spelt, { p: 0, page: 3 }, new Spellings());
  expect(given).toEqual({});
  expect(problems.map(({ name }) => name)).toEqual(['p']);
});

test('a required field may come under another spelling', () => {
  expect(readPart(spelt, { page: 3 }, { required: ['p'] })).toEqual({ p: 3 });
  expect(() => readPart(spelt, { page: 'x' }, { required: ['p'] })).toThrow('Missing parameters');
});

function refusalOf(came: Record<string, unknown>): ApiError {
  try {
    readPart(shape, came, { required: ['name'] });
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
