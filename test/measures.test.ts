// What operators read at /metrics, after things have happened.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { publishTo } from '../src/stream/rtmp/rtmp-client.ts';
import { engines } from './support/engines.ts';
import { until } from './support/live-channel.ts';
import { type Stage, startStage } from './support/stage.ts';

const second = 1_000;

const [sqlite] = engines;
let stage: Stage;
beforeAll(async () => {
  if (!sqlite) throw new Error('no engine');
  stage = await startStage(sqlite);
});
afterAll(() => stage.end());

test('who watches, says something and is written down', async () => {
  const { page, report } = await stage.enter('viewer');
  stage.pass(10 * second);
  await report(10 * second);
  page.say({ type: 'chat', text: 'hello' });
  await page.next('chat');
  await shows({
    footlight_live_channels: 1,
    footlight_audience_connections: 1,
    footlight_viewers: 1,
    footlight_direct_players: 0,
    footlight_sessions_opened_total: 1,
    footlight_reports_total: 1,
    footlight_chat_messages_total: 1,
    footlight_flush_failures_total: 0,
  });
  const told = await read();
  // Channel 1 is the stage's.
  expect(told.get('footlight_channel_viewers{channel="1"}')).toBe(1);
  expect(told.get('footlight_disk_free_bytes')).toBeGreaterThan(0);
  expect(told.get('footlight_flush_lag_seconds')).toBeGreaterThanOrEqual(0);
  await shows({ footlight_ready: 1, footlight_channels_untold: 0 });
  await until(
    async () => ((await read()).get('footlight_channel_bits_per_second{channel="1"}') ?? 0) > 0,
    {
      withinMs: 20_000,
      otherwise: 'no bit rate was told',
    },
  );
  await until(async () => ((await read()).get('footlight_flushed_rows_total') ?? 0) >= 2, {
    withinMs: 8_000,
    otherwise: 'nothing was flushed',
  });
  await page.leave();
  await shows({ footlight_viewers: 0, footlight_audience_connections: 0 });
});

test('who is not let in, by reason', async () => {
  const forged = stage.connect({ ticket: 'forged' });
  const foreign = stage.connect({ ticket: '', headers: { origin: 'https://evil.example' } });
  const robot = stage.connect({ ticket: '', headers: { 'user-agent': 'curl/8.0' } });
  await Promise.all([forged.closed, foreign.closed, robot.closed]);
  await shows({
    'footlight_refusals_total{kind="page",reason="ticket"}': 1,
    'footlight_refusals_total{kind="page",reason="origin"}': 1,
    'footlight_refusals_total{kind="page",reason="bot"}': 1,
    'footlight_refusals_total{kind="page",reason="banned"}': 0,
  });
});

test('what is refused over RTMP, and what becomes of jobs and recordings', async () => {
  const wrong = `rtmp://127.0.0.1:${stage.service.rtmpPort}/live/wrong`;
  await expect(publishTo(wrong)).rejects.toThrow('No channel has this publish key');
  await shows({
    'footlight_refusals_total{kind="rtmp",reason="key"}': 1,
    'footlight_refusals_total{kind="rtmp",reason="taken"}': 0,
    'footlight_refusals_total{kind="rtmp",reason="crowded"}': 0,
    footlight_rtmp_slow_players_total: 0,
    footlight_rtmp_unread_bytes: 0,
    'footlight_jobs_total{outcome="failed"}': 0,
    footlight_recordings_shed_total: 0,
    footlight_spool_segments: 0,
    footlight_bucket_away: 0,
    'footlight_webhooks{state="enabled"}': 0,
    'footlight_webhooks{state="failing"}': 0,
    footlight_webhook_pending: 0,
    footlight_webhook_pending_age_seconds: 0,
    footlight_webhooks_waiting_seconds: 0,
  });
});

/** The values by name and labels. */
async function read(): Promise<Map<string, number>> {
  const { text } = await stage.service.call('GET', '/metrics', { token: null });
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

/** What the service hears of a connection's end comes a moment later. */
async function shows(wanted: Record<string, number>): Promise<void> {
  const found = async () => {
    const seen = await read();
    return Object.fromEntries(Object.keys(wanted).map((name) => [name, seen.get(name)]));
  };
  const isShown = async () => Bun.deepEquals(await found(), wanted);
  await until(isShown, { withinMs: 5_000, otherwise: '' }).catch(() => {});
  expect(await found()).toEqual(wanted);
}
