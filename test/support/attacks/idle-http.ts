// HTTP connections by the hundred from one address, each kept alive and idle after one request.
import { openCrowd, pause } from '../rude/rude-sockets.ts';
import type { Attack } from './attack.ts';

/** More than a service of 1,024 descriptors has places for one network. */
const connections = 450;
const rounds = 5;
const heldMs = 1_000;

export const attack: Attack = {
  name: 'idle-http',
  sentence: `${connections} idle HTTP connections from one address, opened again when they are closed (a service with HTTP_CONNECTIONS or descriptors for fewer than 900)`,
  refusals: ['http connections'],
  over: 'http',
  run: async ({ port }, { from, signal }) => {
    for (let round = 0; round < rounds && !signal.aborted; round += 1) {
      const crowd = await openCrowd({ port, from, signal, count: connections });
      for (const socket of crowd) socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await pause(heldMs, signal);
      for (const socket of crowd) socket.close();
      await Promise.all(crowd.map(({ closed }) => closed));
    }
  },
};
