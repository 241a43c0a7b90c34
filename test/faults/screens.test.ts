// The short form of `npm run trial screens`: every page of viewers on a phone; every screen of the console once full, on a phone, dark and in Chinese; and some in error.
import { expect } from 'bun:test';
import { lookAtScreens } from '../../trial/screens.ts';
import { lookAtPages } from '../../trial/support/page-screens.ts';
import { noChromium } from '../support/browser.ts';
import { patience } from '../support/machine-pace.ts';
import { testWith } from '../support/needs.ts';
import { shortly } from '../support/trial.ts';

testWith(
  noChromium,
  'every page of viewers is accessible and within its edges',
  async () => {
    const { say } = shortly(1);
    const { shown, problems } = await lookAtPages({ say, windows: ['phone'] });
    expect(problems).toEqual([]);
    expect(shown).toBeGreaterThan(45);
  },
  patience(300_000),
);

testWith(
  noChromium,
  'every screen of the console is accessible and within its edges when it is full, and some in error',
  async () => {
    const { shown, problems } = await lookAtScreens({
      ...shortly(1),
      world: { channels: 3, viewers: 30, videos: 40 },
      states: {
        full: [{ width: 'phone', scheme: 'dark', language: 'zh' }],
        error: [{ width: 'desktop', scheme: 'light', language: 'en' }],
      },
      // One of each kind: a list, a form, what is live, figures, a frame.
      only: { error: ['channels', 'page', 'control', 'show', 'tokens'] },
    });
    expect(problems).toEqual([]);
    expect(shown).toBeGreaterThan(40);
  },
  patience(300_000),
);
