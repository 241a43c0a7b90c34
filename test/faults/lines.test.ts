// A watch page in Chromium on a slow line; `npm run trial lines` has more lines, more time and the bounds.
import { expect, test } from 'bun:test';
import { lineRounds, lines, noTranscoder } from '../../trial/lines.ts';
import { stallsIn } from '../../trial/support/watched-line.ts';
import { noChromium } from '../support/browser.ts';
import { testWith } from '../support/needs.ts';
import { noFfmpeg } from '../support/recorded-clip.ts';
import { shortly } from '../support/trial.ts';

testWith(
  noChromium ?? noFfmpeg ?? noTranscoder,
  'a show is watched over each kind of line',
  async () => {
    const show = {
      picture: { width: 720, height: 400 },
      picturesPerSecond: 10,
      bitsPerSecond: 500_000,
      timeShare: 0.5,
    };
    const tried = lines.filter(({ name }) => name === '3G');
    const figures = await lineRounds(shortly(1), { lines: tried, show, seconds: 12 });
    for (const name of ['3G, source alone', '3G, ladder'])
      expect(String(figures[name])).toMatch(/ s on (360|400|sound)/);
  },
);

test('a stall is a time without a new picture, as far as it lies behind the beginning', () => {
  expect(stallsIn([0, 33, 66, 1_066, 1_100], 0)).toEqual([{ atMs: 66, ms: 1_000 }]);
  expect(stallsIn([0, 33, 66, 1_066, 1_100], 500)).toEqual([{ atMs: 500, ms: 566 }]);
  expect(stallsIn([0, 33, 66, 1_066, 1_100], 2_000)).toEqual([]);
});
