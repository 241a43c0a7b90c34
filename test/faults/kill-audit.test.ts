// Fault 1 for the audit log in its short form; `npm run trial kill-audit` is the long one.
import { expect, test } from 'bun:test';
import { killAuditRounds } from '../../trial/kill-audit.ts';
import { engines } from '../support/engines.ts';
import { shortly } from '../support/trial.ts';

for (const engine of engines)
  test(`kill -9 leaves no answered write without its row, and no row without its write (${engine.name})`, async () => {
    const figures = await killAuditRounds({ ...shortly(2), engine });
    expect(figures).toMatchObject({ rounds: 2 });
    expect(figures['acknowledged']).toBeGreaterThanOrEqual(4);
  });
