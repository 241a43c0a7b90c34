// HTTP/2 by hand, for clients that do what no library would.
import { connect, type TLSSocket } from 'node:tls';
import { ownCertificate } from './http-connection.ts';

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  windowUpdate: 8,
  continuation: 9,
};

/** Resolves when it has said that it speaks HTTP/2; rejects where it is turned away. */
export async function openRudeHttp2(given: { port: number; from: string }): Promise<TLSSocket> {
  const { port, from } = given;
  const socket = connect({
    host: '127.0.0.1',
    port,
    // Bun binds it; the types of Node's TLS do not know.
    ...{ localAddress: from },
    ...ownCertificate,
    ALPNProtocols: ['h2'],
  });
  socket.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('close', () => reject(new Error('no TLS there')));
  });
  socket.write(Buffer.concat([Buffer.from(preface), frame({ type: frameTypes.settings })]));
  return socket;
}

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const endOfStream = 0x01;
const endOfHeaders = 0x04;

/** A request; `isOpen` where a body is to follow, `more` for more of its head. */
export function request(given: {
  stream: number;
  path: string;
  method?: 'GET' | 'POST';
  isOpen?: boolean;
  more?: Buffer;
}): Buffer {
  const { stream, path, method = 'GET', isOpen = false, more = Buffer.alloc(0) } = given;
  // `:method` and `:scheme: https` by their numbers (RFC 7541 Appendix A), the rest as literals.
  const fields = [
    Buffer.from([method === 'GET' ? 0x82 : 0x83, 0x87]),
    literal(':path', path),
    literal(':authority', 'localhost'),
    more,
  ];
  const flags = endOfHeaders | (isOpen ? 0 : endOfStream);
  return frame({ type: frameTypes.headers, flags, stream, body: Buffer.concat(fields) });
}

export function frame(given: {
  type: number;
  flags?: number;
  stream?: number;
  body?: Buffer;
}): Buffer {
  const { type, flags = 0, stream = 0, body = Buffer.alloc(0) } = given;
  const head = Buffer.alloc(9);
  head.writeUIntBE(body.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, body]);
}

/** A header that the other end is to remember, and how it is named from then on (RFC 7541 6.2.1 and 6.1). */
export function remembered(name: string, value: string): Buffer {
  return literal(name, value, 0x40);
}
export const lastRemembered = Buffer.from([0xbe]);

function literal(name: string, value: string, kind = 0): Buffer {
  return Buffer.concat([Buffer.from([kind]), text(name), text(value)]);
}

/** With its length before it, in seven bits a byte once it is 127 or more (RFC 7541 5.1). */
function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = [Math.min(127, bytes.length)];
  for (let rest = bytes.length - 127; rest >= 0; rest = rest < 128 ? -1 : rest >> 7)
    length.push(rest < 128 ? rest : (rest & 127) | 128);
  return Buffer.concat([Buffer.from(length), bytes]);
}
