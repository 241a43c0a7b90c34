// Fault 1 for events in its short form; `npm run trial kill-events` is the long one.
import { expect, test } from 'bun:test';
import { killEventsRounds } from '../../trial/kill-events.ts';
import { engines } from '../support/engines.ts';
import { shortly } from '../support/trial.ts';

for (const engine of engines)
  test(`kill -9 leaves no change untold, none told twice, and whoever follows sees all (${engine.name})`, async () => {
    const figures = await killEventsRounds({ ...shortly(2), engine });
    expect(figures).toMatchObject({ rounds: 2 });
    expect(figures['events']).toBeGreaterThanOrEqual(8);
  });
