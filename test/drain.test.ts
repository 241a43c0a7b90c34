// A node that stops while others are there: who is led away from it, and what goes on elsewhere as if nothing had happened.
import { expect, test } from 'bun:test';
import { closeCodes } from '../src/audience/protocol/messages.ts';
import { LinkedStage, pushTo } from './support/linked-stage.ts';
import { isLive, newLiveChannel, until } from './support/live-channel.ts';
import { TestPage, ticketsOf } from './support/page.ts';
import { startPlaylistPlayer } from './support/playlist-player.ts';
import type { MovingClock, TestService } from './support/service.ts';
import { asking } from './support/snapshot.ts';

const stage = new LinkedStage();

const untilLive = (service: TestService, id: number) =>
  until(() => isLive(service, id), { withinMs: 10_000, otherwise: 'it is not live' });

async function sessionOf({ store }: TestService, channel_id: number) {
  const [row, ...more] = await store.all<Record<string, number>>(
    'SELECT watch_ms, online_ms, last_seen_at FROM sessions WHERE channel_id = $1',
    [channel_id],
  );
  expect(more).toEqual([]);
  return row as { watch_ms: number; online_ms: number; last_seen_at: number };
}

test('its push, its recording and whoever plays on another node go on', async () => {
  const [{ service: a }, { service: b }] = await stage.start(2);
  const channel = await newLiveChannel(a);
  const first = await pushTo(a, channel.publishUrl);
  await untilLive(b, channel.id);
  const { pathname } = new URL(channel.playlistUrl);
  const player = startPlaylistPlayer(b.url + pathname);
  await player.seen(({ shownMs }) => shownMs > 3_000);
  await stage.stopFirst();
  expect(await first.over).toContain('The service is stopping');
  const [row] = await b.store.all('SELECT state, epoch FROM pushes');
  expect(row).toEqual({ state: 'cut', epoch: 1 });
  const stints = await b.store.all('SELECT epoch, carried FROM recording_stints');
  expect(stints).toEqual([{ epoch: 1, carried: 1 }]);
  const before = player.checker.shownMs;
  const second = await pushTo(b, channel.publishUrl);
  await player.seen(({ shownMs }) => shownMs > before + 3_000);
  // No number is missing, and none comes twice.
  expect(player.problems()).toEqual([]);
  expect(player.checker.pushes).toBe(1);
  expect(player.checker.discontinuities).toBe(1);
  await player.stop();
  await second.end();
  const over = async () => !(await isLive(b, channel.id));
  await until(over, { withinMs: 10_000, otherwise: 'it does not end' });
  expect(await b.store.all('SELECT id FROM shows')).toHaveLength(1);
  const videos = () => b.store.all('SELECT id FROM videos');
  await until(async () => (await videos()).length > 0, {
    withinMs: 40_000,
    otherwise: 'there is no video',
  });
  expect(await videos()).toHaveLength(1);
});

test('whoever takes its push shows what it has shown, though nobody has watched there', async () => {
  const [{ service: a }, { service: b }] = await stage.start(2);
  const channel = await newLiveChannel(a);
  const first = await pushTo(a, channel.publishUrl);
  const { pathname } = new URL(channel.playlistUrl);
  const player = startPlaylistPlayer(a.url + pathname, { mayBreak: true });
  await player.seen(({ shownMs }) => shownMs > 6_000);
  const stopped = stage.stopFirst();
  await first.over;
  const second = await pushTo(b, channel.publishUrl);
  const there = startPlaylistPlayer(b.url + pathname);
  await there.seen(({ discontinuities }) => discontinuities === 1);
  await Promise.all([player.stop(), there.stop(), stopped]);
  const { last } = player.checker;
  const listed = there.checker.last?.segments ?? [];
  const files = listed.map(({ uri }) => uri);
  expect(files).toContain(last?.segments.findLast(({ uri }) => uri !== undefined)?.uri);
  expect(listed[0]?.sequence).toBeLessThanOrEqual(last?.segments.at(-1)?.sequence ?? 0);
  expect(there.problems()).toEqual([]);
  await second.end();
});

test('its pages find on another node what they said, and lose nothing of what they play meanwhile', async () => {
  const [{ service: a }, { service: b }] = await stage.start(2);
  const channel = await newLiveChannel(b);
  const push = await pushTo(b, channel.publishUrl);
  await untilLive(a, channel.id);
  const clock = a.clock as MovingClock;
  clock.rate = 0;
  const ticket = (await ticketsOf(b))(channel.id, { viewer_id: 'ada' });
  const page = new TestPage(a.url, { ticket });
  const { resume } = await page.welcome();
  const play = async (on: TestPage, ms: number) => {
    clock.now += ms;
    on.say({ type: 'report', played_ms: ms });
    await on.heard();
  };
  await play(page, 8_000);
  const saidAt = clock.now;
  clock.now += 4_000;
  const stopped = stage.stopFirst();
  expect(await page.closed).toBe(closeCodes.elsewhere);
  expect(await sessionOf(b, channel.id)).toEqual({
    ...{ watch_ms: 8_000, online_ms: 8_000 },
    last_seen_at: saidAt,
  });
  clock.now += 500;
  const said = {
    played_ms: 12_000,
    reports: [
      [4_500, 8_000],
      [500, 4_000],
    ] as const,
  };
  const { instance } = page;
  const back = new TestPage(b.url, { ticket, instance, resume, said });
  await back.welcome();
  await play(back, 5_000);
  await back.leave();
  await stopped;
  const isWritten = async () => (await sessionOf(b, channel.id)).watch_ms >= 17_000;
  await until(isWritten, { withinMs: 20_000, otherwise: 'what was played is not there' });
  const { watch_ms, online_ms } = await sessionOf(b, channel.id);
  // But for the half second of the way.
  expect([watch_ms, online_ms]).toEqual([17_000, 17_000]);
  const visitors = await b.store.all('SELECT watch_ms, visit_times FROM visitors');
  expect(visitors).toEqual([{ watch_ms: 17_000, visit_times: 1 }]);
  await push.end();
});

test('it is not ready and the others know, while it still takes what comes', async () => {
  const [{ service: a }, { service: b }] = await stage.start(2, { DRAIN_MS: '8000' });
  const channel = await newLiveChannel(a);
  const page = async () => {
    const ticket = (await ticketsOf(b))(channel.id);
    const one = new TestPage(a.url, { ticket });
    await one.welcome();
    return one;
  };
  const stopped = stage.stopFirst();
  const isDraining = async () => {
    const { status, body } = await a.call('GET', '/readyz', { token: null });
    return status === 503 && body.draining;
  };
  await until(isDraining, { withinMs: 5_000, otherwise: 'it is ready' });
  const drains = async () => {
    const rows = await b.store.all("SELECT 1 FROM nodes WHERE node = 'node-1' AND draining = 1");
    return rows.length > 0;
  };
  await until(drains, { withinMs: 5_000, otherwise: 'the others do not know' });
  expect((await a.call('GET', '/v1/activities')).status).toBe(200);
  const late = await page();
  const push = await pushTo(a, channel.publishUrl);
  expect(await late.closed).toBe(closeCodes.elsewhere);
  expect(await push.over).toContain('The service is stopping');
  await stopped;
  expect(await b.store.all('SELECT node FROM nodes')).toEqual([{ node: 'node-2' }]);
});

test('alone it ends as a service without others does', async () => {
  const [{ service: a }] = await stage.start(1, { DRAIN_MS: '60000' });
  const channel = await newLiveChannel(a);
  const push = await pushTo(a, channel.publishUrl);
  await untilLive(a, channel.id);
  const page = new TestPage(a.url, { ticket: (await ticketsOf(a))(channel.id) });
  await page.welcome();
  await stage.stopFirst();
  expect(await page.closed).toBe(closeCodes.restart);
  expect(await push.over).toContain('The service is stopping');
  const { DATA_DIR = '', DATABASE_URL = '' } = a.settings;
  const left = { DATA_DIR, DATABASE_URL };
  const ask = (text: string) => asking(left, (asked) => asked(text));
  expect(await ask('SELECT state FROM pushes')).toEqual([{ state: 'ended' }]);
  expect(await ask('SELECT id FROM shows WHERE end_at IS NULL')).toEqual([]);
  expect(await ask('SELECT node FROM nodes')).toEqual([]);
});
