// Requests that trickle in: heads and bodies a byte at a time, on many connections.
import { openCrowd, pause } from '../rude/rude-sockets.ts';
import type { Attack } from './attack.ts';

const connections = 200;
const seconds = 15;

export const attack: Attack = {
  name: 'slow-requests',
  sentence: `${connections} requests whose heads and ${connections} whose bodies come a byte a second`,
  // Bun closes the first, which is not counted, and our own reader ends the second: that takes as long as the short form lasts.
  refusals: [],
  over: 'http',
  run: async ({ port, token }, { from, signal }) => {
    const order = { port, from, signal, count: connections };
    const heads = await openCrowd(order);
    const bodies = await openCrowd(order);
    for (const socket of heads) socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
    for (const socket of bodies)
      socket.write(
        `POST /v1/activities HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"name":"`,
      );
    for (let second = 0; second < seconds && !signal.aborted; second += 1) {
      await pause(1_000, signal);
      for (const socket of [...heads, ...bodies]) if (!socket.isClosed()) socket.write('x');
    }
    for (const socket of [...heads, ...bodies]) socket.close();
    await Promise.all([...heads, ...bodies].map(({ closed }) => closed));
  },
};
