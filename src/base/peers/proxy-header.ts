// The PROXY header, versions 1 and 2: what a load balancer sends first on a connection, to say whose it is.
import { GrowingBytes, type Lent } from '../bytes/memory.ts';
import { plainAddress } from '../lib/ip-address.ts';

/** What came is no such header, or one that nobody may send. */
export class ProxyHeaderError extends Error {}

export interface ReadHeader {
  /** Whom the proxy speaks for; undefined where it speaks for itself, or does not say. */
  peer: string | undefined;
  /** What came behind it. */
  rest: Lent;
}

/** Version 1 fixes it: the longest line, its end included. */
const lineBytesMax = 107;
/** Of version 2: signature, command, family and length. */
const headBytes = 16;
/**
 * Behind them. Addresses are 216 at most, what balancers add about TLS and themselves some hundred: senders keep all of
 * it within one packet.
 */
const bodyBytesMax = 2_048;

/** Reads one header, however it is cut into pieces; it never holds more than the longest. */
export class ProxyHeader {
  private readonly held = new GrowingBytes(headBytes + bodyBytesMax, { firstBytes: lineBytesMax });

  /** Undefined as long as there is more to come. Throws a ProxyHeaderError. */
  push(bytes: Lent): ReadHeader | undefined {
    const before = this.held.length;
    this.held.append(bytes.subarray(0, headBytes + bodyBytesMax - before));
    const header = readHeader(this.held.bytes);
    return header && { peer: header.peer, rest: bytes.subarray(header.length - before) };
  }
}

interface Header {
  length: number;
  peer: string | undefined;
}

function readHeader(bytes: Lent): Header | undefined {
  if (begins(bytes, signature)) return readBinary(bytes);
  if (begins(bytes, lineStart)) return readLine(bytes);
  throw new ProxyHeaderError('it does not begin with a PROXY header');
}

const signature = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a];
const lineStart = [...Buffer.from('PROXY ')];

/** As far as it has come. */
function begins(bytes: Lent, start: readonly number[]): boolean {
  return start.every((byte, at) => at >= bytes.length || bytes[at] === byte);
}

const lineShape = /^PROXY (?:UNKNOWN(?: [ -~]*)?|(TCP[46]) (\S+) (\S+) (\d{1,5}) (\d{1,5}))$/;

function readLine(bytes: Lent): Header | undefined {
  const text = Buffer.from(bytes.subarray(0, lineBytesMax) as Uint8Array).toString('latin1');
  const end = text.indexOf('\r\n');
  if (end < 0 && bytes.length < lineBytesMax) return undefined;
  const read = end < 0 ? null : lineShape.exec(text.slice(0, end));
  if (!read) throw new ProxyHeaderError('its PROXY line cannot be read');
  const length = end + 2;
  const [, family, source = '', target = '', ...ports] = read;
  if (family === undefined) return { length, peer: undefined };
  const isFamily = (address: string) => address.includes(':') === (family === 'TCP6');
  const [peer] = [source, target].map((address) =>
    isFamily(address) && !address.includes('%') ? plainAddress(address) : undefined,
  );
  if (peer === undefined || plainAddress(target) === undefined || !isFamily(target))
    throw new ProxyHeaderError('its PROXY line has no address where one belongs');
  if (ports.some((port) => Number(port) > 65_535))
    throw new ProxyHeaderError('its PROXY line has no port where one belongs');
  return { length, peer };
}

/** By family: how long both addresses are with their ports, and how long one address is. */
const layouts: Record<number, { bodyBytes: number; addressBytes: number } | undefined> = {
  1: { bodyBytes: 12, addressBytes: 4 },
  2: { bodyBytes: 36, addressBytes: 16 },
  // A Unix socket's peer has no address that counts.
  3: { bodyBytes: 216, addressBytes: 0 },
};

const stream = 1;

function readBinary(bytes: Lent): Header | undefined {
  const at = (index: number) => bytes[index] ?? 0;
  if (bytes.length < headBytes) return undefined;
  const [version, command] = [at(12) >> 4, at(12) & 15];
  if (version !== 2 || command > 1)
    throw new ProxyHeaderError(`its PROXY header has version and command ${at(12)}`);
  const bodyBytes = (at(14) << 8) | at(15);
  if (bodyBytes > bodyBytesMax)
    throw new ProxyHeaderError(`its PROXY header has ${bodyBytes} bytes of ${bodyBytesMax}`);
  const length = headBytes + bodyBytes;
  const [family, transport] = [at(13) >> 4, at(13) & 15];
  const isItsOwn = command === 0 || (family === 0 && transport <= 2);
  const layout = layouts[family];
  if (!isItsOwn && (!layout || transport !== stream || bodyBytes < layout.bodyBytes))
    throw new ProxyHeaderError(`its PROXY header has family ${at(13)} in ${bodyBytes} bytes`);
  if (bytes.length < length) return undefined;
  const addressBytes = isItsOwn ? 0 : (layout?.addressBytes ?? 0);
  return { length, peer: addressIn(bytes.subarray(headBytes, headBytes + addressBytes)) };
}

/** What else stands in the header is not looked at. */
function addressIn(bytes: Lent): string | undefined {
  const buffer = Buffer.from(bytes as Uint8Array);
  if (buffer.length === 4) return buffer.join('.');
  const groups = Array.from({ length: buffer.length / 2 }, (_, at) => buffer.readUInt16BE(2 * at));
  return plainAddress(groups.map((group) => group.toString(16)).join(':'));
}
