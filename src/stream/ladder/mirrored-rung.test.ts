// A rung as its players see it: the source's segments part for part, and what was not made in time is missing.
import { expect, test } from 'bun:test';
import type { Part, Segment } from '../packaging/fragment.ts';
import { GrowingSegment } from '../packaging/growing-segment.ts';
import { MirroredRung } from './mirrored-rung.ts';

const made = (text: string) => new Uint8Array(Buffer.from(text));

test('parts come when they are made, with the source’s numbers, lengths and dates', () => {
  const { rung, source, shown } = stage();
  const first = source.segment(7, [200, 180]);
  rung.made({ sequence: 7, at: 0, bytes: made('a'), isIndependent: true });
  expect(shown()).toEqual(['7: a*']);
  rung.made({ sequence: 7, at: 1, bytes: made('b'), isIndependent: false });
  expect(shown()).toEqual(['7: a* b (390)']);
  const [segment] = source.of(rung);
  expect(segment).toMatchObject({ startMs: first.startMs, startsAt: first.startsAt });
  expect(segment?.parts.map(({ durationMs }) => durationMs)).toEqual([200, 180]);
});

test('what was not made when it was given up is missing, and later parts of it are not taken', () => {
  const { rung, source, shown, missing } = stage();
  source.segment(7, [200, 200, 200]);
  rung.made({ sequence: 7, at: 0, bytes: made('a'), isIndependent: true });
  rung.miss();
  rung.made({ sequence: 7, at: 1, bytes: made('late'), isIndependent: false });
  source.segment(8, [200]);
  rung.made({ sequence: 8, at: 0, bytes: made('b'), isIndependent: true });
  expect(shown()).toEqual(['7: a* - - (610)', '8: b* (210)']);
  expect(missing()).toBe(2);
});

test('a rung begins with the first segment whose beginning was made', () => {
  const { rung, source, shown, missing } = stage();
  source.segment(7, [200, 200]);
  rung.miss();
  source.segment(8, [200]);
  rung.made({ sequence: 8, at: 0, bytes: made('a'), isIndependent: true });
  expect(shown()).toEqual(['8: a* (210)']);
  expect(missing()).toBe(0);
});

test('another process makes the same init, which is listed once; another one is new', () => {
  const { rung, source } = stage();
  const initOf = (sequence: number, by: string) => {
    rung.decode({ bytes: made(by), tracks: [] });
    source.segment(sequence, [200]);
    rung.made({ sequence, at: 0, bytes: made('a'), isIndependent: true });
    return source.of(rung).at(-1)?.init;
  };
  const first = initOf(7, 'one');
  expect(initOf(8, 'one')).toBe(first as NonNullable<typeof first>);
  expect(initOf(9, 'two')).toMatchObject({ sequence: 9, bytes: made('two') });
});

function stage() {
  const segments = new Map<MirroredRung, Segment[]>();
  let missingCount = 0;
  const listed: Segment[] = [];
  const ended = new Set<Segment>();
  const rung = new MirroredRung(
    [
      {
        partAdded: (segment) => listed.includes(segment) || listed.push(segment),
        segmentEnded: (segment) => ended.add(segment),
        ended: () => {},
      },
    ],
    () => {
      missingCount += 1;
    },
  );
  segments.set(rung, listed);
  rung.decode({ bytes: made('init'), tracks: [] });
  const textOf = ({ bytes, isIndependent }: Segment['parts'][number]) =>
    `${Buffer.from(bytes as Uint8Array).toString() || '-'}${isIndependent ? '*' : ''}`;
  return {
    rung,
    source: {
      /** Ten milliseconds longer than its parts. */
      segment: (sequence: number, partMs: readonly number[]): Segment => {
        const init = { sequence: 1, bytes: made('source'), tracks: [] };
        const place = { startMs: sequence * 1_000, startsAt: 1_700_000_000_000 + sequence };
        const of = new GrowingSegment({ sequence, init, isDiscontinuity: false, ...place });
        for (const durationMs of partMs) {
          const part: Part = { bytes: made('x'), durationMs, isIndependent: true };
          of.add(part);
          rung.expect(of, part);
        }
        of.stretch(10);
        rung.expectEnd(of);
        return of;
      },
      of: (of: MirroredRung) => segments.get(of) ?? [],
    },
    shown: () =>
      listed.map((one) => {
        const whole = ended.has(one) ? ` (${one.durationMs})` : '';
        return `${one.sequence}: ${one.parts.map(textOf).join(' ')}${whole}`;
      }),
    missing: () => missingCount,
  };
}
