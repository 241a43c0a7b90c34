// The short form of `npm run trial screens`: every page of viewers on a phone; every screen of the console once full, on a phone, dark and in Chinese; and once in error.
import { expect } from 'bun:test';
import { lookAtScreens } from '../../trial/screens.ts';
import { lookAtPages } from '../../trial/support/page-screens.ts';
import { noChromium } from '../support/browser.ts';
import { temporaryFolder } from '../support/engines.ts';
import { patience } from '../support/machine-pace.ts';
import { testWith } from '../support/needs.ts';
import { shortly } from '../support/trial.ts';

testWith(
  noChromium,
  'every page of viewers is accessible and within its edges',
  async () => {
    const { say } = shortly(1);
    const folder = temporaryFolder();
    const { shown, problems } = await lookAtPages({ say, folder, windows: ['phone'] });
    expect(problems).toEqual([]);
    expect(shown).toBeGreaterThan(45);
  },
  patience(300_000),
);

testWith(
  noChromium,
  'every screen of the console is accessible and within its edges, full and in error',
  async () => {
    const { shown, problems } = await lookAtScreens({
      ...shortly(1),
      folder: temporaryFolder(),
      world: { channels: 3, viewers: 30, videos: 40 },
      states: {
        full: [{ width: 'phone', scheme: 'dark', language: 'zh' }],
        error: [{ width: 'desktop', scheme: 'light', language: 'en' }],
      },
    });
    expect(problems).toEqual([]);
    expect(shown).toBeGreaterThan(55);
  },
  patience(300_000),
);
