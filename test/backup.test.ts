// A backup of a service that has one of everything, restored on either engine: rows, files, and what works with them.

import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { addMessage, silence } from '../src/audience/chat/chat-store.ts';
import { countShare } from '../src/audience/records/audience-store.ts';
import { readWatchLink, watchLinkQuery } from '../src/audience/viewers/watch-link.ts';
import { backedUp } from '../src/base/db/backup-tables.ts';
import { startLog } from '../src/base/lib/log.ts';
import { Zone } from '../src/base/lib/time.ts';
import { readNodeName } from '../src/base/nodes/node-name.ts';
import { allowNetwork } from '../src/base/peers/network-store.ts';
import { makeCodes } from '../src/library/admission/admission-store.ts';
import { register } from '../src/library/admission/registration-store.ts';
import { makeVideo } from '../src/stream/recording/make-video.ts';
import { recordingName } from '../src/stream/recording/recordings.ts';
import { type Engine, engines, temporaryFolder } from './support/engines.ts';
import { clipPackets } from './support/media.ts';
import { expectExactBlocks } from './support/past-sessions.ts';
import { callByCookie, signUp } from './support/people.ts';
import { fileOf, png } from './support/pictures.ts';
import { recordPush } from './support/recorded-push.ts';
import { addVideos, addVisits, onDatabaseOf } from './support/scenarios.ts';
import { startTestService, type TestService } from './support/service.ts';
import type { DatabaseSettings } from './support/snapshot.ts';
import { typed } from './support/typed-line.ts';
import { beginHeaders } from './support/uploads.ts';
import { allFiles, allRows } from './support/whole-place.ts';

for (const engine of engines) {
  describe(`a backup of ${engine.name}`, async () => {
    const world = await makeWorld(engine);
    const file = join(temporaryFolder(), 'backup.tar');
    const made = await typed(world.settings, ['backup', file]);
    const rows = await allRows(world.settings);
    const files = allFiles(world.settings);

    test('is for its owner alone, whole, and never over another unasked', async () => {
      expect(made).toMatchObject({ code: 0, err: '' });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readdirSync(join(file, '..'))).toEqual(['backup.tar']);
      const again = await typed(world.settings, ['backup', file]);
      expect(again).toMatchObject({ code: 4, err: expect.stringContaining('--force') });
      const database = join(world.settings.DATA_DIR, 'footlight.db');
      const over = await typed(world.settings, ['backup', database, '--force']);
      expect(over).toMatchObject({ code: 4, err: expect.stringContaining('the data folder') });
      const verified = await typed({}, ['backup', 'verify', file, '--json']);
      expect(verified.code).toBe(0);
      expect(verified.lines()[0].rows).toBe(Object.values(rows).flat().length);
    });

    test('is not done where whoever reads it goes before its end; of a list they have enough', async () => {
      const heard = ({ out, err }: { out: string; err: string }) => {
        if (out.length > 1_000 && err === '')
          throw Object.assign(new Error('gone'), { code: 'EPIPE' });
      };
      const cut = await typed(world.settings, ['backup', '-'], { heard });
      expect(cut).toMatchObject({
        code: 1,
        err: expect.stringContaining('before all was written'),
      });
      const listed = await typed(world.settings, ['audit', '--json'], { heard });
      expect(listed.out.length).toBeGreaterThan(1_000);
      expect(listed).toMatchObject({ code: 0, err: '' });
    });

    test('has a row of every table', () => {
      const empty = Object.keys(backedUp).filter((table) => rows[table]?.length === 0);
      expect(empty).toEqual([]);
      expect(Object.keys(files).length).toBeGreaterThan(5);
    });

    for (const target of engines)
      test(`is the same on ${target.name}, and works there`, async () => {
        const place = await target.fresh();
        const restored = await typed(place, ['restore', file, '--json']);
        expect(restored).toMatchObject({ code: 0, err: '' });
        const there = await allRows(place);
        // The last row of the log tells of this restore.
        const isOfRestore = (row: string) => row.includes('"restore","service"');
        expect(there['audit_log']?.filter(isOfRestore)).toHaveLength(1);
        const audit_log = there['audit_log']?.filter((row) => !isOfRestore(row)) ?? [];
        expect({ ...there, audit_log }).toEqual({ audit_log: [], ...rows });
        expect(allFiles(place)).toEqual(files);
        const again = await typed(place, ['restore', file]);
        expect(again).toMatchObject({ code: 4, err: expect.stringContaining('already') });
        await expectWorking(target, place, world);
      });

    test('what is no file is said in words', async () => {
      const folder = temporaryFolder();
      const place = { DATA_DIR: join(folder, 'data') };
      for (const [given, said] of [
        [join(folder, 'none.tar'), 'there is no such file'],
        [folder, 'this is a folder, and no backup'],
      ] as const) {
        expect(await typed(place, ['restore', given])).toMatchObject({
          code: 4,
          err: expect.stringContaining(`${given}: ${said}`),
        });
        expect(existsSync(place.DATA_DIR)).toBeFalse();
      }
    });

    test('without recordings and webhooks it has their rows, and says so', async () => {
      const to = join(temporaryFolder(), 'rows.tar');
      const words = ['backup', to, '--without-recordings', '--json'];
      expect((await typed(world.settings, words)).lines()[0]).toMatchObject({ files: 0 });
      const place = await (engines[0] as Engine).fresh();
      const { code, err } = await typed(place, ['restore', to, '--webhooks-off']);
      expect([code, err]).toEqual([0, expect.stringContaining('no recordings')]);
      expect(err).toContain('1 webhooks are switched off');
      const { lines } = await typed(place, ['webhook', 'list', '--json']);
      expect(lines()).toMatchObject([{ enabled: false, disabled_reason: 'restored' }]);
      expect((await allRows(place))['videos']).toEqual(rows['videos'] as string[]);
      await expectUnplayed(place, world);
    });
  });
}

interface World {
  settings: Record<string, string> & DatabaseSettings;
  token: string;
  cookie: string;
  /** The name of the service, under which its recordings lie. */
  node: string;
  channel: number;
  /** The highest that was given out; it is gone. */
  lastChannel: number;
  watchLink: URLSearchParams;
  /** Of the recording that is a video. */
  recording: string;
  image: string;
}

/** One of everything, then the service stops; a recording is left that it had no time to finish. */
async function makeWorld(engine: Engine): Promise<World> {
  const service = await startTestService(engine, { now: Date.now() });
  const { store, clock, token } = service;
  const settings = service.settings as World['settings'];
  const post = async (path: string, body: unknown, headers = {}) =>
    (await service.call('POST', path, { body, headers })).body;
  const name = 'Ünïcode 频道 "quoted" \\ back\nslash 🎬';
  const { id: channel } = await post('/v1/activities', { name }, { 'idempotency-key': 'once' });
  const at = clock.now - 3_600_000;
  await addVisits(service, channel, [
    { viewer_id: 'ada', at, watch_ms: 90_000, nick: '阿达 🎭' },
    { viewer_id: 'bob', at: at + 1_000, watch_ms: 0 },
  ]);
  const [film] = await addVideos(service, [{ name: 'An Imported Film', channel_id: channel }]);
  const captions = fileOf(Buffer.from('WEBVTT\n\n00:01.000 --> 00:02.000\n你好'), 'text/vtt');
  await service.call('PUT', `/manage/v1/videos/${film}/captions/zh`, { body: captions });
  const said = { channel_id: channel, viewer_id: 'ada', nick: '', text: "it's 50 % 好", at };
  await store.perform(addMessage, said);
  await store.perform(makeCodes, {
    ...{ kind: 'channel', id: channel, owner: { account_id: 1, manager_id: 0 } },
    ...{ channel_id: channel, thing: `c${channel}`, codes: [{ key: 'code 1', hint: '1' }] },
    ...{ note: 'a class', uses_max: 1, now: at },
  });
  await store.perform(register, {
    ...{ channel_id: channel, viewer_id: 'ada', thing: `c${channel}`, id: 'first', now: at },
    ...{ names: ['name', 'news'], answers: { name: "it's 50 % 好", news: true } },
  });
  const silenced = { account_id: 1, channel_id: channel, viewer_id: 'bob', until: null };
  await store.perform(silence, { ...silenced, kind: 'ban', now: at });
  await store.perform(countShare, { channel_id: channel, viewer_id: 'ada', at });
  await store.perform(allowNetwork, { network: '192.0.2.7', note: 'office', created_at: at });
  await service.newManager('anna');
  const { cookie } = await signUp(service, { user_name: 'owner' });
  const picture = fileOf(png({ width: 3, height: 2 }), 'image/png');
  const image = await post(`/manage/v1/channels/${channel}/images`, picture);
  const length = 1_000;
  const upload = beginHeaders({ channel_id: channel, name: 'a file' }, length);
  await service.call('POST', '/manage/v1/uploads', { headers: upload });
  await post(`/v1/activities/${channel}/userRecords`, {});
  // Of what does not happen here, so nothing is sent.
  await post('/manage/v1/webhooks', {
    url: 'https://hook.example.com/',
    events: ['video.deleted'],
  });
  await addRowsBySql(service, channel);
  const { recording, node } = await addRecordings(service);
  const secret = (await service.call('GET', '/manage/v1/viewer-secret')).body.secret;
  const link = { channel_id: channel, uid: 'user 7', nick: 'Grace', phone: '' };
  const expires = Math.floor(clock.now / 1_000) + 86_400;
  const watchLink = watchLinkQuery(secret, { ...link, expires });
  const { id: lastChannel } = await post('/v1/activities', { name: 'gone' });
  await onDatabaseOf(service, async (sql) => {
    await sql.run('DELETE FROM channels WHERE id = $1', [lastChannel]);
    await sql.run("UPDATE totals SET total = total - 1 WHERE kind = 'channels'");
  });
  await service.stop();
  // As if it had been killed while a push was recorded: the last line of the index is cut.
  const unfinished = join(settings.DATA_DIR, 'recordings', recordingName(clock.now));
  await recordPush(unfinished, clipPackets(4));
  const index = join(unfinished, 'source.index');
  truncateSync(index, statSync(index).size - 7);
  return {
    settings,
    token,
    cookie,
    node,
    channel,
    lastChannel,
    watchLink,
    recording,
    image: image.address,
  };
}

async function addRowsBySql(service: TestService, channel: number): Promise<void> {
  await onDatabaseOf(service, async (sql) => {
    await sql.run(
      `INSERT INTO shows (channel_id, begin_at, end_at, media_ms, anchors, first_entry_at, last_entry_at, changes)
       VALUES ($1, 5, 6, 0, '[]', 5, 5, 0)`,
      [channel],
    );
    await sql.run(
      `INSERT INTO segments (push, epoch, sequence, key, size, init_size, width, height, duration_ms, flags, starts_at)
       VALUES ('on-its-way', 1, 0, 'rec/on-its-way/1/0.m4s', 9, 1, 2, 2, 2000, 1, 5)`,
    );
    await sql.run(
      `INSERT INTO recorded_objects (recording, file, at, key, size, tag)
       VALUES ('in-s3', 'video.mp4', 0, 'rec/in-s3/ab/0-video.mp4', 9, '"9-a"')`,
    );
    await sql.run(
      `INSERT INTO recording_stints (recording, epoch, push, channel_id, account_id, node, pushed_ms, show_at, carried, is_last)
       VALUES ('on-its-way', 1, 'on-its-way', $1, 1, 'a', 0, 5, 0, 0)`,
      [channel],
    );
    await sql.run(
      `INSERT INTO show_figures (channel_id, show_at, changes, figures, frozen) VALUES ($1, 5, 0, '{}', 1)`,
      [channel],
    );
    await sql.run(
      `INSERT INTO webhook_deliveries (webhook_id, lane, of_channel, event_id, type, body, state, created_at)
       VALUES (1, '', 0, '', 'webhook.disabled', '', 'notice', 5)`,
    );
    await sql.run('INSERT INTO long_before (channel_id, show_at, entered_at) VALUES ($1, 5, 1)', [
      channel,
    ]);
  });
}

/** A push that has become a video, whose other files are still to be made. */
async function addRecordings({ settings, store, clock }: TestService) {
  const dataDir = settings['DATA_DIR'] ?? '';
  const recording = recordingName(clock.now - 1);
  await recordPush(join(dataDir, 'recordings', recording), clipPackets(4));
  const node = await readNodeName(dataDir);
  const making = { dataDir, node, store, zone: new Zone('UTC'), now: () => clock.now };
  const made = await makeVideo({ ...making, log: startLog('silent') }, recording);
  expect(made).toBeDefined();
  return { recording, node };
}

/** What somebody had from the old service is good at the new one. */
async function expectWorking(engine: Engine, place: DatabaseSettings, world: World): Promise<void> {
  expect(await readNodeName(place.DATA_DIR)).toBe(world.node);
  const service = await startTestService(engine, { settings: place, now: Date.now() });
  try {
    const ask = async (path: string) => {
      const { status, body } = await service.call('GET', path, { token: world.token });
      expect({ path, status }).toEqual({ path, status: 200 });
      return body;
    };
    expect((await ask('/v1/activities')).meta.total).toBe(1);
    await expectExactBlocks(service.store, world.channel);
    const { body } = await service.call('POST', '/v1/activities', { body: { name: 'next' } });
    expect(body.id).toBeGreaterThan(world.lastChannel);
    expect((await ask('/v1/videos?title=imported')).meta.total).toBe(1);
    const found = await ask(`/manage/v1/channels?q=${encodeURIComponent('频道 "quo')}`);
    expect(found.channels.map(({ id }: { id: number }) => id)).toEqual([world.channel]);
    const me = await callByCookie(service, 'GET', '/manage/v1/me', { cookie: world.cookie });
    expect(me.status).toBe(200);
    const { secret } = await ask('/manage/v1/viewer-secret');
    const viewer = readWatchLink(secret, world.watchLink, world.channel, Date.now());
    expect(viewer).toMatchObject({ viewer_id: 'user 7', nick: 'Grace' });
    expect((await fetch(service.url + world.image)).status).toBe(200);
    await expectPlayed(service, world);
    // The push that was never finished is a video now: with the imported one and the finished one, three.
    while ((await ask('/v1/videos')).meta.total < 3) await Bun.sleep(20);
    const { uploads } = await ask('/manage/v1/uploads');
    expect(uploads).toMatchObject([{ state: 'refused' }]);
  } finally {
    await service.stop();
  }
}

/** A video without its files is listed, and its media is not found. */
async function expectUnplayed(place: DatabaseSettings, { token }: World): Promise<void> {
  const service = await startTestService(engines[0] as Engine, { settings: place });
  const { body } = await service.call('GET', '/v1/videos', { token });
  const media = body.videos.map(({ m3u8 }: { m3u8: string }) => m3u8).filter(Boolean);
  expect(media.length).toBeGreaterThan(0);
  for (const url of media) expect((await fetch(url)).status).toBe(404);
  await service.stop();
}

async function expectPlayed(service: TestService, { recording }: World): Promise<void> {
  const rows = await service.store.all<{ m3u8: string }>(
    'SELECT m3u8 FROM videos WHERE recording = $1',
    [recording],
  );
  const playlist = new URL(rows[0]?.m3u8 ?? '', service.url);
  const text = await (await fetch(service.url + playlist.pathname)).text();
  expect(text).toContain('#EXT-X-ENDLIST');
  const [, uri = ''] = /URI="([^"]+)"/.exec(text) ?? [];
  const media = await fetch(new URL(uri, service.url + playlist.pathname));
  expect((await media.bytes()).length).toBeGreaterThan(10_000);
}
