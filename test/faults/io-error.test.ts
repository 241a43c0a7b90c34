// Fault 4 in its short form; `npm run trial io-error` is the long one.
import { expect } from 'bun:test';
import { faults, ioErrorRounds } from '../../trial/io-error.ts';
import { whyNoInjection } from '../support/injection.ts';
import { testWith } from '../support/needs.ts';
import { shortly } from '../support/trial.ts';

testWith(
  await whyNoInjection(),
  'EIO on write, on fsync and on opening anew is never a false success',
  async () => {
    const options = shortly(3);
    // A seed's remainder chooses the fault: the first three.
    const seed = options.seed - (options.seed % faults.length);
    const figures = await ioErrorRounds({ ...options, seed });
    expect(figures).toMatchObject({ rounds: 3, lost: 0 });
    expect(figures['refused']).toBeGreaterThan(0);
    expect(figures['reads_while_broken']).toBeGreaterThan(0);
  },
);
