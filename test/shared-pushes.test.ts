// Several whole services on one PostgreSQL, as nodes of one: who has a push, and what goes on when it moves.
import { expect, test } from 'bun:test';
import { claimPush } from '../src/stream/live/push-lease-store.ts';
import { startClipPush, testClip } from './support/clip-push.ts';
import { LinkedStage, rtmpOn } from './support/linked-stage.ts';
import { isLive, newLiveChannel, taken, until, untilLetIn } from './support/live-channel.ts';
import { ticketsOf } from './support/page.ts';
import type { MovingClock, TestService } from './support/service.ts';
import { Stage } from './support/stage.ts';

const stage = new LinkedStage();

/** What a player of a node is shown now: the files of whole segments in their order, and the playlist. */
async function shownOn({ url }: TestService, playlistUrl: string) {
  const { pathname } = new URL(playlistUrl);
  const at = `${url}${pathname}`;
  const answer = await fetch(`${at}?low_latency=1`);
  const text = answer.status === 200 ? await answer.text() : '';
  const files = Array.from(text.matchAll(/^([\d.-]+\.m4s)$/gm), ([, file = '']) => file);
  const bytesOf = async (file: string) => {
    const piece = await fetch(new URL(file, at));
    return piece.status === 200 ? Buffer.from(await piece.arrayBuffer()).toString('base64') : '';
  };
  return { status: answer.status, text, files, bytesOf };
}

/** The numbers of whole segments. */
async function sequencesOn(service: TestService, playlistUrl: string): Promise<number[]> {
  const { files } = await shownOn(service, playlistUrl);
  return files.map((file) => Number(/^(?:\d+-)?(\d+)/.exec(file)?.[1]));
}

test('of two encoders with one key on two nodes one is refused', async () => {
  const [{ service: a }, { service: b }] = await stage.start(2);
  const channel = await newLiveChannel(a);
  const push = await startClipPush(channel.publishUrl, testClip());
  await until(() => isLive(b, channel.id), { withinMs: 5_000, otherwise: 'it is not live' });
  const second = startClipPush(rtmpOn(b, channel.publishUrl), testClip());
  expect(await second.catch((error) => error.message)).toBe(taken);
  await push.end();
});

test('an encoder that was cut goes on on another node with the same show', async () => {
  const [{ service: a }, { service: b }] = await stage.start(2);
  const channel = await newLiveChannel(a);
  const first = await startClipPush(channel.publishUrl, testClip());
  const shown = async (service: TestService) => {
    const numbers = await sequencesOn(service, channel.playlistUrl);
    return numbers.length > 0 ? numbers : undefined;
  };
  await until(async () => !!(await shown(a)), { withinMs: 10_000, otherwise: 'nothing is shown' });
  const before = (await shown(a)) ?? [];
  first.publisher.cut();
  const { push } = await untilLetIn(
    () => startClipPush(rtmpOn(b, channel.publishUrl), testClip()),
    { withinMs: 10_000 },
  );
  const goesOn = async () => ((await shown(b))?.at(-1) ?? 0) > (before.at(-1) ?? 0);
  await until(goesOn, { withinMs: 10_000, otherwise: 'nothing goes on' });
  const last = before.at(-1) ?? 0;
  expect((await shown(b))?.at(-1)).toBeGreaterThan(last);
  expect(await isLive(a, channel.id)).toBe(true);
  const shows = await a.store.all('SELECT end_at FROM shows WHERE channel_id = $1', [channel.id]);
  expect(shows).toEqual([{ end_at: null }]);
  const events = await a.store.all<{ type: string }>(
    "SELECT type FROM events WHERE type LIKE 'channel.%' ORDER BY seq",
  );
  expect(events.map(({ type }) => type)).toEqual(['channel.created', 'channel.live']);
  await push.end();
  await until(async () => !(await isLive(a, channel.id)), {
    withinMs: 5_000,
    otherwise: 'it does not end',
  });
  const ended = await a.store.all<{ end_at: number | null }>('SELECT end_at FROM shows');
  expect(ended).toHaveLength(1);
  expect(ended[0]?.end_at).not.toBeNull();
});

test('a stream is shown on every node, file by file the same', async () => {
  const [{ service: a }, { service: b }] = await stage.start(2);
  const channel = await newLiveChannel(a);
  const push = await startClipPush(channel.publishUrl, testClip());
  await until(() => isLive(b, channel.id), { withinMs: 5_000, otherwise: 'it is not live' });
  // The first who asks waits for the stream, and is never told that there is none.
  expect((await shownOn(b, channel.playlistUrl)).status).toBe(200);
  const both = async () => {
    const shown = await shownOn(b, channel.playlistUrl);
    const own = await shownOn(a, channel.playlistUrl);
    const files = shown.files.filter((file) => own.files.includes(file));
    return { shown, own, files };
  };
  await until(async () => (await both()).files.length >= 3, {
    withinMs: 20_000,
    otherwise: 'it does not grow',
  });
  const { shown, own, files } = await both();
  for (const file of files) expect(await shown.bytesOf(file)).toBe(await own.bytesOf(file));
  expect(await shown.bytesOf(files[0] ?? '')).not.toBe('');
  const init = /EXT-X-MAP:URI="([^"]+)"/.exec(shown.text)?.[1] ?? '';
  expect(own.text).toContain(init);
  expect(await shown.bytesOf(init)).toBe(await own.bytesOf(init));
  await push.end();
  await until(async () => (await shownOn(b, channel.playlistUrl)).text.includes('#EXT-X-ENDLIST'), {
    withinMs: 5_000,
    otherwise: 'its end is not shown',
  });
});

test('whoever watches on either node goes on when the encoder moves', async () => {
  const [{ service: a }, { service: b }] = await stage.start(2);
  const channel = await newLiveChannel(a);
  const first = await startClipPush(channel.publishUrl, testClip());
  for (const node of [a, b])
    await until(async () => (await shownOn(node, channel.playlistUrl)).files.length > 0, {
      withinMs: 20_000,
      otherwise: 'nothing is shown',
    });
  first.publisher.cut();
  const { push } = await untilLetIn(
    () => startClipPush(rtmpOn(b, channel.publishUrl), testClip()),
    { withinMs: 10_000 },
  );
  for (const node of [a, b]) {
    await until(async () => /^2-\d+\.m4s$/m.test((await shownOn(node, channel.playlistUrl)).text), {
      withinMs: 20_000,
      otherwise: 'nothing goes on',
    });
    const { text } = await shownOn(node, channel.playlistUrl);
    expect(text).toContain('#EXT-X-DISCONTINUITY\n');
    expect(text).not.toContain('#EXT-X-ENDLIST');
    // What was shown before is still there, and the numbers go on from it.
    expect(text).toMatch(/^\d+(\.0-\d+)?\.m4s$/m);
  }
  const [own, followed] = [
    await shownOn(b, channel.playlistUrl),
    await shownOn(a, channel.playlistUrl),
  ];
  const [file = ''] = own.files.filter(
    (one) => one.startsWith('2-') && followed.files.includes(one),
  );
  expect(await own.bytesOf(file)).toBe(await followed.bytesOf(file));
  expect(await own.bytesOf(file)).not.toBe('');
  await push.end();
});

test('an address that shows nothing is answered 404 on every node', async () => {
  const [{ service: a }, { service: b }] = await stage.start(2);
  const channel = await newLiveChannel(a);
  for (const node of [a, b]) expect((await shownOn(node, channel.playlistUrl)).status).toBe(404);
  const nobody = channel.playlistUrl.replace(/hls\/[^/]+/, 'hls/nobody');
  for (const node of [a, b]) expect((await shownOn(node, nobody)).status).toBe(404);
});

test('where the row names a node that has nothing of it, nobody is told that nothing is on', async () => {
  const [{ service: a, node }, { service: b }] = await stage.start(2);
  const { id, playlistUrl, publishUrl } = await newLiveChannel(a);
  // As a node leaves it that was killed, and is back before its encoder.
  const claim = { channel_id: id, node, key_hash: 'of the killed', push: 'killed', reconnectMs: 0 };
  await a.store.perform(claimPush, {
    ...{ ...claim, heldEpoch: undefined, silentSince: undefined, now: a.clock.now },
  });
  const ask = () => fetch(`${a.url}${new URL(playlistUrl).pathname}?low_latency`);
  const awaited = await ask();
  expect([awaited.status, awaited.headers.get('retry-after')]).toEqual([503, '1']);
  const push = await startClipPush(rtmpOn(b, publishUrl), testClip());
  const told = new Set<number>();
  const isShown = async () => {
    const { status } = await ask();
    told.add(status);
    return status === 200;
  };
  await until(isShown, { withinMs: 20_000, otherwise: 'it is not shown' });
  expect([...told].filter((status) => status !== 503)).toEqual([200]);
  await push.end();
});

test('a viewer earns on every node what they watch, and tabs on two of them count once', async () => {
  const [{ service: a }, { service: b }] = await stage.start(2);
  const channel = await newLiveChannel(a);
  const push = await startClipPush(channel.publishUrl, testClip());
  await until(() => isLive(b, channel.id), { withinMs: 5_000, otherwise: 'it is not live' });
  const sign = await ticketsOf(a);
  const stages = [a, b].map(
    (service) => new Stage(service, { channel_id: channel.id, push, sign }),
  );
  const [here, there] = stages as [Stage, Stage];
  // Time passes where the test says so, for both.
  (a.clock as MovingClock).rate = 0;
  const tabs = [await here.enter('both'), await there.enter('both'), await there.enter('there')];
  for (const { welcome } of tabs) expect(welcome.live).toBe(true);
  for (const { report } of tabs) await report(0);
  here.pass(8_000);
  for (const { report } of tabs) await report(8_000);
  for (const stage of stages) {
    await stage.visited('both', { watch_time: '00:00:08' });
    await stage.visited('there', { watch_time: '00:00:08' });
  }
  await push.end();
  await Promise.all(tabs.map(({ page }) => page.next('live', ({ live }) => !live)));
});
