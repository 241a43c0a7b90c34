// Fault 8 in its short form; `npm run trial publish-race` is the long one.
import { expect, test } from 'bun:test';
import { raceRounds } from '../../trial/publish-race.ts';
import { engines } from '../support/engines.ts';
import { shortly } from '../support/trial.ts';

for (const engine of engines) {
  test(`of publishers with one key at one instant one wins (${engine.name})`, async () => {
    const figures = await raceRounds({ ...shortly(10), engine });
    expect(figures).toMatchObject({ rounds: 10, winners: 10 });
    expect(figures['refused']).toBeGreaterThanOrEqual(10);
  });
}
