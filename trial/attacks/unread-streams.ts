// HTTP/2 by hand: 256 streams a connection ask for something large, and the window never opens.
import { connect, type TLSSocket } from 'node:tls';
import { pause } from '../support/rude-sockets.ts';
import type { Attack } from './attack.ts';

const connections = 8;
/** As many as Bun lets be open at once. */
const streams = 256;
const heldMs = 3_000;

export const attack: Attack = {
  name: 'unread-streams',
  sentence: `${connections} HTTP/2 connections with ${streams} streams each that are never read`,
  refusals: ['http unread'],
  isSecure: true,
  run: async ({ port }, { from, signal }) => {
    const sockets = await Promise.all(
      Array.from({ length: connections }, () => openStreams({ port, from })),
    );
    await pause(heldMs, signal);
    for (const socket of sockets) socket.destroy();
  },
};

/** One connection, with everything asked for. */
export async function openStreams(given: { port: number; from: string }): Promise<TLSSocket> {
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
  const asked = Array.from({ length: streams }, (_, at) => headersFrame(2 * at + 1));
  socket.write(Buffer.concat([Buffer.from(preface), frame(types.settings, 0, 0), ...asked]));
  return socket;
}

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const types = { headers: 1, settings: 4 };
const endOfStreamAndHeaders = 0x05;

function headersFrame(stream: number): Buffer {
  // `:method: GET` and `:scheme: https` by their numbers (RFC 7541 Appendix A), the rest as literals.
  const fields = [
    Buffer.from([0x82, 0x87]),
    literal(':path', '/openapi.json'),
    literal(':authority', 'localhost'),
  ];
  return frame(types.headers, endOfStreamAndHeaders, stream, Buffer.concat(fields));
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

function frame(type: number, flags: number, stream: number, body = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(body.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, body]);
}
