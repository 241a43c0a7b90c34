import { expect, test } from 'bun:test';
import { ApiError } from '../api/errors.ts';
import { jsonCodec } from './link-topic.ts';
import { doneOr, outcomeCodec, outcomeOf } from './outcome.ts';

test('what a node refuses its caller is told as it is, of a newer node too', async () => {
  const codec = outcomeCodec(jsonCodec((value) => value));
  const through = async (work: () => Promise<unknown>) =>
    doneOr(codec.read(codec.write(await outcomeOf(work))));
  expect(await through(async () => ({ made: 1 }))).toEqual({ made: 1 });
  const refuse = (kind: 'noRoom' | 'unavailable') => async () => {
    throw new ApiError(kind, { message: 'not now', headers: { 'Retry-After': '2' } });
  };
  for (const kind of ['noRoom', 'unavailable'] as const) {
    const error = await through(refuse(kind)).catch((one) => one);
    expect(error).toMatchObject({ kind, message: 'not now', headers: { 'Retry-After': '2' } });
  }
  const newer = Buffer.from(`\0${JSON.stringify({ kind: 'tooNew', message: 'why' })}`);
  expect(() => doneOr(codec.read(newer))).toThrow('why');
  const ours = outcomeOf(() => Promise.reject(new Error('a mistake')));
  expect(await ours.catch(({ message }) => message)).toBe('a mistake');
});
