// A page asked for under a new host name 400 times in one write, and requests with a Host header that is none.
import { openRude } from '../rude/rude-sockets.ts';
import type { Attack } from './attack.ts';

const writes = 20;
const pagesPerWrite = 400;

export const attack: Attack = {
  name: 'host-flood',
  sentence: '400 pages of made-up hosts in one write, again and again, and hosts that are none',
  refusals: ['http host', 'http gone'],
  over: 'http',
  run: async ({ port, show }, { from, signal }) => {
    for (let at = 0; at < writes && !signal.aborted; at += 1) {
      const flood = await openRude({ port, from, signal });
      flood.write(
        Array.from({ length: pagesPerWrite }, () => page(show.id, madeUpHost())).join(''),
      );
      await flood.closed;
      const twice = await openRude({ port, from, signal });
      twice.write(page(show.id, 'a.example\r\nHost: b.example', 'Connection: close\r\n'));
      await twice.closed;
    }
  },
};

function page(id: number, host: string, more = ''): string {
  return `GET /watch/${id} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
}

/** As long as a name may be. */
function madeUpHost(): string {
  const labels = Array.from({ length: 6 }, () => crypto.randomUUID());
  return `${labels.join('.')}.example`;
}
