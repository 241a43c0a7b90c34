// Fault 6 in its short form; `npm run trial reconnect` is the long one.
import { expect, test } from 'bun:test';
import { reconnectRounds } from '../../trial/reconnect.ts';
import { shortly } from '../support/trial.ts';

test('a push that comes back goes on in its playlist and video, one that is late begins others', async () => {
  // However slow the machine is, half a second is soon for the one window, and the other is waited for.
  const times = { windowMs: 30_000, lateWindowMs: 500, backSoonMs: 500, backLateMs: 1_000 };
  const figures = await reconnectRounds(shortly(1), times);
  expect(figures).toMatchObject({ rounds: 1, cuts_joined: 2, cuts_apart: 1 });
});
