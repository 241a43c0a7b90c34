import { describe, expect, test } from 'bun:test';
import { clip, play } from '../../../test/fixtures/media/clip.ts';
import type { Init, Segment } from './fragment.ts';
import { type LivePlaylistInput, livePlaylist } from './playlist.ts';
import { Segmenter, targetDurationMs } from './segmenter.ts';

const startedAt = Date.UTC(2026, 4, 1, 12, 0, 0);
const init: Init = { sequence: 100, bytes: new Uint8Array(), tracks: [] };

function segment(sequence: number, more: Partial<Segment> & { partCount?: number } = {}): Segment {
  const { partCount = 2, ...rest } = more;
  const parts = Array.from({ length: partCount }, (_, n) => ({
    bytes: new Uint8Array(1),
    durationMs: 201 + n,
    isIndependent: n === 0,
  }));
  return {
    sequence,
    epoch: 0,
    init,
    isDiscontinuity: false,
    isSealed: false,
    startsAt: startedAt + (sequence - 100) * 2_000,
    startMs: 0,
    parts,
    durationMs: parts.reduce((sum, part) => sum + part.durationMs, 0),
    size: 0,
    isComplete: true,
    hold: () => {
      throw new Error('a playlist holds nothing');
    },
    ...rest,
  };
}

const linesOf = (input: Partial<LivePlaylistInput>) =>
  livePlaylist({
    segments: [],
    partTargetMs: 220,
    targetDurationMs: 4_000,
    discontinuitySequence: 0,
    isEnded: false,
    ...input,
  })
    .trimEnd()
    .split('\n');

const tagged = (lines: readonly string[], tag: string) =>
  lines.filter((line) => line === `#${tag}` || line.startsWith(`#${tag}:`));

test('a playlist with a segment that grows, whole', () => {
  expect(
    linesOf({ segments: [segment(100), segment(101, { isComplete: false, partCount: 1 })] }),
  ).toEqual([
    '#EXTM3U',
    '#EXT-X-VERSION:9',
    '#EXT-X-TARGETDURATION:4',
    '#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=0.660',
    '#EXT-X-PART-INF:PART-TARGET=0.220',
    '#EXT-X-MEDIA-SEQUENCE:100',
    '#EXT-X-MAP:URI="init-100.mp4"',
    '#EXT-X-PROGRAM-DATE-TIME:2026-05-01T12:00:00.000Z',
    '#EXT-X-PART:DURATION=0.201,URI="100.0.m4s",INDEPENDENT=YES',
    '#EXT-X-PART:DURATION=0.202,URI="100.1.m4s"',
    '#EXTINF:0.403,',
    '100.m4s',
    '#EXT-X-PROGRAM-DATE-TIME:2026-05-01T12:00:02.000Z',
    '#EXT-X-PART:DURATION=0.201,URI="101.0.m4s",INDEPENDENT=YES',
    '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="101.1.m4s"',
  ]);
});

describe('the next part is hinted', () => {
  test('as the first of the next segment when the last is complete', () => {
    expect(linesOf({ segments: [segment(100)] }).at(-1)).toBe(
      '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="101.0.m4s"',
    );
  });

  test('until the push has ended: then nothing follows', () => {
    const lines = linesOf({ segments: [segment(100)], isEnded: true });
    expect(lines.at(-1)).toBe('#EXT-X-ENDLIST');
    expect(tagged(lines, 'EXT-X-PRELOAD-HINT')).toEqual([]);
  });
});

test('after the end no parts are listed, whole segments alone', () => {
  const lines = linesOf({ segments: [segment(100), segment(101)], isEnded: true });
  expect(tagged(lines, 'EXT-X-PART')).toEqual([]);
  expect(tagged(lines, 'EXTINF').length).toBe(2);
});

test('parts are listed for the last three complete segments and the growing one', () => {
  const sequences = [100, 101, 102, 103, 104];
  const complete = sequences.map((sequence) => segment(sequence));
  const growing = segment(105, { isComplete: false });
  const listed = (segments: Segment[]) => [
    ...new Set(
      tagged(linesOf({ segments }), 'EXT-X-PART').map((line) => /"(\d+)\./.exec(line)?.[1]),
    ),
  ];
  expect(listed([...complete, growing])).toEqual(['102', '103', '104', '105']);
  expect(listed(complete)).toEqual(['102', '103', '104']);
});

describe('a discontinuity', () => {
  const other: Init = { ...init, sequence: 101 };
  const segments = [segment(100), segment(101, { isDiscontinuity: true, init: other })];

  test('stands before the map and the parts it applies to (4.4.4.9)', () => {
    const lines = linesOf({ segments });
    const at = lines.indexOf('#EXT-X-DISCONTINUITY');
    expect(lines.slice(at + 1, at + 4)).toEqual([
      '#EXT-X-MAP:URI="init-101.mp4"',
      '#EXT-X-PROGRAM-DATE-TIME:2026-05-01T12:00:02.000Z',
      '#EXT-X-PART:DURATION=0.201,URI="101.0.m4s",INDEPENDENT=YES',
    ]);
  });

  test('stays while its segment is the first, and the map is told again (4.4.3.3)', () => {
    const lines = linesOf({ segments: segments.slice(1) });
    expect(tagged(lines, 'EXT-X-DISCONTINUITY')).toHaveLength(1);
    expect(tagged(lines, 'EXT-X-MAP')).toEqual(['#EXT-X-MAP:URI="init-101.mp4"']);
    expect(tagged(lines, 'EXT-X-DISCONTINUITY-SEQUENCE')).toEqual([]);
  });

  test('that has left is counted', () => {
    expect(
      tagged(
        linesOf({ segments: [segment(102)], discontinuitySequence: 1 }),
        'EXT-X-DISCONTINUITY-SEQUENCE',
      ),
    ).toEqual(['#EXT-X-DISCONTINUITY-SEQUENCE:1']);
  });
});

test('of a rung: its own names, what is missing, and how far the others are', () => {
  const { parts, ...rest } = segment(100);
  const [first, second] = parts;
  const missing = { ...second, bytes: new Uint8Array(), durationMs: 202, isIndependent: false };
  const lines = linesOf({
    segments: [{ ...rest, parts: [...(first ? [first] : []), missing] }],
    prefix: '480p-',
    reports: [{ playlist: 'source.m3u8', sequence: 101, part: 3 }],
  });
  expect(lines.slice(6)).toEqual([
    '#EXT-X-MAP:URI="480p-init-100.mp4"',
    '#EXT-X-PROGRAM-DATE-TIME:2026-05-01T12:00:00.000Z',
    '#EXT-X-PART:DURATION=0.201,URI="480p-100.0.m4s",INDEPENDENT=YES',
    '#EXT-X-PART:DURATION=0.202,URI="480p-100.1.m4s",GAP=YES',
    '#EXT-X-GAP',
    '#EXTINF:0.403,',
    '480p-100.m4s',
    '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="480p-101.0.m4s"',
    '#EXT-X-RENDITION-REPORT:URI="source.m3u8",LAST-MSN=101,LAST-PART=3',
  ]);
});

test('at every moment of a real clip the playlist keeps its promises', () => {
  const segments: Segment[] = [];
  let made = 0;
  const segmenter = new Segmenter({
    firstSequence: 7,
    now: () => startedAt,
    readers: [
      {
        partAdded(segment) {
          if (segments.at(-1) !== segment) segments.push(segment);
          checkPromises();
        },
        segmentEnded: checkPromises,
        ended: () => {},
      },
    ],
  });
  play(clip, segmenter);
  expect(made).toBeGreaterThan(20);

  function checkPromises(): void {
    made++;
    const { partTargetMs } = segmenter;
    const lines = linesOf({ segments, partTargetMs, targetDurationMs });
    const number = (tag: string, name: string) =>
      Number(new RegExp(`${name}=([\\d.]+)`).exec(tagged(lines, tag)[0] ?? '')?.[1]);
    const partTarget = number('EXT-X-PART-INF', 'PART-TARGET');
    expect(number('EXT-X-SERVER-CONTROL', 'PART-HOLD-BACK')).toBeGreaterThanOrEqual(3 * partTarget);
    let partsMs = 0;
    for (const line of lines) {
      const part = /^#EXT-X-PART:DURATION=([\d.]+)/.exec(line)?.[1];
      const whole = /^#EXTINF:([\d.]+)/.exec(line)?.[1];
      if (part) expect(Number(part)).toBeLessThanOrEqual(partTarget);
      if (part) partsMs += Math.round(Number(part) * 1000);
      if (!whole) continue;
      expect(Math.round(Number(whole) * 1000)).toBe(partsMs);
      expect(Number(whole)).toBeLessThanOrEqual(4);
      partsMs = 0;
    }
  }
});
