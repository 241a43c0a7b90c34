// The node that has a push is killed while three pages play; `npm run trial failover` also judges the gaps.
import { expect } from 'bun:test';
import { failoverRounds } from '../../trial/failover.ts';
import { noChromium } from '../support/browser.ts';
import { calmClipFile, testClip } from '../support/clip-push.ts';
import { patience } from '../support/machine-pace.ts';
import { notLinux, testWith } from '../support/needs.ts';
import { shortly } from '../support/trial.ts';

testWith(
  notLinux ?? noChromium,
  'pages play on when the node that has the push dies, with one show, one video and exact records',
  async () => {
    const figures = await failoverRounds(shortly(1), {
      ...{ ends: ['SIGKILL'], clip: testClip(calmClipFile), playedSeconds: 6 },
    });
    expect(Object.keys(figures)).toContain('SIGKILL gap any ms');
  },
  patience(180_000),
);
