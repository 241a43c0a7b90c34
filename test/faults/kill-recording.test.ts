// kill -9 while recording, in its short form; `npm run trial kill-recording` is the long one.
import { expect, test } from 'bun:test';
import { killRecordingRounds } from '../../trial/kill-recording.ts';
import { shortly } from '../support/trial.ts';

test('after kill -9 while recording each push is one playable video', async () => {
  const figures = await killRecordingRounds(shortly(1), { waitsForJobs: false });
  expect(figures['rounds']).toBe(1);
});
