import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { MediaError } from '../formats/packet.ts';
import { type IndexLine, indexLine, readIndex } from './recording-index.ts';

const init: IndexLine = { kind: 'init', at: 0, size: 100, width: 640, height: 360 };
const segment = (at: number): IndexLine => ({
  kind: 'segment',
  at,
  size: 1_000,
  durationMs: 2_000,
  isIndependent: true,
  isDiscontinuity: false,
  startsAt: 1_700_000_000_000,
});
const text = (...lines: IndexLine[]) => lines.map(indexLine).join('');

describe('an index', () => {
  test('is read as it was written, each segment with its init', () => {
    const second: IndexLine = { kind: 'init', at: 2_100, size: 50, width: 0, height: 0 };
    const segments = readIndex(text(init, segment(100), segment(1_100), second, segment(2_150)));
    expect(segments.map(({ at, init: of }) => [at, of.at])).toEqual([
      [100, 0],
      [1_100, 0],
      [2_150, 2_100],
    ]);
    // Whoever lists them tells a new init by its identity.
    expect(segments[0]?.init).toBe(segments[1]?.init as never);
  });

  test('of nothing has no segments', () => {
    expect(readIndex('')).toEqual([]);
    expect(readIndex(text(init))).toEqual([]);
  });

  test('that a crash has cut at any byte is read up to its last whole line', () => {
    const whole = text(init, segment(100), segment(1_100));
    for (let bytes = 0; bytes <= whole.length; bytes++) {
      const cut = whole.slice(0, bytes);
      const lines = cut.split('\n').length - 1;
      expect(readIndex(cut)).toHaveLength(Math.max(0, lines - 1));
    }
  });

  test.each([
    ['a segment before any init', text(segment(100))],
    ['a line that is not JSON', `${text(init)}{"kind":"segm\n${text(segment(100))}`],
    ['an empty line', `${text(init)}\n`],
    ['null', 'null\n'],
    ['a number', '7\n'],
    ['another kind', '{"kind":"other","at":0,"size":1}\n'],
    ['a range without a size', '{"kind":"init","at":0,"width":1,"height":1}\n'],
    ['a negative place', '{"kind":"init","at":-1,"size":1,"width":1,"height":1}\n'],
    ['a place in words', '{"kind":"init","at":"0","size":1,"width":1,"height":1}\n'],
    ['an endless size', '{"kind":"init","at":0,"size":1e999,"width":1,"height":1}\n'],
    ['segments that overlap', text(init, segment(100), segment(1_000))],
    ['segments that go back', text(init, segment(1_100), segment(100))],
    ['a segment inside its init', text(init, segment(99))],
  ])('with %s is damaged', (_, damaged) => {
    expect(() => readIndex(damaged)).toThrow(MediaError);
  });

  test('bent anywhere is read or refused, and never anything else', () => {
    const whole = Buffer.from(text(init, segment(100), segment(1_100), segment(2_100)));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (changes) => {
          const bent = Buffer.from(whole);
          for (const [at, byte] of changes) bent[at] = byte;
          try {
            for (const one of readIndex(bent.toString())) {
              expect(one.at).toBeGreaterThanOrEqual(one.init.at + one.init.size);
              expect(Number.isFinite(one.durationMs + one.startsAt)).toBe(true);
            }
          } catch (error) {
            if (!(error instanceof MediaError)) throw error;
          }
        },
      ),
      { seed: 19, numRuns: 3_000 },
    );
  });
});
