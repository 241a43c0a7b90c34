// An account with many videos asks for the lists that are dearest to make, from many connections at once.
import { openRude } from '../rude/rude-sockets.ts';
import type { Attack } from './attack.ts';

const callers = 64;
const searchesEach = 10;

/** Letters that most names have, a long text that half of them have, one that none has, and a far page. */
export const dearLists = [
  'title=a',
  'title=zz',
  `title=${'a'.repeat(100)}`,
  `title=${'a'.repeat(100)}b`,
  `title=${encodeURIComponent('e\u0301'.repeat(60))}`,
  'title=a&p=150',
  'perPage=1000&p=20',
];

/** Half of the names are a long common text, as the attackers' account has them. */
export function commonName(at: number): string {
  return at % 2 === 0 ? 'a'.repeat(200) : `${'e\u0301'.repeat(80)} ${at}`;
}

export const attack: Attack = {
  name: 'dear-searches',
  sentence: `${callers} connections of one account with many videos search them by common text`,
  // It does nothing that is not allowed: it costs itself time.
  refusals: [],
  over: 'http',
  run: async ({ port, token }, { from, signal }) => {
    const search = async (list: string) => {
      const socket = await openRude({ port, from, signal });
      socket.write(
        `GET /v1/videos?${list} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
      );
      await socket.closed;
    };
    const caller = async (_: unknown, first: number) => {
      for (let at = 0; at < searchesEach && !signal.aborted; at += 1)
        await search(dearLists[(first + at) % dearLists.length] ?? '').catch(() => {});
    };
    await Promise.all(Array.from({ length: callers }, caller));
  },
};
