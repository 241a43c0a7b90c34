// Whose word about a client is taken, and how far.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { plainAddress } from '../../base/lib/ip-address.ts';
import { TrustedProxies } from './client-address.ts';

const proxies = new TrustedProxies('10.0.0.0/8, 192.0.2.1, 2001:db8:1::/48');

function addressOf(peer: string, headers: Record<string, string> = {}): string {
  return proxies.addressOf(peer, (name) => headers[name] ?? null);
}

const xff = 'x-forwarded-for';

describe('X-Forwarded-For', () => {
  test.each([
    ['a stranger is not believed', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['a proxy is', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['two proxies are', '10.0.0.1', '203.0.113.9, 192.0.2.1', '203.0.113.9'],
    ['what a client invents is not', '10.0.0.1', '8.8.8.8, 203.0.113.9', '203.0.113.9'],
    ['an invented proxy is not', '10.0.0.1', '8.8.8.8, 10.9.9.9, 203.0.113.9', '203.0.113.9'],
    ['proxies alone: the furthest', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['the walk ends at what is malformed', '10.0.0.1', '203.0.113.9, junk, 10.0.0.2', '10.0.0.2'],
    ['"unknown" is malformed', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['an empty header says nothing', '10.0.0.1', '', '10.0.0.1'],
    ['an empty hop is malformed', '10.0.0.1', '203.0.113.9, ', '10.0.0.1'],
    ['an octet too large is malformed', '10.0.0.1', '203.0.113.256', '10.0.0.1'],
    ['a port is left out', '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['so is that of IPv6', '10.0.0.1', '[2001:DB8:2::0:1]:4711', '2001:db8:2::1'],
    ['IPv6 without brackets', '2001:db8:1::5', '2001:db8:2::1', '2001:db8:2::1'],
    ['a peer as Bun names it', '::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['a mapped hop', '10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
  ])('%s', (_, peer, header, address) => {
    expect(addressOf(peer, { [xff]: header })).toBe(address);
  });
});

describe('Forwarded', () => {
  test.each([
    ['as RFC 7239 has it', 'for=203.0.113.9;proto=https;by=10.0.0.1', '203.0.113.9'],
    ['IPv6 in quotes', 'For="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::17'],
    ['from the right', 'for=8.8.8.8, for=203.0.113.9', '203.0.113.9'],
    ['through two proxies', 'for=203.0.113.9, for=10.0.0.7;proto=http', '203.0.113.9'],
    ['a space behind the semicolon', 'proto=https; for=203.0.113.9', '203.0.113.9'],
    ['without quotes', 'for=203.0.113.9:80', '203.0.113.9'],
    ['a hidden name ends the walk', 'for=203.0.113.9, for=_hidden', '10.0.0.1'],
    ['an element without `for` does too', 'for=203.0.113.9, proto=http', '10.0.0.1'],
    ['`for` inside another value is none', 'host="a;for=8.8.8.8";for=203.0.113.9', '203.0.113.9'],
    ['a quote left open hides what follows', 'for=", for=203.0.113.9', '10.0.0.1'],
    ['not a pair', 'for', '10.0.0.1'],
    ['empty', '', '10.0.0.1'],
  ])('%s', (_, header, address) => {
    expect(addressOf('10.0.0.1', { forwarded: header })).toBe(address);
  });
});

test('where both headers are there and disagree, neither is believed', () => {
  const agreed = { [xff]: '203.0.113.9', forwarded: 'for=203.0.113.9' };
  expect(addressOf('10.0.0.1', agreed)).toBe('203.0.113.9');
  const invented = { [xff]: '203.0.113.9', forwarded: 'for=8.8.8.8' };
  expect(addressOf('10.0.0.1', invented)).toBe('10.0.0.1');
});

test('without trusted proxies the peer is the client', () => {
  const none = new TrustedProxies('');
  expect(none.addressOf('127.0.0.1', () => '203.0.113.9')).toBe('127.0.0.1');
});

test('what is no address stays what it is', () => {
  expect(addressOf('', { [xff]: '203.0.113.9' })).toBe('');
});

test.each(['10.0.0.0/33', '10.0.0/8', 'proxy.example.com', '::1/129', '10.0.0.1/', '10.0.0.1/8/8'])(
  'the list %j is refused with a sentence',
  (list) => {
    expect(() => new TrustedProxies(`127.0.0.1, ${list}`)).toThrow(
      `must be a comma list of addresses and networks such as 10.0.0.0/8 (got "${list}")`,
    );
  },
);

describe('whatever a client writes', () => {
  // Pieces that mean something to the readers, in any order.
  const pieces = fc.constantFrom(...'",;=\\[]: \t', 'for=', 'for="', '10.0.0.1', '8.8.8.8', '::1');
  const invented = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
  );
  const client = '203.0.113.9';

  test('behind it stands what the proxy has added to X-Forwarded-For', () => {
    fc.assert(
      fc.property(invented, (text) => {
        expect(addressOf('10.0.0.1', { [xff]: `${text}, ${client}` })).toBe(client);
      }),
      { numRuns: 5_000 },
    );
  });

  test('Forwarded gives the client or, where it cannot be read, the proxy', () => {
    fc.assert(
      fc.property(invented, (text) => {
        const bare = addressOf('10.0.0.1', { forwarded: `${text}, for=${client}` });
        const quoted = addressOf('10.0.0.1', { forwarded: `${text}, for="${client}:80";proto=x` });
        expect([client, '10.0.0.1']).toContain(bare);
        expect([client, '10.0.0.1']).toContain(quoted);
      }),
      { numRuns: 5_000 },
    );
  });

  test('the answer is always an address', () => {
    fc.assert(
      fc.property(invented, invented, (one, other) => {
        const address = addressOf('10.0.0.1', { [xff]: one, forwarded: other });
        expect(plainAddress(address)).toBe(address);
      }),
      { numRuns: 5_000 },
    );
  });

  test('it takes no long time', () => {
    const before = process.cpuUsage();
    for (const text of ['for=a;', 'for="', ' ', ',', '\\"', 'a']) {
      const long = text.repeat(16_384 / text.length);
      addressOf('10.0.0.1', { forwarded: long, [xff]: long });
      addressOf('10.0.0.1', { forwarded: `for=a${long}` });
      addressOf('10.0.0.1', { forwarded: `for="${long}` });
    }
    // Of the processor: what others do with it meanwhile is not counted.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500);
  });
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['fe80::1%eth0', 'fe80::1'],
  ['192.0.2.07', undefined],
  ['192.0.2.7%eth0', undefined],
  ['1::2::3', undefined],
  ['', undefined],
])('the plain spelling of %j is %p', (text, plain) => {
  expect(plainAddress(text)).toBe(plain as string);
});
