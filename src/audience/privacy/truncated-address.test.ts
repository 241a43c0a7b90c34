// Truncated addresses, held against plain arithmetic.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { truncatedAddress } from './truncated-address.ts';

test.each([
  ['203.0.113.9', '203.0.113.0'],
  ['203.0.113.0', '203.0.113.0'],
  ['::ffff:203.0.113.9', '203.0.113.0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::'],
  ['2001:DB8:0001::6', '2001:db8:1::'],
  ['2001:db8::6', '2001:db8::'],
  ['2001:0:5::1', '2001:0:5::'],
  ['1::2:3:4:5:6:7', '1:0:2::'],
  ['fe80::1%eth0', 'fe80::'],
  ['64:ff9b::203.0.113.9', '64:ff9b::'],
  ['::1', '::'],
  ['0:0:5::', '0:0:5::'],
  ['203.0.113.9, 10.0.0.1', ''],
  ['unknown', ''],
  ['', ''],
])('%s becomes "%s"', (ip, truncated) => {
  expect(truncatedAddress(ip)).toBe(truncated);
});

test('of any IPv6 address the first 48 bits stay and the others are 0', () => {
  fc.assert(
    fc.property(fc.ipV6(), (ip) => {
      // The runtime's parser does not read some odd spellings; IPv4 inside IPv6 is IPv4.
      fc.pre(URL.canParse(`http://[${ip}]/`) && truncatedAddress(ip).includes(':'));
      expect(bitsOf(truncatedAddress(ip))).toBe((bitsOf(ip) >> 80n) << 80n);
    }),
  );
});

test('what is truncated stays as it is when it is truncated again', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (ip) => {
      const once = truncatedAddress(ip);
      expect(truncatedAddress(once)).toBe(once);
    }),
  );
});

/** The address as a number, read by the runtime's URL parser. */
function bitsOf(ip: string): bigint {
  const [head = '', tail = ''] = new URL(`http://[${ip}]/`).hostname.slice(1, -1).split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [front, back] = [groups(head), groups(tail)];
  const zeros = new Array<string>(8 - front.length - back.length).fill('0');
  return [...front, ...zeros, ...back].reduce(
    (bits, group) => (bits << 16n) | BigInt(`0x${group}`),
    0n,
  );
}
