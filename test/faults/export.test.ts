// Exports in their short form; `npm run trial export` is the long one.
import { expect, test } from 'bun:test';
import { exportRounds } from '../../trial/export.ts';
import { shortly } from '../support/trial.ts';

test('an export sends every row once in bounded memory, and slow callers hold little', async () => {
  // More than the system's own buffers take, or nobody would be slow.
  const figures = await exportRounds(shortly(1), { rows: 60_000 });
  expect(figures).toMatchObject({ rounds: 1, rows: 60_000 });
  expect(figures['csv_mb']).toBeGreaterThan(8);
});
