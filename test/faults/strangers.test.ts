// Faults 22 to 24 in their short form; `npm run trial strangers` is the long one.
import { expect } from 'bun:test';
import { attackNames, strangers } from '../../trial/strangers.ts';
import { noOpenssl } from '../support/certificate.ts';
import { notLinux, testWith } from '../support/needs.ts';
import { shortly } from '../support/trial.ts';

testWith(
  notLinux ?? noOpenssl,
  'beside every kind of rude peer honest ones are served',
  async () => {
    const figures = await strangers({
      ...shortly(1),
      secondsEach: 0,
      secondsTogether: 2,
      isTimed: false,
    });
    expect(figures['attacks']).toBe(attackNames().length);
    expect(figures['refusals']).toBeGreaterThan(0);
  },
);
