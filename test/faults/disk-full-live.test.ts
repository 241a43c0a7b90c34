// Fault 3 while live in its short form; `npm run trial disk-full-live` is the long one.
import { expect } from 'bun:test';
import { diskFullLiveRounds } from '../../trial/disk-full-live.ts';
import { whyNoSmallDisk } from '../../trial/support/small-disk.ts';
import { shortly } from '../../trial/support/trial.ts';
import { testWith } from './needs.ts';

testWith(whyNoSmallDisk(), 'a full disk ends the recording, not the show', async () => {
  const figures = await diskFullLiveRounds(shortly(1));
  expect(figures['refused']).toBeGreaterThan(0);
  expect(figures['videos']).toBeGreaterThan(0);
  expect(figures['parts_played']).toBeGreaterThan(0);
});
