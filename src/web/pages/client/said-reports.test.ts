// What is said again to a service that was killed.
import { expect, test } from 'bun:test';
import { SaidReports } from './said-reports.ts';

test('nothing is said again before there was a session', () => {
  expect(new SaidReports().recent(0)).toBeUndefined();
});

test('all that was played in the session, and the reports of the last minute and a half by their age', () => {
  const reports = new SaidReports();
  reports.begin('one');
  for (const at of [10_000, 80_000, 90_000, 100_000]) reports.add({ played_ms: 9_000 }, at);
  expect(reports.recent(105_000.4)).toEqual({
    played_ms: 36_000,
    reports: [
      [25_000, 9_000],
      [15_000, 9_000],
      [5_000, 9_000],
    ],
  });
});

test('a session that goes on keeps what was said, another one begins with nothing', () => {
  const reports = new SaidReports();
  reports.begin('one');
  reports.add({ played_ms: 1_000 }, 0);
  reports.begin('one');
  expect(reports.recent(0)?.played_ms).toBe(1_000);
  reports.begin('two');
  expect(reports.recent(0)).toEqual({ played_ms: 0, reports: [] });
});

test('a page that reports all the time for hours keeps a minute and a half, as few reports of the same sum', () => {
  const reports = new SaidReports();
  reports.begin('one');
  for (let at = 0; at < 10_000_000; at += 1_000) reports.add({ played_ms: 1_000 }, at);
  const said = reports.recent(9_999_000)?.reports ?? [];
  expect(said.length).toBeLessThanOrEqual(60);
  const spoken = said.reduce((sum, [, played_ms]) => sum + played_ms, 0);
  expect(spoken).toBeGreaterThanOrEqual(90_000);
  expect(spoken).toBeLessThanOrEqual(92_000);
});

test('a report that told what was shown tells it again', () => {
  const reports = new SaidReports();
  reports.begin('one');
  reports.add({ played_ms: 1_000, shown_at: 77_000 }, 0);
  expect(reports.recent(500)?.reports).toEqual([[500, 1_000, 77_000]]);
});
