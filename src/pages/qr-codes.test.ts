import { expect, test } from 'bun:test';
import { rememberedQrCodes } from './qr-codes.ts';

test('codes for made-up hosts are few, and one that is asked for stays', () => {
  const clock = { now: 0 };
  const qrOf = rememberedQrCodes(() => clock.now);
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
