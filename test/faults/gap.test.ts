// A push taken over by a node that followed it, in Chromium; `npm run trial gap` has every way of it, ffmpeg and VLC.
import { expect } from 'bun:test';
import { gapRounds } from '../../trial/gap.ts';
import { noChromium } from '../support/browser.ts';
import { testWith } from '../support/needs.ts';
import { shortly } from '../support/trial.ts';

testWith(
  noChromium,
  'players go on when a follower takes over, with a number left out',
  async () => {
    const cases = [{ isFollower: true, way: 'tiny gaps', reserved: 1 } as const];
    const figures = await gapRounds(shortly(1), { cases, outside: [], watchedMs: 5_000 });
    const players = Object.entries(figures);
    expect(players).toHaveLength(3);
    expect(players.filter(([, figure]) => String(figure).startsWith('stands'))).toEqual([]);
  },
);
