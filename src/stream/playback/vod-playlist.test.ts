import { describe, expect, test } from 'bun:test';
import type { RecordedInit, RecordedSegment } from '../recording/recording-index.ts';
import { vodPlaylist } from './vod-playlist.ts';

const startsAt = Date.UTC(2026, 4, 4, 12);
const init: RecordedInit = { at: 0, size: 100, width: 640, height: 360 };

/** Segments of 1,000 bytes one after another. */
function recorded(...changes: Partial<RecordedSegment>[]): RecordedSegment[] {
  return changes.map((change, n) => ({
    init,
    at: 100 + n * 1_000,
    size: 1_000,
    durationMs: 2_000,
    isIndependent: true,
    isDiscontinuity: false,
    startsAt: startsAt + n * 2_000,
    ...change,
  }));
}

test('a recording is a list of ranges of its one file', async () => {
  expect(await vodPlaylist(recorded({}, { durationMs: 2_033 }), 'source.mp4')).toBe(
    [
      '#EXTM3U',
      '#EXT-X-VERSION:7',
      '#EXT-X-TARGETDURATION:2',
      '#EXT-X-MEDIA-SEQUENCE:0',
      '#EXT-X-PLAYLIST-TYPE:VOD',
      '#EXT-X-INDEPENDENT-SEGMENTS',
      '#EXT-X-MAP:URI="source.mp4",BYTERANGE="100@0"',
      '#EXT-X-PROGRAM-DATE-TIME:2026-05-04T12:00:00.000Z',
      '#EXTINF:2.000,',
      '#EXT-X-BYTERANGE:1000@100',
      'source.mp4',
      '#EXTINF:2.033,',
      '#EXT-X-BYTERANGE:1000@1100',
      'source.mp4',
      '#EXT-X-ENDLIST',
      '',
    ].join('\n'),
  );
});

test.each([
  [[400], 1],
  [[1_499], 1],
  [[1_500], 2],
  [[2_000, 4_000, 3_900], 4],
  [[61_000], 61],
])('segments of %j ms have a target duration of %d s', async (durations, seconds) => {
  const segments = recorded(...durations.map((durationMs) => ({ durationMs })));
  expect(await vodPlaylist(segments, 'f')).toContain(`#EXT-X-TARGETDURATION:${seconds}\n`);
});

describe('a segment that cannot be played by itself', () => {
  const lines = async (...segments: Partial<RecordedSegment>[]) =>
    (await vodPlaylist(recorded(...segments), 'f'))
      .split('\n')
      .filter((line) => /^#EXT(INF|-X-BYTERANGE|-X-DISC|-X-MAP|-X-INDEP)/.test(line));

  test('joins the one before', async () => {
    expect(await lines({}, { isIndependent: false }, { isIndependent: false }, {})).toEqual([
      '#EXT-X-INDEPENDENT-SEGMENTS',
      '#EXT-X-MAP:URI="f",BYTERANGE="100@0"',
      '#EXTINF:6.000,',
      '#EXT-X-BYTERANGE:3000@100',
      '#EXTINF:2.000,',
      '#EXT-X-BYTERANGE:1000@3100',
    ]);
  });

  test('stays alone behind a cut, a new init or a hole, and then not all are independent', async () => {
    const other = { ...init, at: 1_100 };
    const behind: Partial<RecordedSegment>[] = [
      { isDiscontinuity: true },
      { init: other, at: 1_200 },
      { at: 5_000 },
    ];
    for (const change of behind) {
      const found = await lines({}, { ...change, isIndependent: false });
      expect(found.filter((line) => line.startsWith('#EXTINF'))).toHaveLength(2);
      expect(found).not.toContain('#EXT-X-INDEPENDENT-SEGMENTS');
    }
  });

  test('at the very beginning is listed as it is', async () => {
    expect(await lines({ isIndependent: false }, {})).toEqual([
      '#EXT-X-MAP:URI="f",BYTERANGE="100@0"',
      '#EXTINF:2.000,',
      '#EXT-X-BYTERANGE:1000@100',
      '#EXTINF:2.000,',
      '#EXT-X-BYTERANGE:1000@1100',
    ]);
  });
});

test('the segments given are left as they were', async () => {
  const segments = recorded({}, { isIndependent: false });
  await vodPlaylist(segments, 'f');
  expect(segments).toEqual(recorded({}, { isIndependent: false }));
});

test('after a reconnect there is a discontinuity with its init and its time; none before the first segment', async () => {
  const other = { at: 1_100, size: 50, width: 320, height: 180 };
  const text = await vodPlaylist(
    recorded(
      { isDiscontinuity: true },
      { init: other, at: 1_150, isDiscontinuity: true, startsAt: startsAt + 60_000 },
    ),
    'f',
  );
  expect(text.split('\n').slice(6, -2)).toEqual([
    '#EXT-X-MAP:URI="f",BYTERANGE="100@0"',
    '#EXT-X-PROGRAM-DATE-TIME:2026-05-04T12:00:00.000Z',
    '#EXTINF:2.000,',
    '#EXT-X-BYTERANGE:1000@100',
    'f',
    '#EXT-X-DISCONTINUITY',
    '#EXT-X-MAP:URI="f",BYTERANGE="50@1100"',
    '#EXT-X-PROGRAM-DATE-TIME:2026-05-04T12:01:00.000Z',
    '#EXTINF:2.000,',
    '#EXT-X-BYTERANGE:1000@1150',
    'f',
  ]);
});
