// Unit, image, compose file and alert rules; `npm run trial recipes` has promtool, docker-compose, Caddy and strace too.
import { expect, test } from 'bun:test';
import {
  judgedAlerts,
  judgedByService,
  judgedImage,
  judgedUnit,
  onService,
} from '../../trial/recipes.ts';
import { testWith } from '../support/needs.ts';
import { shortly } from '../support/trial.ts';

const { rounds } = shortly(1);
const noSystemd = Bun.which('systemd-analyze') ? undefined : 'it needs systemd-analyze (systemd)';

testWith(noSystemd, 'the unit can be loaded, and leaves little of the machine open', async () => {
  const { exposure } = await judgedUnit();
  expect(exposure).toBeGreaterThan(0);
});

test('the image is made as its formats want it: no root, nothing writable', () => {
  expect(judgedImage()).toEqual({ containers: rounds + 1 });
});

test('every alert fires in a case of its own, and what must be heard of has one', () => {
  expect(judgedAlerts()).toEqual({ alerts: expect.any(Number) });
});

test('alerts ask for what /metrics tells, and the health check knows a service', async () => {
  await onService(judgedByService);
});
