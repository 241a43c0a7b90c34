// Fault 3 while live in its short form; `npm run trial disk-full-live` is the long one.
import { expect } from 'bun:test';
import { diskFullLiveRounds } from '../../trial/disk-full-live.ts';
import { testWith } from '../support/needs.ts';
import { whyNoSmallDisk } from '../support/small-disk.ts';
import { shortly } from '../support/trial.ts';

testWith(whyNoSmallDisk(), 'a full disk ends the recording, not the show', async () => {
  const figures = await diskFullLiveRounds(shortly(1));
  expect(figures['refused']).toBeGreaterThan(0);
  expect(figures['videos']).toBeGreaterThan(0);
  expect(figures['parts_played']).toBeGreaterThan(0);
});
