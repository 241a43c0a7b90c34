// What the page takes for the service's time when the machine's clocks do what they do.
import { expect, test } from 'bun:test';
import { serviceClock } from './service-clock.ts';

const noon = Date.UTC(2026, 4, 4, 12);
const hour = 3_600_000;

test.each([
  ['time passes', { rising: 5_000, machine: 5_000 }, 5_000],
  ['the machine slept', { rising: 5_000, machine: hour }, hour],
  ['its clock was set back', { rising: 5_000, machine: -hour }, 5_000],
])('%s', (_, passed, wanted) => {
  const time = { rising: 10, machine: 1_000_000 };
  const clock = serviceClock(noon, { rising: () => time.rising, machine: () => time.machine });
  expect(clock()).toBe(noon);
  time.rising += passed.rising;
  time.machine += passed.machine;
  expect(clock()).toBe(noon + wanted);
});
