import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { plainAddress } from '../lib/ip-address.ts';
import { ProxyHeader, ProxyHeaderError } from './proxy-header.ts';

const rtmp = '03aabb';

describe('a line (version 1)', () => {
  test.each([
    ['PROXY TCP4 203.0.113.7 192.0.2.1 50000 1935\r\n', '203.0.113.7'],
    ['PROXY TCP4 203.0.113.7 192.0.2.1 0 65535\r\n', '203.0.113.7'],
    ['PROXY TCP6 2001:DB8:0::7 2001:db8::1 50000 1935\r\n', '2001:db8::7'],
    ['PROXY TCP6 ::ffff:203.0.113.7 ::1 50000 1935\r\n', '203.0.113.7'],
    ['PROXY UNKNOWN\r\n', undefined],
    ['PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n', undefined],
    [`PROXY UNKNOWN ${'f'.repeat(91)}\r\n`, undefined],
  ])('%j is of %s', (line, peer) => {
    expect(readWhole(Buffer.from(line))).toEqual({ peer, rest: rtmp });
    expect(readByBytes(Buffer.from(line))).toEqual({ peer, rest: rtmp });
  });

  test.each([
    'PROXY TCP4 203.0.113.7 192.0.2.1 50000 65536\r\n',
    'PROXY TCP4 203.0.113.7 192.0.2.1 50000\r\n',
    'PROXY TCP4 203.0.113.007 192.0.2.1 50000 1935\r\n',
    'PROXY TCP4  203.0.113.7 192.0.2.1 50000 1935\r\n',
    'PROXY TCP4 2001:db8::7 192.0.2.1 50000 1935\r\n',
    'PROXY TCP4 203.0.113.7 2001:db8::1 50000 1935\r\n',
    'PROXY TCP6 203.0.113.7 192.0.2.1 50000 1935\r\n',
    'PROXY TCP6 fe80::1%eth0 fe80::2 50000 1935\r\n',
    'PROXY TCP6 2001:db8::7 nobody 50000 1935\r\n',
    'PROXY UDP4 203.0.113.7 192.0.2.1 50000 1935\r\n',
    'PROXY TCP4 203.0.113.7 192.0.2.1 50000 1935\nxxxxxxx\r\n',
    'PROXY UNKNOWN\u0000\r\n',
    'PROXY\r\n',
    'proxy UNKNOWN\r\n',
    `PROXY UNKNOWN ${'f'.repeat(92)}\r\n`,
    'GET / HTTP/1.1\r\n\r\n',
    '\u0003',
  ])('%j is refused', (line) => {
    expect(() => readWhole(Buffer.from(line))).toThrow(ProxyHeaderError);
    expect(() => readByBytes(Buffer.from(line))).toThrow(ProxyHeaderError);
  });

  test('that does not end is refused with its 107th byte', () => {
    const header = new ProxyHeader();
    expect(header.push(Buffer.from(`PROXY UNKNOWN ${'x'.repeat(92)}`))).toBeUndefined();
    expect(() => header.push(Buffer.from('x'))).toThrow('cannot be read');
  });
});

const ipv4 = 'cb007107c0000201c350078f';
const ipv6 = '20010db800000000000000000000000720010db8000000000000000000000001c350078f';
const mapped = '00000000000000000000ffffcb00710700000000000000000000ffffc0000201c350078f';
/** An authority, a checksum, what TLS there was: nobody here needs them. */
const extras = `020007${Buffer.from('example').toString('hex')}030004deadbeef20000501${'00'.repeat(4)}`;

describe('a binary header (version 2)', () => {
  test.each([
    ['IPv4', 0x21, 0x11, ipv4, '203.0.113.7'],
    ['IPv4 with more behind', 0x21, 0x11, ipv4 + extras, '203.0.113.7'],
    ['IPv6', 0x21, 0x21, ipv6, '2001:db8::7'],
    ['IPv6 with more behind', 0x21, 0x21, ipv6 + extras, '2001:db8::7'],
    ['IPv4 in IPv6', 0x21, 0x21, mapped, '203.0.113.7'],
    ['a Unix socket', 0x21, 0x31, '2f'.repeat(216), undefined],
    ['what nobody knows', 0x21, 0x00, '', undefined],
    ['what nobody knows, with bytes', 0x21, 0x00, 'ff'.repeat(30), undefined],
    ['the proxy itself', 0x20, 0x00, '', undefined],
    ['the proxy itself, whatever it adds', 0x20, 0x11, ipv4, undefined],
    ['the proxy itself, by a family that is none', 0x20, 0xff, '', undefined],
    ['as much behind as may be', 0x21, 0x11, ipv4 + '00'.repeat(2_048 - 12), '203.0.113.7'],
  ])('of %s', (_, command, family, body, peer) => {
    const bytes = binary(command, family, body);
    expect(readWhole(bytes)).toEqual({ peer, rest: rtmp });
    expect(readByBytes(bytes)).toEqual({ peer, rest: rtmp });
  });

  test.each([
    ['version 1', 0x11, 0x11, ipv4],
    ['another command', 0x22, 0x11, ipv4],
    ['another family', 0x21, 0x41, ipv4],
    ['datagrams', 0x21, 0x12, ipv4],
    ['another transport', 0x21, 0x03, ipv4],
    ['too few bytes for IPv4', 0x21, 0x11, ipv4.slice(2)],
    ['too few bytes for IPv6', 0x21, 0x21, ipv4],
    ['too few bytes for a Unix socket', 0x21, 0x31, '2f'.repeat(215)],
    ['more bytes than may be', 0x21, 0x11, ipv4 + '00'.repeat(2_048 - 11)],
  ])('of %s is refused', (_, command, family, body) => {
    expect(() => readWhole(binary(command, family, body))).toThrow(ProxyHeaderError);
    expect(() => readByBytes(binary(command, family, body))).toThrow(ProxyHeaderError);
  });

  test('that says it is endless is refused before it comes', () => {
    const bytes = binary(0x21, 0x11, 'ff'.repeat(65_535));
    expect(() => new ProxyHeader().push(bytes.subarray(0, 16))).toThrow('65535 bytes');
  });
});

/** As systems print them. */
const ipv6Address = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 })
  .map((groups) => plainAddress(groups.map((group) => group.toString(16)).join(':')) ?? '')
  .filter((address) => address.includes(':'));

test('whatever a balancer writes is read, in any pieces', () => {
  const peer = fc.oneof(
    fc.record({ kind: fc.constant('TCP4' as const), address: fc.ipV4() }),
    fc.record({ kind: fc.constant('TCP6' as const), address: ipv6Address }),
  );
  fc.assert(
    fc.property(
      peer,
      fc.nat(65_535),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      ({ kind, address }, port, cuts) => {
        const line = Buffer.from(`PROXY ${kind} ${address} ${address} ${port} 1935\r\n`);
        expect(readInPieces(line, cuts)).toEqual({ peer: plainAddress(address), rest: rtmp });
      },
    ),
  );
});

function binary(command: number, family: number, body: string): Buffer {
  const bytes = Buffer.from(body, 'hex');
  const head = Buffer.from('0d0a0d0a000d0a515549540a00000000', 'hex');
  head[12] = command;
  head[13] = family;
  head.writeUInt16BE(bytes.length, 14);
  return Buffer.concat([head, bytes]);
}

const readWhole = (bytes: Buffer) => readInPieces(bytes, [Number.POSITIVE_INFINITY]);
const readByBytes = (bytes: Buffer) => readInPieces(bytes, [1]);

/** With RTMP behind it: pieces of these lengths, over and over. */
function readInPieces(header: Buffer, lengths: readonly number[]) {
  const all = Buffer.concat([header, Buffer.from(rtmp, 'hex')]);
  const reader = new ProxyHeader();
  let at = 0;
  for (let count = 0; at < all.length; count += 1) {
    const end = Math.min(all.length, at + (lengths[count % lengths.length] ?? 1));
    const read = reader.push(all.subarray(at, end));
    at = end;
    if (!read) continue;
    const rest = Buffer.concat([Buffer.from(read.rest as Uint8Array), all.subarray(at)]);
    return { peer: read.peer, rest: rest.toString('hex') };
  }
  return 'not whole';
}
