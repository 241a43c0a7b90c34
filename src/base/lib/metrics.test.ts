// What Prometheus reads.
import { expect, test } from 'bun:test';
import { labelled, startMetrics } from './metrics.ts';

test('gauges and counters are read when somebody asks', async () => {
  const metrics = startMetrics();
  const seen = { viewers: 2, refusals: { full: 0, banned: 3 } };
  metrics.gauge('test_viewers', 'Viewers.', () => seen.viewers);
  metrics.counter('test_reports_total', 'Reports.', () => 7);
  metrics.counter('test_refusals_total', 'Refusals, by reason.', () =>
    labelled('reason', seen.refusals),
  );
  seen.viewers = 5;
  expect(await metrics.text()).toContain(
    [
      '# HELP test_viewers Viewers.',
      '# TYPE test_viewers gauge',
      'test_viewers 5',
      '# HELP test_reports_total Reports.',
      '# TYPE test_reports_total counter',
      'test_reports_total 7',
      '# HELP test_refusals_total Refusals, by reason.',
      '# TYPE test_refusals_total counter',
      'test_refusals_total{reason="full"} 0',
      'test_refusals_total{reason="banned"} 3',
    ].join('\n'),
  );
});

test('a gauge that is not known, fails or never answers is left out, and the others are there', async () => {
  const metrics = startMetrics();
  metrics.gauge('test_unknown', 'Unknown.', async () => undefined);
  metrics.gauge('test_failing', 'Failing.', async () => {
    throw new Error('away');
  });
  metrics.gauge('test_late', 'Late.', () => new Promise(() => {}));
  metrics.gauge('test_slow', 'Slow.', async () => 4);
  metrics.gauge('test_by_channel', 'By channel.', () => [{ labels: { channel: '7' }, count: 5 }]);
  const values = (await metrics.text()).split('\n').filter((line) => line.startsWith('test_'));
  expect(values).toEqual(['test_slow 4', 'test_by_channel{channel="7"} 5']);
});

test('requests are counted by operation and status, and their times in buckets', async () => {
  const metrics = startMetrics();
  metrics.count('listChannels', 200, 2);
  metrics.count('listChannels', 200, 6_000);
  metrics.count('listChannels', 404, 0.5);
  const text = await metrics.text();
  const name = 'footlight_http_request';
  for (const line of [
    `${name}s_total{operation="listChannels",status="200"} 2`,
    `${name}s_total{operation="listChannels",status="404"} 1`,
    `${name}_seconds_bucket{operation="listChannels",le="0.001"} 1`,
    `${name}_seconds_bucket{operation="listChannels",le="5"} 2`,
    `${name}_seconds_bucket{operation="listChannels",le="+Inf"} 3`,
    `${name}_seconds_count{operation="listChannels"} 3`,
  ])
    expect(text).toContain(`${line}\n`);
});

test('every line is one that Prometheus takes', async () => {
  const metrics = startMetrics();
  metrics.count('listChannels', 200, 1);
  metrics.gauge('test_viewers', 'Viewers.', () => 1);
  const value = /^[a-z_]+(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? [\d.e+-]+$/;
  const lines = (await metrics.text()).trimEnd().split('\n');
  expect(lines.filter((line) => !/^# (HELP|TYPE) /.test(line) && !value.test(line))).toEqual([]);
});
