// Fault 2 in its short form; `npm run trial power-cut` is the long one.
import { expect } from 'bun:test';
import { powerCutRounds } from '../../trial/power-cut.ts';
import { whyNoLoopDisk } from '../support/loop-disk.ts';
import { testWith } from '../support/needs.ts';
import { shortly } from '../support/trial.ts';

testWith(
  whyNoLoopDisk(),
  'after a power cut what was acknowledged and synced is there',
  async () => {
    const figures = await powerCutRounds(shortly(1));
    expect(figures['rounds']).toBe(1);
    expect(figures['acknowledged']).toBeGreaterThan(0);
  },
);
