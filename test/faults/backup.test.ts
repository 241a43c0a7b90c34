// Fault 21 in its short form; `npm run trial backup` is the long one.
import { expect, test } from 'bun:test';
import { backupRounds } from '../../trial/backup.ts';
import { shortly } from '../support/trial.ts';

test('a backup under writes and a live push is of one moment on the other engine', async () => {
  const size = { writers: 8, viewers: 10, lines: 5_000, writeMs: 500 };
  const figures = await backupRounds(shortly(1), size);
  expect(figures['rounds']).toBe(1);
  expect(figures['in_the_backup']).toBeGreaterThan(10);
  expect(figures['writes']).toBeGreaterThan(Number(figures['in_the_backup']));
});
