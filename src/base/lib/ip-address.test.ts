import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { groupsOf, Networks, plainAddress } from './ip-address.ts';

test.each([
  ['::', '0:0:0:0:0:0:0:0'],
  ['::1', '0:0:0:0:0:0:0:1'],
  ['fe80::', 'fe80:0:0:0:0:0:0:0'],
  ['2001:db8::5:6', '2001:db8:0:0:0:0:5:6'],
  ['2001:db8:1::5:6:7:8', '2001:db8:1:0:5:6:7:8'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
])('%s has the groups %s', (address, groups) => {
  expect(groupsOf(address).join(':')).toBe(groups);
});

test('the usual spelling has the groups that were written', () => {
  const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (numbers) => {
      const written = numbers.map((number) => number.toString(16));
      const plain = plainAddress(written.join(':')) ?? '';
      // An IPv4 address inside IPv6 is told as IPv4.
      fc.pre(plain.includes(':'));
      expect(groupsOf(plain)).toEqual(written);
    }),
  );
});

test.each([
  ['10.0.0.0/8', '10.1.2.3', true],
  ['10.0.0.0/8', '11.1.2.3', false],
  ['10.64.0.0/10', '10.127.255.255', true],
  ['10.64.0.0/10', '10.128.0.1', false],
  ['0.0.0.0/0', '203.0.113.9', true],
  ['192.0.2.7', '192.0.2.7', true],
  ['fe80::/10', 'fe80::7', true],
  ['::/0', '2001:db8::7', true],
  ['::/0', '192.0.2.7', false],
  ['0.0.0.0/0', '2001:db8::7', false],
  ['::/0', '', false],
  ['::/0, 0.0.0.0/0', 'nobody', false],
])('whether %s has %s: %p', (list, address, isIn) => {
  expect(new Networks(list).has(address)).toBe(isIn);
});

test.each([
  ['2001:db8::7', '2001:db8:0:0::/64', true],
  ['2001:db8::/32', '2001:db8:1:2::/64', true],
  ['2001:db8::/96', '2001:db8:0:1::/64', false],
  ['192.0.2.0/24', '192.0.2.7', true],
  ['::/0', '192.0.2.7', false],
])('whether %s and the network %s meet: %p', (list, network, meets) => {
  expect(new Networks(list).meets(network)).toBe(meets);
});
