// Uploads that are cut and whose service is killed, in their short form; `npm run trial upload` is the long one.
import { expect, test } from 'bun:test';
import { uploadRounds } from '../../trial/upload.ts';
import { shortly } from '../support/trial.ts';

test('an upload that is cut, and whose service is killed, is one video', async () => {
  const figures = await uploadRounds(shortly(1), { bytes: 20_971_520 });
  expect(figures['rounds']).toBe(1);
});
