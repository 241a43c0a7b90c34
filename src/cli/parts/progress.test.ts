// Progress as it is told: a bar for who looks on, a line now and then for a log, nothing for who asked for nothing.
import { expect, test } from 'bun:test';
import { Progress, type ProgressOptions, progressText, sizeOf } from './progress.ts';

function followed(options: Partial<ProgressOptions> = {}) {
  const clock = { now: 0 };
  let said = '';
  const progress = new Progress({
    ...{ what: 'video 7', unit: 'bytes', total: 10_000_000, isTerminal: false, columns: 100 },
    monotonicMs: () => clock.now,
    write: (text) => {
      said += text;
    },
    ...options,
  });
  const at = (now: number, done: number) => {
    clock.now = now;
    progress.update(done);
    const now_said = said;
    said = '';
    return now_said;
  };
  const ended = () => {
    progress.end();
    return said;
  };
  return { progress, at, ended };
}

test('a log has a line every ten seconds, with the rate and the time that is left', () => {
  const { at, ended } = followed();
  expect(at(9_999, 1_000_000)).toBe('');
  expect(at(10_000, 2_000_000)).toBe('video 7: 2.0 MB of 10.0 MB (20 %), 200 KB/s, 0:40 left\n');
  expect(at(15_000, 3_000_000)).toBe('');
  // The rate is of the last seconds, not of all of them.
  expect(at(20_000, 7_000_000)).toBe('video 7: 7.0 MB of 10.0 MB (70 %), 500 KB/s, 0:06 left\n');
  expect(ended()).toBe('');
});

test('a terminal has a bar that is drawn over, and taken away at the end', () => {
  const { at, ended } = followed({ isTerminal: true });
  expect(at(50, 1_000_000)).toBe('');
  expect(at(1_000, 5_000_000)).toBe(
    `\r[${'#'.repeat(15)}${'-'.repeat(15)}] video 7: 5.0 MB of 10.0 MB (50 %), 5.0 MB/s, 0:01 left\u001b[K`,
  );
  expect(ended()).toBe('\r\u001b[K');
  const narrow = followed({ isTerminal: true, columns: 20 });
  expect(narrow.at(1_000, 1).length).toBeLessThan(20 + '\r\u001b[K'.length);
});

test('what was there already is no part of the rate', () => {
  const { progress, at } = followed();
  progress.beginAt(8_000_000);
  expect(at(10_000, 9_000_000)).toContain('100 KB/s, 0:10 left');
});

test('nothing is said where nothing is wanted', () => {
  const { at } = followed({ write: undefined });
  expect(at(60_000, 5_000_000)).toBe('');
});

test('rows without an end have a count and a rate', () => {
  const told = { what: 'reading', unit: 'lines', done: 500, total: undefined } as const;
  expect(progressText({ ...told, ratePerSecond: 20, note: '2 bad' })).toBe(
    'reading: 500 lines, 2 bad, 20 lines/s',
  );
  expect([999, 1_000, 123_456, 5_400_000_000].map(sizeOf)).toEqual([
    '999 B',
    '1.0 KB',
    '123 KB',
    '5.4 GB',
  ]);
});
