// Fault 3 in its short form; `npm run trial disk-full` is the long one.
import { expect } from 'bun:test';
import { diskFullRounds } from '../../trial/disk-full.ts';
import { testWith } from '../support/needs.ts';
import { whyNoSmallDisk } from '../support/small-disk.ts';
import { shortly } from '../support/trial.ts';

testWith(whyNoSmallDisk(), 'a full disk refuses writes, serves reads and recovers', async () => {
  const figures = await diskFullRounds(shortly(3));
  expect(figures).toMatchObject({ rounds: 3, lost: 0 });
  expect(figures['refused']).toBeGreaterThan(0);
  expect(figures['reads_while_full']).toBeGreaterThan(0);
});
