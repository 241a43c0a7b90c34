// HTTP/2 by hand, for clients that do what no library would.
import { connect, type TLSSocket } from 'node:tls';

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
    rejectUnauthorized: false,
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

/** A request; `isOpen` where a body is to follow. */
export function request(given: {
  stream: number;
  path: string;
  method?: 'GET' | 'POST';
  isOpen?: boolean;
}): Buffer {
  const { stream, path, method = 'GET', isOpen = false } = given;
  // `:method` and `:scheme: https` by their numbers (RFC 7541 Appendix A), the rest as literals.
  const fields = [
    Buffer.from([method === 'GET' ? 0x82 : 0x83, 0x87]),
    literal(':path', path),
    literal(':authority', 'localhost'),
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

function literal(name: string, value: string): Buffer {
  const [nameBytes, valueBytes] = [Buffer.from(name), Buffer.from(value)];
  return Buffer.concat([
    Buffer.from([0, nameBytes.length]),
    nameBytes,
    Buffer.from([valueBytes.length]),
    valueBytes,
  ]);
}
