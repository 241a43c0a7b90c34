// Fault 16 in its short form; `npm run trial postgres-restart` is the long one.
import { expect, test } from 'bun:test';
import { postgresRestartRounds } from '../../trial/postgres-restart.ts';
import { shortly } from '../support/trial.ts';

test('when PostgreSQL crashes and backends die nothing acknowledged is lost or made twice', async () => {
  const figures = await postgresRestartRounds(shortly(1));
  expect(figures).toMatchObject({ rounds: 1, crashes: 1, lost: 0, made_twice: 0, unanswered: 0 });
  expect(figures['backends_ended']).toBeGreaterThan(0);
});
