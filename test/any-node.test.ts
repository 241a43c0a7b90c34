// A host asks any node, whichever has the push and wherever viewers are: three whole services on one PostgreSQL.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { startLive } from '../src/stream/live/live-store.ts';
import { claimPush } from '../src/stream/live/push-lease-store.ts';
import { Show } from '../src/stream/live/show.ts';
import { showRow } from '../src/stream/live/show-store.ts';
import { publishTo } from '../src/stream/rtmp/rtmp-client.ts';
import { type ClipPush, startClipPush, testClip } from './support/clip-push.ts';
import { type LinkedServices, startLinkedServices } from './support/linked-services.ts';
import {
  isLive,
  type LiveChannel,
  newLiveChannel,
  until,
  untilLetIn,
} from './support/live-channel.ts';
import { TestPage, ticketsOf } from './support/page.ts';
import { expectError } from './support/scenarios.ts';
import type { Json, TestService } from './support/service.ts';

const soon = { withinMs: 20_000 };

let nodes: LinkedServices;
let sign: Awaited<ReturnType<typeof ticketsOf>>;
const pages = new Set<TestPage>();
const pushes = new Set<ClipPush>();

beforeAll(async () => {
  nodes = await startLinkedServices(3, { settings: { MIN_FREE_DISK: '10M' } });
  await nodes.linked();
  sign = await ticketsOf(at(0));
});
afterEach(async () => {
  for (const page of pages) await page.leave();
  pages.clear();
  for (const push of pushes) await push.end();
  pushes.clear();
});
afterAll(() => nodes.stop());

function at(number: number): TestService {
  const one = nodes.all[number];
  if (!one) throw new Error(`there is no node ${number}`);
  return one.service;
}

const ask = (node: number, path: string) =>
  at(node).call('GET', `/manage/v1/channels${path}`, { token: at(0).token });
const liveOn = async (node: number, id: number): Promise<Json> =>
  (await ask(node, `/${id}/live`)).body;

async function pushTo(node: number, { publishUrl }: LiveChannel): Promise<ClipPush> {
  const { pathname } = new URL(publishUrl);
  const url = `rtmp://127.0.0.1:${at(node).rtmpPort}${pathname}`;
  const { push } = await untilLetIn(() => startClipPush(url, testClip()), soon);
  pushes.add(push);
  return push;
}

async function onAir(node: number): Promise<LiveChannel> {
  const channel = await newLiveChannel(at(0));
  await pushTo(node, channel);
  const isOn = () => isLive(at(0), channel.id);
  await until(isOn, { ...soon, otherwise: 'it is not live' });
  return channel;
}

async function enter(node: number, channel_id: number, viewer_id: string): Promise<TestPage> {
  const page = new TestPage(at(node).url, { ticket: sign(channel_id, { viewer_id }) });
  pages.add(page);
  await page.welcome();
  return page;
}

test('a show that has moved away and ended is over at the node that had it first', async () => {
  const channel = await onAir(0);
  const [first] = pushes;
  first?.publisher.cut();
  const second = await pushTo(1, channel);
  const isMoved = async () =>
    (
      await at(0).store.one<{ node: string }>('SELECT node FROM pushes WHERE channel_id = $1', [
        channel.id,
      ])
    )?.node === 'node-2';
  await until(isMoved, { ...soon, otherwise: 'it did not move' });
  await until(async () => second.sentMs() > 3_000, { ...soon, otherwise: 'nothing is sent' });
  await second.end();
  for (const node of [0, 1, 2])
    await until(async () => !(await liveOn(node, channel.id)).on_air, {
      ...soon,
      otherwise: `node ${node + 1} has it on air for ever`,
    });
  // Whoever comes to that node now is not told that it is live.
  const page = new TestPage(at(0).url, { ticket: sign(channel.id, { viewer_id: 'late' }) });
  pages.add(page);
  expect((await page.welcome()).live).toBe(false);
});

test('what is pushed to one node every node tells: rates, tracks, advice, and a picture', async () => {
  const channel = await onAir(0);
  const hasRates = async () => {
    const { push } = await liveOn(0, channel.id);
    return push.video.kbps > 0 && push.audio.kbps > 0 && push.video.key_frame_seconds > 0;
  };
  await until(hasRates, { ...soon, otherwise: 'it has no rates' });
  const own = await liveOn(0, channel.id);
  for (const node of [1, 2]) {
    const live = await liveOn(node, channel.id);
    expect(live).toMatchObject({ on_air: true, show: own.show });
    const { since, encoder, audio, video } = own.push;
    expect(live.push).toMatchObject({ since, connected: true, encoder, cuts: 0 });
    expect(live.push.video).toEqual({
      ...video,
      fps: expect.any(Number),
      kbps: expect.any(Number),
    });
    expect(live.push.audio).toEqual({ ...audio, kbps: expect.any(Number) });
  }
  const pictureAt = async (node: number, id: number) => {
    const headers = { authorization: `Bearer ${at(0).token}` };
    const { url } = at(node);
    return await fetch(`${url}/manage/v1/channels/${id}/picture.jpg`, { headers });
  };
  const hasPicture = async (node: number) =>
    (await ask(node, '?state=on_air')).body.channels[0].has_picture;
  if (await hasPicture(0)) {
    for (const node of [1, 2]) {
      expect(await hasPicture(node)).toBe(true);
      const isMade = async () => (await pictureAt(node, channel.id)).status === 200;
      await until(isMade, { ...soon, otherwise: 'there is no picture' });
      const jpeg = await (await pictureAt(node, channel.id)).bytes();
      expect(jpeg.slice(0, 2).toHex()).toBe('ffd8');
    }
  } else expect((await pictureAt(1, channel.id)).status).toBe(503);
  const { id } = await newLiveChannel(at(0));
  expect((await pictureAt(1, id)).status).toBe(404);
});

test('a push that is cut is away at every node', async () => {
  const channel = await onAir(0);
  for (const push of pushes) push.publisher.cut();
  const isAway = async () => (await liveOn(1, channel.id)).push?.connected === false;
  await until(isAway, { ...soon, otherwise: 'it is not away' });
  const { push, advice } = await liveOn(2, channel.id);
  expect(push).toMatchObject({ connected: false, cuts: 1 });
  expect(advice).toContainEqual({ code: 'push_away', count: 1 });
});

test('who is here is listed at every node: each viewer once, those who came last first', async () => {
  const { id } = await newLiveChannel(at(0));
  const present = async (node: number, query = ''): Promise<Json> =>
    (await ask(node, `/${id}/present${query}`)).body;
  await enter(0, id, 'ada');
  await enter(1, id, 'bob');
  await enter(2, id, 'eve');
  const second = await enter(2, id, 'ada');
  for (const node of [0, 1, 2]) {
    const { viewers, meta } = await present(node);
    expect(meta).toEqual({ total: 3, page: 1, current: 1 });
    // Her second page has come behind all others.
    expect(viewers.map((one: Json) => [one.user_id, one.pages])).toEqual([
      ['ada', 2],
      ['eve', 1],
      ['bob', 1],
    ]);
    expect(viewers[0].since <= viewers[2].since).toBe(true);
    const pages = [];
    for (const p of [1, 2, 3, 4]) pages.push(await present(node, `?perPage=1&p=${p}`));
    expect(pages.map((page) => page.viewers.map((one: Json) => one.user_id))).toEqual([
      ['ada'],
      ['eve'],
      ['bob'],
      [],
    ]);
    const counted = async () => (await present(node, '?perPage=1')).meta.total === 3;
    await until(counted, { ...soon, otherwise: 'they are not counted' });
  }
  await second.leave();
  const isOne = async () =>
    (await present(1)).viewers.find((one: Json) => one.user_id === 'ada').pages === 1;
  await until(isOne, { ...soon, otherwise: 'her second page is still there' });
  const order = (await present(1)).viewers.map((one: Json) => one.user_id);
  expect(order).toEqual(['eve', 'bob', 'ada']);
});

test('the curve of a show is of all nodes, and goes on where the push goes', async () => {
  const channel = await onAir(0);
  const { id } = channel;
  const isPeak = (node: number, peak: number) => async () => (await liveOn(node, id)).peak === peak;
  const seen = async (peak: number) => {
    for (const node of [0, 1, 2])
      await until(isPeak(node, peak), { ...soon, otherwise: `no peak at node ${node + 1}` });
  };
  // Nobody watches where the push is, nor where is asked.
  const two = [await enter(1, id, 'ada'), await enter(1, id, 'bob')];
  await seen(2);
  const third = await enter(2, id, 'eve');
  await seen(3);
  for (const page of [...two, third]) await page.leave();
  for (const push of pushes) push.publisher.cut();
  await pushTo(2, channel);
  const isThere = async () => (await liveOn(0, id)).push?.connected === true;
  await until(isThere, { ...soon, otherwise: 'it has not moved' });
  await seen(3);
  const { curve } = await liveOn(1, id);
  expect(Math.max(...curve.viewers)).toBe(3);
  expect(curve.step_seconds).toBe(10);
});

test('a clip of a show that is on, and of the video it becomes, is asked for at any node', async () => {
  const channel = await onAir(0);
  const [push] = pushes;
  const cut = (node: number, body: object) =>
    at(node).call('POST', `/manage/v1/channels/${channel.id}/clips`, {
      body,
      token: at(0).token,
    });
  // Nothing is whole before the first segment.
  let made: Json;
  const isMade = async () => {
    made = await cut(1, { last_seconds: 5, name: 'the moment' });
    return made.status === 200;
  };
  await until(isMade, { ...soon, otherwise: 'there is no clip' });
  const [show] = (await ask(2, `/${channel.id}/shows`)).body.shows;
  const stretch = await cut(2, { show: show.id, from_ms: 100, to_ms: 1_000 });
  expect(stretch).toMatchObject({ status: 200, body: { from_ms: 0 } });
  const behind = await cut(2, { show: show.id, from_ms: 3_000_000, to_ms: 3_001_000 });
  expect(behind.body.errors.code).toBe(409022);
  const videoAt = async (node: number, id: number) =>
    (await at(node).call('GET', `/v1/videos/${id}`, { token: at(0).token })).body;
  expect(await videoAt(2, made.body.id)).toMatchObject({ name: 'the moment', width: 640 });
  // Each was asked for once, though two nodes had to do with it.
  const logged = await at(0).store.all(
    "SELECT COUNT(*) AS n FROM audit_log WHERE operation = 'makeClip' AND of_channel = $1",
    [channel.id],
  );
  expect(logged).toEqual([{ n: 2 }]);
  await push?.end();
  const videos = async () =>
    (await at(1).call('GET', `/v1/videos?act_id=${channel.id}`, { token: at(0).token })).body;
  await until(async () => (await videos()).meta.total === 3, {
    ...soon,
    otherwise: 'the show is no video',
  });
  const [whole] = (await videos()).videos;
  const again = await cut(1, { video_id: whole.id, from_ms: 0, to_ms: 1_000 });
  expect(again).toMatchObject({ status: 200, body: { from_ms: 0 } });
  const over = await cut(2, { show: show.id, from_ms: 0, to_ms: 1_000 });
  expect(over.status).toBe(200);
});

test('a channel that is published to is not deleted by another node, nor one whose push may come back', async () => {
  const channel = await newLiveChannel(at(0));
  const removeOn = (node: number, { id }: LiveChannel) =>
    at(node).call('DELETE', `/v1/activities/${id}`, { token: at(0).token });
  // Nothing can be played yet: only its node and its row know of the push.
  const publisher = await publishTo(channel.publishUrl);
  const early = await removeOn(1, channel);
  expectError(early, { status: 409, code: 409001 });
  await publisher.end();
  await until(async () => (await removeOn(1, channel)).status === 200, {
    ...soon,
    otherwise: 'it cannot be deleted',
  });
  const other = await onAir(0);
  for (const push of pushes) push.publisher.cut();
  const isAwaited = async () =>
    /may come back for \d+ seconds/.test((await removeOn(1, other)).text);
  await until(isAwaited, { ...soon, otherwise: 'nobody says for how long' });
});

test('a holder that cannot be asked: the channel is on air, and no more is known', async () => {
  const { store, clock } = at(0);
  const channel = await newLiveChannel(at(0));
  const { id } = channel;
  const now = clock.now;
  const show = showRow(new Show(now), { channel_id: id, end_at: null });
  const claim = {
    channel_id: id,
    node: 'gone',
    key_hash: 'key',
    push: 'push',
    reconnectMs: 10_000,
  };
  await store.perform(claimPush, {
    ...claim,
    ...{ heldEpoch: undefined, silentSince: undefined, now },
  });
  await store.perform(startLive, { show, node: 'gone', startedAt: now, now });
  expect(await liveOn(1, id)).toMatchObject({ on_air: true, viewers: 0, push: null, advice: [] });
  expect((await ask(1, `/${id}/picture.jpg`)).body.errors.code).toBe(404006);
  const body = { last_seconds: 5 };
  const cut = at(1).call('POST', `/manage/v1/channels/${id}/clips`, { body, token: at(0).token });
  expectError(await cut, { status: 503, code: 503001 });
});

test('a mute and another key hold at every node, whichever was told', async () => {
  const channel = await onAir(0);
  const { id } = channel;
  const page = await enter(1, id, 'ada');
  const manage = (node: number, path: string, body: object) =>
    at(node).call('POST', `/manage/v1/channels/${id}${path}`, { body, token: at(0).token });
  await manage(2, '/chat/mute', { viewer_id: 'ada' });
  page.say({ type: 'chat', text: 'hello' });
  expect((await page.next('notice')).notice).toBe('muted');
  for (const node of [0, 1, 2])
    expect((await ask(node, `/${id}/present`)).body.viewers).toMatchObject([
      { user_id: 'ada', muted: true },
    ]);
  const [push] = pushes;
  await manage(2, '/rotate-key', {});
  expect(await push?.over).toContain('key');
  const isOver = async () => (await liveOn(1, id)).push === null;
  await until(isOver, { ...soon, otherwise: 'it is still there' });
});
