// Fault 25 in its short form, the kills; `npm run trial kill-webhooks` is the long one.
import { expect, test } from 'bun:test';
import { killWebhookRounds } from '../../trial/kill-webhooks.ts';
import { engines } from '../support/engines.ts';
import { shortly } from '../support/trial.ts';

test.each(engines)(
  '$name: after kills of the sender every event has come, in order, and none at a private address',
  async (engine) => {
    const figures = await killWebhookRounds({ ...shortly(2), engine });
    expect(figures).toMatchObject({ rounds: 2, to_private: 0 });
    expect(figures['events']).toBeGreaterThan(2);
  },
);
