// The code's path covers the dark modules, each once, and nothing else.
import { expect, test } from 'bun:test';
import { encode } from 'uqr';
import { qrSymbol } from './qr-code.ts';

test.each(['https://live.example.com/m/1024', `http://${'a'.repeat(200)}.example/m/1`])(
  'the path of %s is its modules',
  (text) => {
    const { data, size } = encode(text, { ecc: 'M', border: 4, maskPattern: 0 });
    const { markup } = qrSymbol('qr', text);
    expect(markup).toContain(`viewBox="0 0 ${size} ${size}"`);
    const drawn = data.map((row) => row.map(() => 0));
    for (const [, x, y, width] of markup.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g)) {
      for (let at = Number(x); at < Number(x) + Number(width); at++) {
        const row = drawn[Number(y)] ?? [];
        row[at] = (row[at] ?? 0) + 1;
      }
    }
    expect(drawn).toEqual(data.map((row) => row.map((isDark) => (isDark ? 1 : 0))));
    // The quiet zone that scanners need.
    expect(data.slice(0, 4).flat()).not.toContain(true);
  },
);
