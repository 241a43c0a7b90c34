// Fault 1 for the whole in its short form; `npm run trial console` is the long one.
import { expect, test } from 'bun:test';
import { consoleRounds } from '../../trial/console.ts';
import { engines } from '../support/engines.ts';
import { shortly } from '../support/trial.ts';

for (const engine of engines)
  test(`kill -9 under all that the console does leaves nothing half done (${engine.name})`, async () => {
    const size = { pages: 5, waitsForJobs: false };
    const figures = await consoleRounds({ ...shortly(1), engine }, size);
    expect(figures).toMatchObject({ rounds: 1 });
    expect(figures['acknowledged']).toBeGreaterThanOrEqual(6);
    expect(figures['ended_shows']).toBeGreaterThanOrEqual(1);
  });
