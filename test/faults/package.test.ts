// The package on its own, of what the checkout has installed; `npm run trial package` installs it from the registry.
import { expect } from 'bun:test';
import { packageRound } from '../../trial/package.ts';
import { notLinux, testWith } from '../support/needs.ts';
import { shortly } from '../support/trial.ts';

testWith(
  notLinux,
  'packed and installed without scripts it serves, records and ends, with Node alone and nothing written',
  async () => {
    const figures = await packageRound(shortly(1));
    expect(figures['cover']).toBe('made');
  },
);
