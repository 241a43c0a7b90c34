// A channel that is deleted and brought back, in the whole service: every address and operation before, between and after.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { addMessage, silence } from '../src/audience/chat/chat-store.ts';
import { newBrowserId, signBrowserId } from '../src/audience/viewers/viewer-cookie.ts';
import { startLog } from '../src/base/lib/log.ts';
import { nextTurn } from '../src/base/turns/turn-slice.ts';
import { removeGone } from '../src/library/deletion/channel-removal.ts';
import { removeVideos } from '../src/stream/recording/video-retention.ts';
import { playFrom, publishTo } from '../src/stream/rtmp/rtmp-client.ts';
import { startBucketStore } from './support/bucket-store.ts';
import { startClipPush, testClip } from './support/clip-push.ts';
import { type Engine, engines, temporaryFolder } from './support/engines.ts';
import {
  isLive,
  type LiveChannel,
  newLiveChannel,
  until,
  videosOf,
} from './support/live-channel.ts';
import { TestPage, ticketsOf } from './support/page.ts';
import { fileOf, png } from './support/pictures.ts';
import { startPlaylistPlayer } from './support/playlist-player.ts';
import {
  addVideos,
  addVisits,
  expectError,
  onDatabaseOf,
  startBeside,
} from './support/scenarios.ts';
import { movingClock, startTestService, type TestService } from './support/service.ts';
import { footlight } from './support/service-process.ts';

const settings = { MIN_FREE_DISK: '10M', RECORDS_CALLS_PER_DAY: '0', PUSHES_PER_MINUTE: '1000' };
const soon = { withinMs: 10_000 };
const clip = testClip();
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const log = startLog('silent');

const captions = fileOf(Buffer.from('WEBVTT\n\n00:01.000 --> 00:02.000\nhi'), 'text/vtt');

/** What is deleted: a channel with a push behind it, and the video of that. */
interface Held extends LiveChannel {
  video: number;
}

/** Every operation on one channel or one video, each as its caller asks; `true` where it changes nothing. */
const operations: Record<string, { isRead: boolean; send?: object }> = {
  getChannel: { isRead: true },
  getWatchRecords: { isRead: true, send: { filter_watch_time: 0 } },
  getVisitors: { isRead: true, send: {} },
  getReport: { isRead: true },
  listShows: { isRead: true },
  getShowAudience: { isRead: true },
  getChannelLive: { isRead: true },
  listPresent: { isRead: true },
  getPicture: { isRead: false },
  exportShowMinutes: { isRead: true },
  exportShowPeople: { isRead: true },
  exportShowPeopleNdjson: { isRead: true },
  listSessions: { isRead: true },
  listVisitors: { isRead: true },
  getViewer: { isRead: true },
  getManagedVideo: { isRead: true },
  getVideoAccess: { isRead: true },
  setVideoAccess: { isRead: false, send: { kind: 'signed' } },
  revokeVideoPasses: { isRead: false, send: {} },
  makeVideoCodes: { isRead: false, send: {} },
  listVideoCodes: { isRead: true },
  listVideoRegistrations: { isRead: true },
  exportVideoRegistrationsCsv: { isRead: true },
  exportVideoRegistrationsNdjson: { isRead: true },
  makeVideoPlayLink: { isRead: false, send: {} },
  listCaptions: { isRead: true },
  getCaptions: { isRead: true },
  setCaptions: { isRead: false, send: captions },
  removeCaptions: { isRead: false },
  renameVideo: { isRead: false, send: { name: 'another' } },
  retryVideo: { isRead: false, send: {} },
  deleteVideo: { isRead: false },
  makeClip: { isRead: false, send: { last_seconds: 5 } },
  getVideo: { isRead: true },
  exportSessionsCsv: { isRead: true },
  exportSessionsNdjson: { isRead: true },
  exportVisitorsCsv: { isRead: true },
  exportVisitorsNdjson: { isRead: true },
  getChat: { isRead: true },
  listSilences: { isRead: true },
  renameChannel: { isRead: false, send: { name: 'another' } },
  changeChannelPage: { isRead: false, send: { footer: 'another' } },
  rotatePublishKey: { isRead: false, send: {} },
  getChannelAccess: { isRead: true },
  setChannelAccess: { isRead: false, send: { kind: 'signed' } },
  revokeChannelPasses: { isRead: false, send: {} },
  makeChannelCodes: { isRead: false, send: {} },
  listChannelCodes: { isRead: true },
  listChannelRegistrations: { isRead: true },
  exportChannelRegistrationsCsv: { isRead: true },
  exportChannelRegistrationsNdjson: { isRead: true },
  makeChannelPlayLink: { isRead: false, send: {} },
  deleteChannel: { isRead: false },
  removeChatMessages: { isRead: false, send: { ids: [1] } },
  sayInChat: { isRead: false, send: { text: 'hello' } },
  pinChatMessage: { isRead: false, send: { id: 1 } },
  unpinChatMessage: { isRead: false, send: {} },
  previewPage: { isRead: false, send: {} },
  uploadImage: { isRead: false, send: fileOf(png({ width: 2, height: 1 })) },
  openChat: { isRead: false, send: {} },
  closeChat: { isRead: false, send: {} },
  slowChat: { isRead: false, send: { seconds: 30 } },
  muteViewer: { isRead: false, send: { viewer_id: 'ada' } },
  banViewer: { isRead: false, send: { viewer_id: 'ada' } },
  liftSilence: { isRead: false, send: { viewer_id: 'muted', kind: 'mute' } },
};

/** Those that are for what was deleted. */
const forDeleted = ['restoreChannel', 'restoreVideo'];

const lists = ['/v1/activities', '/v1/videos', '/v1/videos?title=show', '/v1/videos?manager=0'];

const pages = ({ id, video }: Held) => [
  `/watch/${id}`,
  `/m/${id}`,
  `/embed/${id}`,
  `/videos/${video}`,
  `/embed/videos/${video}`,
];

const files = ({ video }: Held) =>
  ['index.m3u8', 'source.mp4', 'video.mp4', 'cover.jpg', 'captions/en.vtt'].map(
    (file) => `/recordings/${video}/${file}`,
  );

for (const engine of engines) {
  describe(engine.name, () => {
    let service: TestService;
    let held: Held;
    beforeAll(async () => {
      service = await startTestService(engine, { settings, clock: machineClock() });
      held = await heldChannel(service);
    });
    afterAll(() => service.stop());

    test('every operation on a channel or a video is tried here', () => {
      const named = service.routes.filter(
        ({ params }) => 'channel_id' in params || 'video_id' in params,
      );
      const tried = [...Object.keys(operations), ...forDeleted];
      expect(named.map(({ operationId }) => operationId).sort()).toEqual(tried.sort());
    });

    test('all that is shown of it is 404 while it is deleted, and afterwards what it was, byte by byte', async () => {
      // Times that are told from now on are the same.
      (service.clock as { rate?: number }).rate = 0;
      const before = await shown(service, held);
      expect(statuses(before)).toEqual(new Set([200]));
      expect(await pagesOf(service, held)).toEqual(pages(held).map((path) => [path, 200]));
      const window = await fetch(held.playlistUrl);
      expect(window.status).toBe(200);
      await window.bytes();

      const reply = await service.call('DELETE', `/v1/activities/${held.id}`);
      expect(reply.status).toBe(200);
      expect(reply.text).toBe(`{"id":${held.id},"result":"success"}`);
      for (const [operationId, { send }] of Object.entries(operations)) {
        const code = /Video|Captions/.test(operationId) ? 404003 : 404002;
        expectError(await ask(service, held, operationId, send), { status: 404, code });
      }
      for (const path of [...pages(held), ...files(held)])
        expect([path, (await fetch(service.url + path)).status]).toEqual([path, 404]);
      expect((await fetch(held.playlistUrl)).status).toBe(404);
      for (const path of lists) {
        const { body } = await service.call('GET', path);
        const rows: { id: number; act_id?: number }[] = body.activities ?? body.videos;
        expect(rows.filter((row) => (row.act_id ?? row.id) === held.id)).toEqual([]);
        expect(body.meta.total).toBe(rows.length);
      }
      const ofChannel = await service.call('GET', `/v1/videos?act_id=${held.id}`);
      expect(ofChannel.body).toMatchObject({ videos: [], meta: { total: 0 } });
      expect(await told(publishTo(held.publishUrl))).toContain('No channel has this publish key');
      expect(await told(playFrom(held.rtmpPlayUrl, { media: () => {} }))).toContain(
        'No live channel has this play address',
      );
      const { body } = await service.call('GET', '/manage/v1/deleted-channels');
      expect(body).toMatchObject({
        channels: [{ id: held.id, name: 'a show', goes_at: inDays(service.clock.now, 7) }],
        meta: { total: 1 },
      });
      expect(body.channels[0].videos).toBe(1);

      const back = await service.call('POST', `/manage/v1/channels/${held.id}/restore`, {
        body: {},
      });
      expect(back.text).toBe(before.get('getChannel')?.text ?? '');
      expect(await shown(service, held)).toEqual(before);
      expect(await pagesOf(service, held)).toEqual(pages(held).map((path) => [path, 200]));
      (service.clock as { rate?: number }).rate = 1;
      const push = await startClipPush(held.publishUrl, clip);
      await until(() => isLive(service, held.id), { ...soon, otherwise: 'it is not live again' });
      await push.end();
      await untilOff(service, held.id);
    });

    test('a body with a delete is not read, and nobody deletes without the scope', async () => {
      const { id } = await newLiveChannel(service);
      const path = `/v1/activities/${id}`;
      const token = await service.newToken({ scopes: ['channels:read', 'manage'] });
      expectError(await service.call('DELETE', path, { token }), { status: 403, code: 403001 });
      expectError(await service.call('DELETE', path, { token: null }), {
        status: 401,
        code: 401001,
      });
      expect((await service.call('DELETE', path, { body: '{"no":' })).body.result).toBe('success');
      expectError(await service.call('DELETE', path), { status: 404, code: 404002 });
      expectError(await service.call('DELETE', '/v1/activities/x'), { status: 404, code: 404002 });
      await service.call('POST', `/manage/v1/channels/${id}/restore`, { body: {} });
    });

    test('a viewer is exported and erased in a deleted channel, too', async () => {
      const { id } = await newLiveChannel(service);
      await addVisits(service, id, [{ viewer_id: 'eve', at: service.clock.now }]);
      await service.call('DELETE', `/v1/activities/${id}`);
      for (const body of [{ viewer_id: 'eve' }, { viewer_id: 'eve', channel_id: id }]) {
        const { text } = await service.call('POST', '/manage/v1/viewers/export', { body });
        expect(text).toContain(`"channel_id":${id},`);
      }
      const body = { viewer_id: 'eve' };
      const erased = await service.call('POST', '/manage/v1/viewers/erase', { body });
      expect(erased.body.channels).toEqual([
        { channel_id: id, records: 2, messages: 0, silences: 0, registrations: 0, lists: 0 },
      ]);
      await service.call('POST', `/manage/v1/channels/${id}/restore`, { body: {} });
      const { text } = await service.call('POST', `/v1/activities/${id}/visitors`, { body: {} });
      expect(text).toBe('[]');
    });

    test('open pages are told that their channel is no more, and come back when it is', async () => {
      const { id } = await newLiveChannel(service);
      const ticket = (await ticketsOf(service))(id);
      const page = new TestPage(service.url, { ticket });
      const { resume } = await page.welcome();
      const exchange = await ticketExchange(service, id, ticket);
      expect(await exchange()).toBe(200);
      await service.call('DELETE', `/v1/activities/${id}`);
      expect((await page.next('refused')).reason).toBe('gone');
      expect(await page.closed).toBe(4001);
      // Also one that says that it was here a moment ago.
      const again = new TestPage(service.url, { ticket, instance: page.instance, resume });
      expect((await again.next('refused')).reason).toBe('gone');
      expect(again.all('welcome')).toEqual([]);
      expect(await exchange()).toBe(404);
      await service.call('POST', `/manage/v1/channels/${id}/restore`, { body: {} });
      const back = new TestPage(service.url, { ticket });
      expect((await back.welcome()).playbill.name).toBe('a show');
      await back.leave();
    });

    test('pages follow the command line, which says what is wrong', async () => {
      const { id } = await newLiveChannel(service);
      const page = new TestPage(service.url, { ticket: (await ticketsOf(service))(id) });
      await page.welcome();
      expect(await command(service, 'delete', id)).toEqual([`{"id":${id},"result":"success"}`, 0]);
      expect((await page.next('refused')).reason).toBe('gone');
      expect(await command(service, 'delete', id)).toEqual([`footlight: No channel ${id}`, 3]);
      expect((await service.call('GET', `/v1/activities/${id}`)).status).toBe(404);
      const [listed] = await command(service, 'deleted');
      expect(listed).toContain(`{"id":${id},"name":"a show","deleted_at":"`);
      expect(await command(service, 'restore', id)).toEqual([`{"id":${id},"name":"a show"}`, 0]);
      expect((await service.call('GET', `/v1/activities/${id}`)).status).toBe(200);
    });

    test('on air it is 409: before its first picture, while it is live, and while it may come back', async () => {
      // The command compares it with when the row was last seen live.
      service.clock.now = Date.now();
      const channel = await newLiveChannel(service);
      const refused = async (
        why: string | RegExp = 'The channel is on air: end the push first',
      ) => {
        const reply = await service.call('DELETE', `/v1/activities/${channel.id}`);
        expectError(reply, { status: 409, code: 409001 });
        expect(reply.body.errors.message).toMatch(why);
      };
      const silent = await publishTo(channel.publishUrl);
      await refused();
      await silent.end();
      const push = await startClipPush(channel.publishUrl, clip);
      await until(() => isLive(service, channel.id), { ...soon, otherwise: 'it is not live' });
      await refused();
      push.publisher.cut();
      await push.over;
      await refused(/^The push was cut and may come back for \d+ seconds: /);
      const [sentence, code] = await command(service, 'delete', channel.id);
      expect(sentence).toStartWith('footlight: The channel is on air: end the push first');
      expect(code).toBe(4);
      const back = await startClipPush(channel.publishUrl, clip);
      await back.end();
      await untilOff(service, channel.id);
      expect((await service.call('DELETE', `/v1/activities/${channel.id}`)).status).toBe(200);
    });

    test('a push that was refused or cut before anything of it was shown keeps nobody from deleting', async () => {
      const channel = await newLiveChannel(service);
      const silent = await publishTo(channel.publishUrl);
      silent.cut();
      const remove = () => service.call('DELETE', `/v1/activities/${channel.id}`);
      // As soon as the service has seen the end of the connection.
      const isGone = async () => (await remove()).status === 200;
      await until(isGone, { withinMs: 5_000, otherwise: 'it is still said to be on air' });
      expectError(await remove(), { status: 404, code: 404002 });
    });

    test('a push that begins as its channel is deleted is never live unseen', async () => {
      for (let at = 0; at < 12; at++) {
        const channel = await newLiveChannel(service);
        const pushing = startClipPush(channel.publishUrl, clip).then(
          (push) => push,
          (error: Error) => error.message,
        );
        // The moment is the point here: no event is waited for.
        for (let turn = 0; turn < at; turn++) await nextTurn();
        const reply = await service.call('DELETE', `/v1/activities/${channel.id}`);
        const push = await pushing;
        if (reply.status === 200) {
          if (typeof push !== 'string') expect(await push.over).toBeString();
          const isForgotten = async () => (await fetch(channel.playlistUrl)).status === 404;
          await until(isForgotten, { ...soon, otherwise: 'its window is still shown' });
          await service.call('POST', `/manage/v1/channels/${channel.id}/restore`, { body: {} });
          expect(await isLive(service, channel.id)).toBe(false);
        } else {
          expectError(reply, { status: 409, code: 409001 });
          if (typeof push === 'string') throw new Error(`the push was told: ${push}`);
          await until(() => isLive(service, channel.id), { ...soon, otherwise: 'it is not live' });
          await push.end();
          await untilOff(service, channel.id);
        }
      }
    });

    test('totals are exact however many delete, restore and create at once', async () => {
      const account_id = await service.newAccount();
      const token = await service.newToken({
        account_id,
        scopes: ['channels:write', 'manage', 'channels:read', 'videos:read'],
      });
      const create = async () =>
        (await service.call('POST', '/v1/activities', { token, body: { name: 'x' } })).body.id;
      const ids: number[] = await Promise.all(Array.from({ length: 6 }, create));
      await addVideos(
        service,
        ids.map((channel_id) => ({ name: 'v', channel_id, account_id })),
      );
      const change = (id: number, at: number) =>
        at % 2 === 0
          ? service.call('DELETE', `/v1/activities/${id}`, { token })
          : service.call('POST', `/manage/v1/channels/${id}/restore`, { token, body: {} });
      for (let round = 0; round < 5; round++)
        await Promise.all([
          ...ids.flatMap((id, at) => [change(id, at + round), change(id, at), change(id, at + 1)]),
          create(),
        ]);
      const deleted = await service.store.all<{ id: number }>(
        'SELECT id FROM channels WHERE account_id = $1 AND deleted_at IS NOT NULL',
        [account_id],
      );
      const listed = await service.call('GET', '/v1/activities', { token });
      expect(listed.body.activities).toHaveLength(11 - deleted.length);
      expect(listed.body.meta.total).toBe(11 - deleted.length);
      const videos = await service.call('GET', '/v1/videos', { token });
      expect(videos.body.videos).toHaveLength(6 - deleted.length);
      expect(videos.body.meta.total).toBe(6 - deleted.length);
    });

    test('when its time is over its files go, then its rows; what a job makes is waited for', async () => {
      const [video] = await service.store.all<{
        id: number;
        recording: string;
        recording_node: string;
      }>('SELECT id, recording, recording_node FROM videos WHERE id = $1', [held.video]);
      const folder = join(service.settings['DATA_DIR'] ?? '', 'recordings', video?.recording ?? '');
      expect(readdirSync(folder)).toContain('source.mp4');
      await service.call('DELETE', `/v1/activities/${held.id}`);
      const end = service.clock.now + 7 * dayMs + 1_000;
      const sweep = async (at: number) => {
        const given = { store: service.store, log, now: () => at };
        await removeGone({ ...given, keptMs: 7 * dayMs });
        const disk = {
          dataDir: service.settings['DATA_DIR'] ?? '',
          node: video?.recording_node ?? '',
        };
        await removeVideos({ ...given, ...disk, retentionDays: 0 });
      };
      await sweep(end - 2_000);
      expect(existsSync(folder)).toBe(true);
      await onDatabaseOf(service, async (sql) => {
        await sql.run(
          `UPDATE jobs SET state = 'running', leased_by = 'somebody', lease_until = $2
           WHERE video_id = $1 AND kind = 'mp4'`,
          [held.video, end + 60_000],
        );
      });
      await sweep(end);
      expect(existsSync(folder)).toBe(true);
      const jobs = await service.store.all('SELECT kind FROM jobs WHERE video_id = $1', [
        held.video,
      ]);
      expect(jobs).toEqual([{ kind: 'mp4' }]);
      await sweep(end + 61_000);
      expect(existsSync(folder)).toBe(false);
      await sweep(end + hourMs);
      for (const [table, column] of [
        ['channels', 'id'],
        ['videos', 'channel_id'],
        ['sessions', 'channel_id'],
        ['chat_messages', 'channel_id'],
      ])
        expect([
          table,
          await service.store.all(`SELECT 1 AS one FROM ${table} WHERE ${column} = $1`, [held.id]),
        ]).toEqual([table, []]);
      const restored = await service.call('POST', `/manage/v1/channels/${held.id}/restore`, {
        body: {},
      });
      expectError(restored, { status: 404, code: 404002 });
    });
  });
}

test('what another service on the database deletes is cut and shown no more here', async () => {
  const postgres = engines.find(({ name }) => name === 'postgres') as Engine;
  const bucketStore = await startBucketStore();
  const here = await startTestService(postgres, {
    settings: { ...settings, ...bucketStore.environment },
    clock: machineClock(),
  });
  const there = await startBeside(postgres, here, { settings: { DATA_DIR: temporaryFolder() } });
  try {
    const channel = await newLiveChannel(here);
    const page = new TestPage(here.url, { ticket: (await ticketsOf(here))(channel.id) });
    await page.welcome();
    const push = await startClipPush(channel.publishUrl, clip);
    await until(() => isLive(here, channel.id), { ...soon, otherwise: 'it is not live' });
    const remove = (id: number) =>
      there.call('DELETE', `/v1/activities/${id}`, { token: here.token });
    // It has no push, and yet knows.
    expectError(await remove(channel.id), { status: 409, code: 409001 });
    await push.end();
    await untilOff(here, channel.id);
    expect((await fetch(channel.playlistUrl)).status).toBe(200);
    expect((await remove(channel.id)).status).toBe(200);
    expect((await page.next('refused')).reason).toBe('gone');
    const isForgotten = async () => (await fetch(channel.playlistUrl)).status === 404;
    await until(isForgotten, { ...soon, otherwise: 'its window is still shown' });

    // A push that has sent nothing yet is known to its own service alone.
    const second = await newLiveChannel(here);
    const silent = await publishTo(second.publishUrl);
    expect((await remove(second.id)).status).toBe(200);
    expect(await silent.closed).toContain('This channel was deleted');
  } finally {
    await there.stop();
    await here.stop();
    await bucketStore.stop();
  }
});

/** The command line goes by the machine's own clock. */
function machineClock() {
  const clock = movingClock();
  clock.now = Date.now();
  return clock;
}

/** As the interface writes it. */
function inDays(at: number, days: number): string {
  return new Date(at + days * dayMs).toISOString().slice(0, 19).replace('T', ' ');
}

/** A channel with viewers, chat and a push that has become a video with all its files. */
async function heldChannel(service: TestService): Promise<Held> {
  const channel = await newLiveChannel(service);
  const push = await startClipPush(channel.publishUrl, clip);
  const player = startPlaylistPlayer(channel.playlistUrl);
  await player.seen(({ shownMs }) => shownMs > 1_500);
  await player.stop();
  await push.end();
  await until(async () => (await videosOf(service, channel.id)).length === 1, {
    ...soon,
    otherwise: 'there is no video',
  });
  const isMade = async () => {
    const left = await service.store.all(
      "SELECT id FROM jobs WHERE state IN ('waiting', 'running')",
    );
    return left.length === 0;
  };
  await until(isMade, { withinMs: 40_000, otherwise: 'its files were not made' });
  const { id: channel_id } = channel;
  const at = service.clock.now;
  await addVisits(service, channel_id, [
    { viewer_id: 'ada', at, watch_ms: 61_000 },
    { viewer_id: 'bob', at: at + 5, watch_ms: 2_000 },
  ]);
  await service.store.perform(addMessage, {
    channel_id,
    viewer_id: 'ada',
    nick: 'Ada',
    text: 'hi',
    at,
  });
  const muted = { account_id: 1, channel_id, viewer_id: 'muted', kind: 'mute' as const };
  await service.store.perform(silence, { ...muted, until: null, now: at });
  const [video] = await videosOf(service, channel_id);
  const path = `/manage/v1/videos/${video?.id}/captions/en`;
  await service.call('PUT', path, { body: captions });
  return { ...channel, video: video?.id ?? 0 };
}

async function ask(service: TestService, held: Held, operationId: string, send?: object) {
  const route = service.routes.find((one) => one.operationId === operationId);
  const path = (route?.path ?? '')
    .replace('{channel_id}', String(held.id))
    .replace('{video_id}', String(held.video))
    .replace('{language}', 'en')
    .replace('{show_id}', '1')
    .replace('{viewer_id}', 'ada');
  return await service.call(route?.method ?? '', path, send && { body: send });
}

/** Every answer that shows something of the channel, to the last byte. */
async function shown(service: TestService, held: Held) {
  const answers = new Map<string, { status: number; text: string }>();
  for (const [operationId, { isRead, send }] of Object.entries(operations)) {
    if (!isRead) continue;
    const { status, text } = await ask(service, held, operationId, send);
    answers.set(operationId, { status, text });
  }
  for (const path of [...lists, `/v1/videos?act_id=${held.id}`]) {
    const { status, text } = await service.call('GET', path);
    answers.set(path, { status, text });
  }
  for (const path of files(held)) {
    const response = await fetch(service.url + path);
    const text = Bun.hash(await response.bytes()).toString(36);
    answers.set(path, { status: response.status, text });
  }
  return answers;
}

function statuses(answers: Map<string, { status: number }>): Set<number> {
  return new Set(Array.from(answers.values(), ({ status }) => status));
}

/** Pages are never the same twice: each has its own nonce and ticket. */
async function pagesOf(service: TestService, held: Held): Promise<[string, number][]> {
  const found: [string, number][] = [];
  for (const path of pages(held)) found.push([path, (await fetch(service.url + path)).status]);
  return found;
}

/** Asks for the ticket of a frame whose cookie does not come back; the status. */
async function ticketExchange(service: TestService, id: number, ticket: string) {
  const row = await service.store.one<{ value: string }>(
    "SELECT value FROM secrets WHERE name = 'viewers'",
  );
  const viewer = signBrowserId(row?.value ?? '', newBrowserId());
  const headers = { 'x-footlight-ticket': ticket, 'x-footlight-viewer': viewer };
  return async () => (await fetch(`${service.url}/embed/${id}/ticket`, { headers })).status;
}

async function untilOff(service: TestService, id: number): Promise<void> {
  const isOff = async () => {
    const row = await service.store.one<{ live: number }>(
      'SELECT live FROM channels WHERE id = $1',
      [id],
    );
    return row?.live === 0;
  };
  await until(isOff, { ...soon, otherwise: 'it is live after its end' });
}

/** Why something was refused. */
async function told(asked: Promise<unknown>): Promise<string> {
  return await asked.then(
    () => 'it was let in',
    (error: Error) => error.message,
  );
}

/** The last line that a command prints, and its exit code. */
async function command(
  service: TestService,
  ...words: (string | number)[]
): Promise<[string, number]> {
  const child = Bun.spawn([...footlight, 'channel', ...words.map(String)], {
    env: { ...process.env, ...service.settings },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return [(out || err).trim().split('\n').at(-1) ?? '', await child.exited];
}
