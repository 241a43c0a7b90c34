import { expect, test } from 'bun:test';
import { rememberedQrCodes } from './qr-codes.ts';
import { qrBounds } from './qr-limits.ts';

const clock = { now: 0 };
const newCodes = () =>
  rememberedQrCodes({
    bounds: qrBounds,
    peers: { isAllowed: (network) => network === '192.0.2.1' },
    now: () => clock.now,
  });

test('codes for made-up hosts are few, and one that is asked for stays', () => {
  // Of a network that may have as many as all together.
  const qrOf = newCodes()('192.0.2.1');
  const known = qrOf('https://live.example.com/m/1');
  const made = Array.from({ length: 200 }, (_, n) => qrOf(`https://host-${n}.example/m/1`));
  expect(made.filter((code) => code !== undefined)).toHaveLength(99);
  expect(qrOf('https://live.example.com/m/1')).toBe(known as NonNullable<typeof known>);
  clock.now += 100;
  expect([qrOf('https://a.example/m/1'), qrOf('https://b.example/m/1')]).toEqual([
    expect.anything(),
    undefined,
  ]);
  for (let other = 0; other < 700; other += 1) {
    clock.now += 100;
    qrOf(`https://${other}.example/m/1`);
    if (other % 100 === 0) expect(qrOf('https://live.example.com/m/1')).toBe(known);
  }
  // Nobody has asked for it for long.
  expect(qrOf('https://host-0.example/m/1')).toBeUndefined();
});

test('a network that makes hosts up leaves codes for the others', () => {
  const codesFor = newCodes();
  const [stranger, honest] = [codesFor('192.0.2.2'), codesFor('192.0.2.3')];
  let made = 0;
  // Twenty a second, for a minute.
  for (let asked = 0; asked < 1_200; asked += 1) {
    clock.now += 50;
    if (stranger(`https://made-up-${asked}.example/m/1`)) made += 1;
    if (asked % 100 === 0) expect(honest(`https://live.example.com/m/${asked}`)).toBeDefined();
  }
  // Some at once, then one after each whole second.
  expect(made).toBe(20 + 59);
});
