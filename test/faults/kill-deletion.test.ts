// Fault 1 for deleted channels in its short form; `npm run trial kill-deletion` is the long one.
import { expect, test } from 'bun:test';
import { killDeletionRounds } from '../../trial/kill-deletion.ts';
import { engines } from '../support/engines.ts';
import { shortly } from '../support/trial.ts';

for (const engine of engines)
  test(`kill -9 leaves no channel half deleted, half restored or half removed (${engine.name})`, async () => {
    const figures = await killDeletionRounds({ ...shortly(1), engine });
    expect(figures).toMatchObject({ rounds: 1 });
    expect(figures['acknowledged']).toBeGreaterThanOrEqual(1);
  });
