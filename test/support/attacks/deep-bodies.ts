// Bodies of arrays in arrays where the interface wants a text: dear to whoever writes them out again.
import type { Attack } from './attack.ts';

/** With its brackets just below the largest body. */
const depth = 32_700;
const bodies = 10;

export const attack: Attack = {
  name: 'deep-bodies',
  sentence: `${bodies} bodies of arrays in arrays, ${depth} deep, one after the other`,
  refusals: ['http body'],
  over: 'http',
  run: async ({ port, token }, { signal }) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = `{"name":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const asked = { method: 'POST', headers, body, signal };
    for (let n = 0; n < bodies && !signal.aborted; n += 1)
      await fetch(`http://127.0.0.1:${port}/v1/activities`, asked).catch(() => {});
  },
};
