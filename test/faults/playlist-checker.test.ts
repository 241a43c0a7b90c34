// The checker of live playlists is checked too: each rule that a playlist breaks is found.
import { describe, expect, test } from 'bun:test';
import { PlaylistChecker } from '../support/playlist-checker.ts';

const date = '#EXT-X-PROGRAM-DATE-TIME:2026-05-04T12:00:00.000Z';
const head = [
  '#EXTM3U',
  '#EXT-X-VERSION:9',
  '#EXT-X-TARGETDURATION:4',
  '#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=0.660',
  '#EXT-X-PART-INF:PART-TARGET=0.220',
  '#EXT-X-MEDIA-SEQUENCE:7',
];
const first = ['#EXT-X-MAP:URI="init.mp4"', date, '#EXTINF:2.000,', '7.m4s'];
const parts = [
  date,
  '#EXT-X-PART:DURATION=0.200,URI="8.0.m4s",INDEPENDENT=YES',
  '#EXT-X-PART:DURATION=0.100,URI="8.1.m4s"',
];
const hint = '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="8.2.m4s"';
const good = [...head, ...first, ...parts, hint];
const whole = [...head, ...first, ...parts, '#EXTINF:0.300,', '8.m4s'];
const ended = [...whole, '#EXT-X-ENDLIST'];

test('a playlist that grows and ends is valid', () => {
  expect(problemsOf(good, good, ended)).toEqual([]);
});

test('what was shown is counted, with the parts of a segment that grows', () => {
  const checker = new PlaylistChecker();
  checker.see(text(good));
  expect(checker.shownMs).toBe(2_300);
});

test('another push after the end begins anew, with higher numbers', () => {
  const next = ended.map((line) => line.replace('SEQUENCE:7', 'SEQUENCE:9'));
  expect(problemsOf(ended, next)).toEqual([]);
  expect(problemsOf(ended, without(next, 'ENDLIST', hint))).toEqual([]);
});

const broken: Record<string, string[][]> = {
  'the first line is not #EXTM3U': [good.slice(1)],
  'what is #EXT-X-NONSENSE': [[...good, '#EXT-X-NONSENSE']],
  'EXT-X-VERSION stands twice': [[...head, '#EXT-X-VERSION:9', ...first, hint]],
  'has no map': [good.filter((line) => !line.includes('MAP'))],
  'has no EXTINF': [good.filter((line) => !line.includes('EXTINF'))],
  'segment 7 lasts 4600 ms': [good.map((line) => line.replace('2.000', '4.600'))],
  'segment 7 lasts 0 ms': [good.map((line) => line.replace('2.000', '0.000'))],
  'the EXTINF is no duration': [good.map((line) => line.replace('2.000', '-2.000'))],
  'is too long': [good.map((line) => line.replace('0.200', '0.240'))],
  'is too short': [good.map((line) => line.replace('0.200', '0.150'))],
  'the parts of segment 8': [ended.map((line) => line.replace('EXTINF:0.300', 'EXTINF:0.301'))],
  'the hint is not as it should': [without(good, 'HINT')],
  'is listed already': [good.map((line) => line.replace('8.2', '8.1'))],
  'the hold back is': [good.map((line) => line.replace('BACK=0.660', 'BACK=0.400'))],
  'never became whole': [without(good, 'HINT', '#EXT-X-ENDLIST')],
  'after the end': [[...ended, hint]],
  'media sequence 6 after 7': [good, good.map((line) => line.replace(':7', ':6'))],
  'the target duration changed': [good, good.map((line) => line.replace('ATION:4', 'ATION:5'))],
  'the part target changed': [good, good.map((line) => line.replace('0.220', '0.210'))],
  'segment 7 has another length': [good, good.map((line) => line.replace('2.000', '2.100'))],
  'the map of segment 7 changed': [good, good.map((line) => line.replace('init', 'other'))],
  'part 8.1.m4s changed': [good, without(good, '8.1')],
  'the newest segment is gone': [good, [...head, ...first, hint]],
  'it was shortened': [
    ended,
    [...head.map((line) => line.replace(':7', ':8')), ...first.slice(0, 1), ...whole.slice(10)],
  ],
  'it goes on after its end': [ended, good],
};

describe('it finds that', () => {
  for (const [problem, loads] of Object.entries(broken))
    test(problem, () => {
      expect(problemsOf(...loads).join('\n')).toContain(problem);
    });
});

function problemsOf(...loads: string[][]): string[] {
  const checker = new PlaylistChecker();
  for (const lines of loads) checker.see(text(lines));
  return checker.problems;
}

function text(lines: string[]): string {
  return `${lines.join('\n')}\n`;
}

/** Without the lines that hold a word, and with more at the end. */
function without(lines: string[], word: string, ...more: string[]): string[] {
  return [...lines.filter((line) => !line.includes(word)), ...more];
}
