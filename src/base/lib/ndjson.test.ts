// Lines of NDJSON, however the bytes arrive.
import { describe, expect, test } from 'bun:test';
import { type Line, ndjsonLines } from './ndjson.ts';

const notObject = 'the line is not a JSON object';
const tooLong = 'the line is longer than 65536 characters';
const notUtf8 = 'the line is not UTF-8';

interface Case {
  what: string;
  bytes: Uint8Array;
  lines: [number: number, told: unknown][];
}

const cases: Case[] = [
  { what: 'nothing', bytes: utf8(''), lines: [] },
  { what: 'no final newline', bytes: utf8('{"a":1}\n{"a":2}'), lines: objects(1, 2) },
  { what: 'a final newline', bytes: utf8('{"a":1}\n{"a":2}\n'), lines: objects(1, 2) },
  { what: 'CRLF', bytes: utf8('{"a":1}\r\n{"a":2}\r\n'), lines: objects(1, 2) },
  { what: 'a byte order mark', bytes: utf8('\uFEFF{"a":1}\n{"a":2}'), lines: objects(1, 2) },
  {
    what: 'empty lines are counted',
    bytes: utf8('\n{"a":1}\n\r\n  \n{"a":2}\n\n'),
    lines: [
      [2, { a: 1 }],
      [5, { a: 2 }],
    ],
  },
  {
    what: 'what is no object',
    bytes: utf8('1\n[1]\nnull\n{"a":\n{"a":1}'),
    lines: [
      [1, notObject],
      [2, notObject],
      [3, notObject],
      [4, notObject],
      [5, { a: 1 }],
    ],
  },
  {
    what: 'characters of every length',
    bytes: utf8('{"a":"é李😀"}\n{"é李😀":1}'),
    lines: [
      [1, { a: 'é李😀' }],
      [2, { 'é李😀': 1 }],
    ],
  },
  {
    what: 'the longest line and one too long',
    bytes: utf8(`{"a":"${'x'.repeat(65_528)}"}\n{"a":"${'x'.repeat(65_529)}"}\n{"a":1}`),
    lines: [
      [1, { a: 'x'.repeat(65_528) }],
      [2, tooLong],
      [3, { a: 1 }],
    ],
  },
  {
    what: 'the longest line of long characters and one too long',
    bytes: utf8(`{"a":"${'李'.repeat(65_528)}"}\n{"a":"${'李'.repeat(65_529)}"}\n{"a":1}`),
    lines: [
      [1, { a: '李'.repeat(65_528) }],
      [2, tooLong],
      [3, { a: 1 }],
    ],
  },
  {
    what: 'a line far too long, and one at the end',
    bytes: utf8(`{"a":"${'李'.repeat(400_000)}"}\n{"a":1}\n{"a":"${'x'.repeat(400_000)}"}`),
    lines: [
      [1, tooLong],
      [2, { a: 1 }],
      [3, tooLong],
    ],
  },
  {
    what: 'a line in GBK',
    bytes: joined(utf8('{"a":1}\n{"a":"'), [0xc0, 0xee], utf8('"}\n\n{"a":2}\n')),
    lines: [
      [1, { a: 1 }],
      [2, notUtf8],
      [4, { a: 2 }],
    ],
  },
  {
    what: 'a character cut short at the end of a line and of the file',
    bytes: joined(utf8('{"a":1}'), [0xe6, 0x9d], utf8('\n{"a":2}\n{"a":3}'), [0xe6]),
    lines: [
      [1, notUtf8],
      [2, { a: 2 }],
      [3, notUtf8],
    ],
  },
  {
    what: 'a replacement character that was written as such',
    bytes: utf8('{"a":"\uFFFD"}'),
    lines: [[1, { a: '\uFFFD' }]],
  },
];

describe('lines', () => {
  for (const { what, bytes, lines } of cases) {
    for (const size of [1, 2, 3, 7, 1_000, 65_536, Number.POSITIVE_INFINITY]) {
      if (bytes.length / size > 100_000) continue;
      test(`${what}, in pieces of ${size} bytes`, async () => {
        const found: Line[] = [];
        for await (const batch of ndjsonLines(pieces(bytes, size))) {
          expect(batch.length).toBeGreaterThan(0);
          found.push(...batch);
        }
        const told: unknown[] = found.map(({ number, value, problem }) => [
          number,
          value ?? problem,
        ]);
        expect(told).toEqual(lines);
      });
    }
  }
});

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const step = Math.min(size, Math.max(1, bytes.length));
  for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function joined(...parts: (Uint8Array | number[])[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function objects(...values: number[]): [number, unknown][] {
  return values.map((a, at) => [at + 1, { a }]);
}
