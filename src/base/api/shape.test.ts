import { expect, test } from 'bun:test';
import { ApiError } from './errors.ts';
import { integer, text } from './fields.ts';
import { readPart, readShape } from './shape.ts';

const shape = {
  name: text('a name', { min: 1, max: 10 }),
  p: integer('page number', { min: 1, max: 100 }),
};

test('what is unknown, null or not an own property is not given', () => {
  expect(readShape(shape, { name: 'a', other: 1 })).toEqual({ given: { name: 'a' }, problems: [] });
  expect(readShape(shape, { name: null, p: undefined })).toEqual({ given: {}, problems: [] });
  expect(readShape(shape, Object.create({ p: 1 }))).toEqual({ given: {}, problems: [] });
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
  expect(readPart(shape, { name: 'a', p: '2' }, ['name'])).toEqual({ name: 'a', p: 2 });
});

function refusalOf(came: Record<string, unknown>): ApiError {
  try {
    readPart(shape, came, ['name']);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
