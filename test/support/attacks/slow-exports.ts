// Exports of one account by the dozen, none of which is read.
import { openCrowd, pause } from '../rude/rude-sockets.ts';
import type { Attack } from './attack.ts';

/** Four times as many as may be under way. */
const callers = 64;
const rounds = 5;
const heldMs = 1_000;

export const attack: Attack = {
  name: 'slow-exports',
  sentence: `${callers} exports of one account at once, none of them read`,
  refusals: ['http export_account'],
  over: 'http',
  run: async ({ port, token, channels }, { from, signal }) => {
    const id = channels[0]?.id ?? 0;
    const request = `GET /manage/v1/channels/${id}/sessions.csv HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    for (let round = 0; round < rounds && !signal.aborted; round += 1) {
      const crowd = await openCrowd({ port, from, signal, count: callers, reads: false });
      for (const socket of crowd) socket.write(request);
      await pause(heldMs, signal);
      for (const socket of crowd) socket.close();
      await Promise.all(crowd.map(({ closed }) => closed));
    }
  },
};
