// Fault 10 in its short form; `npm run trial timestamps` is the long one.
import { expect, test } from 'bun:test';
import { bentRounds, orderRounds, randomRounds } from '../../trial/timestamps.ts';
import { noJudge } from '../support/media-judge.ts';
import { testWith } from '../support/needs.ts';
import { shortly } from '../support/trial.ts';

test('stamps that wrap, jump, repeat or lack sound give valid playlists and videos', async () => {
  expect(await bentRounds(shortly(4))).toMatchObject({ bent: 4 });
});

testWith(noJudge, 'pictures shown in no order give whole videos and variants', async () => {
  expect(await orderRounds(shortly(1))).toMatchObject({ orders: 1 });
});

test('stamps at random do too', async () => {
  expect(await randomRounds(shortly(1))).toMatchObject({ rounds: 1 });
});

test('a push whose dates fell between milliseconds becomes a video (seed 3122457982)', async () => {
  const options = { ...shortly(1), seed: 3_122_457_982 };
  expect(await randomRounds(options)).toMatchObject({ rounds: 1 });
});
