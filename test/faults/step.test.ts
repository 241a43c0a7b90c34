// Pictures and sound in step, live in each size and recorded; `npm run trial step` has an hour of it.
import { expect, test } from 'bun:test';
import { noTranscoder } from '../../trial/lines.ts';
import { problemsIn, stepRounds } from '../../trial/step.ts';
import { stepIn } from '../../trial/support/flash-and-beep.ts';
import { testWith } from '../support/needs.ts';
import { noFfmpeg } from '../support/recorded-clip.ts';
import { shortly } from '../support/trial.ts';

testWith(
  noFfmpeg ?? noTranscoder,
  'flashes and beeps stay together, live and recorded',
  async () => {
    const lengths = { liveSeconds: 40, recordedSeconds: 120, speed: 10 };
    const figures = await stepRounds(shortly(1), lengths);
    expect(Object.keys(figures)).toEqual(['live, source', 'live, 480p', 'live, 360p', 'recorded']);
  },
  240_000,
);

/** What ffmpeg's detectors say of flashes and beeps at these seconds. */
function said(flashes: readonly number[], beeps: readonly number[]): string {
  return [
    ...flashes.map(
      (at) => `[blackdetect @ 0x1] black_start:${at - 4} black_end:${at} black_duration:4`,
    ),
    ...beeps.map((at) => `[silencedetect @ 0x2] silence_end: ${at} | silence_duration: 4`),
  ].join('\n');
}

test('the judge finds what is apart, what drifts and what is missing', () => {
  const seconds = [5, 10, 15, 20, 25, 30];
  const later = (byMs: (at: number) => number) =>
    stepIn(
      said(
        seconds,
        seconds.map((at) => at + byMs(at) / 1_000),
      ),
    );
  expect(later(() => 7)).toEqual({ flashes: 5, leastMs: 7, mostMs: 7 });
  expect(
    problemsIn(
      later(() => 7),
      30,
    ),
  ).toEqual([]);
  expect(
    problemsIn(
      later(() => 150),
      30,
    ),
  ).toEqual(['sound is later by 150 to 150 ms']);
  expect(
    problemsIn(
      later((at) => 3 * (at - 15)),
      30,
    ),
  ).toEqual([]);
  expect(
    problemsIn(
      later((at) => 5 * (at - 15)),
      30,
    ),
  ).toContain('it moves by 100 ms');
  expect(
    problemsIn(
      later(() => 7),
      300,
    ),
  ).toEqual(['5 flashes, not 57']);
});
