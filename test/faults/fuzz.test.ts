// Fault 9, the parsers, in its short form; `npm run trial fuzz` is the long one.
import { expect, test } from 'bun:test';
import { fuzzRounds } from '../../trial/fuzz.ts';
import { shortly } from '../support/trial.ts';

test('mutated inputs are read or refused, in time and in little memory', async () => {
  const figures = await fuzzRounds(shortly(4_000));
  expect(figures['inputs']).toBe(4_000);
});
