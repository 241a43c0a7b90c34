// Bodies in chunks of a byte: what is dear is not how long a body is, but in how many pieces it comes.
import { openRude } from '../rude/rude-sockets.ts';
import type { Attack } from './attack.ts';

/** Just below the largest body, and beyond it. */
const lengths = [65_000, 200_000];
const connections = 4;
const rounds = 5;

export const attack: Attack = {
  name: 'one-byte-chunks',
  sentence: `${connections} connections with bodies of up to ${lengths.at(-1)} chunks of a byte`,
  // One is no JSON, the other too large.
  refusals: ['http body'],
  over: 'http',
  run: async ({ port, token }, { from, signal }) => {
    const head = `POST /v1/activities HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    const send = async (length: number) => {
      const socket = await openRude({ port, from, signal });
      socket.write(head);
      socket.write(`${'1\r\nx\r\n'.repeat(length)}0\r\n\r\n`);
      await socket.closed;
    };
    const worker = async () => {
      for (let round = 0; round < rounds && !signal.aborted; round += 1)
        for (const length of lengths) await send(length).catch(() => {});
    };
    await Promise.all(Array.from({ length: connections }, worker));
  },
};
