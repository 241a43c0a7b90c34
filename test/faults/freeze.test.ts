// Fault 7 in its short form; `npm run trial freeze` is the long one.
import { expect } from 'bun:test';
import { freezeRounds } from '../../trial/freeze.ts';
import { notLinux, testWith } from '../support/needs.ts';
import { shortly } from '../support/trial.ts';

testWith(notLinux, 'a frozen publisher is gone after 10 s and gives way after 2', async () => {
  const figures = await freezeRounds(shortly(1));
  expect(figures['rounds']).toBe(1);
});
