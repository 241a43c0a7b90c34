// Events in the whole service: each type told by the real thing, followed as it happens, and by whom.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { countEnded } from '../src/audience/reports/ended-shows.ts';
import { ShowSheets } from '../src/audience/reports/show-sheets.ts';
import { startLog } from '../src/base/lib/log.ts';
import { monotonicMs } from '../src/base/lib/time.ts';
import { removeManager } from '../src/library/access/manager-store.ts';
import { type EventType, eventKinds, eventTypes } from '../src/library/events/event.ts';
import { removeOldEvents } from '../src/library/events/event-sweep.ts';
import { addJobs, claimJob, failJob, finishJob, retryJob } from '../src/library/jobs/job-store.ts';
import { removeRecording } from '../src/stream/recording/recording-store.ts';
import { startClipPush, testClip } from './support/clip-push.ts';
import { run } from './support/command-line.ts';
import { type Engine, engines, temporaryFolder } from './support/engines.ts';
import { EventFollower, type FollowedMessage } from './support/event-follower.ts';
import { newLiveChannel, until } from './support/live-channel.ts';
import { TestPage, ticketsOf } from './support/page.ts';
import { callByCookie, signUp } from './support/people.ts';
import { addVideos, expectError, onDatabaseOf } from './support/scenarios.ts';
import {
  type MovingClock,
  movingClock,
  startTestService,
  type TestService,
} from './support/service.ts';

const settings = { MIN_FREE_DISK: '10M', HTTP_IDLE_SECONDS: '5', EVENT_FOLLOWERS: '8' };
const clip = testClip();
const dayMs = 86_400_000;

for (const engine of engines) {
  describe(engine.name, () => {
    let service: TestService;
    let clock: MovingClock;
    let all: EventFollower;
    const told: FollowedMessage[] = [];
    const follow = (more: { query?: string; token?: string; lastEventId?: string } = {}) =>
      EventFollower.open({
        url: service.url,
        headers: { authorization: `Bearer ${more.token ?? service.token}` },
        ...more,
      });
    /** The next event of the type that is about what is given; what it says is as the catalogue has it. */
    const next = async (type: EventType, about: object) => {
      const message = await all.next(
        ({ event, data }) =>
          event === type &&
          Object.entries(about).every(([name, value]) => data.data[name] === value),
      );
      expect(eventKinds[type].data.strict().parse(message.data.data) as unknown).toBeTruthy();
      told.push(message);
      return message.data.data;
    };
    /** That nothing was told by what was done before: what follows is the next. */
    const nothingMore = async (channel_id: number) => {
      const name = crypto.randomUUID();
      await service.call('PUT', `/v1/activities/${channel_id}`, { body: { name } });
      await next('channel.updated', { channel_id, name });
      expect(all.messages.filter(({ data }) => data.data.channel_id === channel_id)).toEqual([]);
    };

    beforeAll(async () => {
      clock = movingClock();
      service = await startTestService(engine, { settings, clock });
      all = await follow();
    });
    afterAll(async () => {
      await all.leave();
      await service.stop();
    });

    test('a channel that is made, changed, deleted and brought back', async () => {
      const headers = { 'idempotency-key': 'the-same' };
      const body = { name: 'Launch' };
      const made = await service.call('POST', '/v1/activities', { body, headers });
      const channel_id = made.body.id;
      const channel = { channel_id, name: 'Launch', manager_id: 0 };
      expect(await next('channel.created', { channel_id })).toEqual({
        ...channel,
        restored: false,
      });
      await service.call('POST', '/v1/activities', { body, headers });
      await service.call('PUT', `/v1/activities/${channel_id}`, { body });
      const page = (given: object) =>
        service.call('PUT', `/v1/activities/${channel_id}/page`, { body: given });
      await page({ theme: 'tech', footer: 'said' });
      expect(await next('channel.updated', { channel_id })).toEqual({
        ...channel,
        changed: ['footer', 'theme'],
      });
      await page({ theme: 'tech', footer: 'said' });
      await page({ footer: '' });
      expect(await next('channel.updated', { channel_id })).toMatchObject({ changed: ['footer'] });
      const key = await service.call('POST', `/manage/v1/channels/${channel_id}/rotate-key`, {
        body: {},
      });
      expect(key.status).toBe(200);
      expect(await next('channel.updated', { channel_id })).toMatchObject({
        changed: ['publish_key'],
      });
      await service.call('DELETE', `/v1/activities/${channel_id}`);
      expect(await next('channel.deleted', { channel_id })).toEqual(channel);
      const restore = () =>
        service.call('POST', `/manage/v1/channels/${channel_id}/restore`, { body: {} });
      await restore();
      await restore();
      expect(await next('channel.created', { channel_id })).toEqual({ ...channel, restored: true });
      await nothingMore(channel_id);
    });

    test('the channels of a manager who is removed', async () => {
      const id = await service.newManager(`m ${crypto.randomUUID()}`);
      const body = { name: 'held', act_manager_id: id };
      const made = await service.call('POST', '/v1/activities', { body });
      const channel_id = made.body.id;
      expect(await next('channel.created', { channel_id })).toMatchObject({ manager_id: id });
      await service.store.perform(removeManager, { id, now: clock.now });
      expect(await next('channel.updated', { channel_id })).toMatchObject({
        manager_id: 0,
        changed: ['manager'],
      });
    });

    test('a push: live, offline, its video, its show with its figures, and who watched', async () => {
      const channel = await newLiveChannel(service, 'On air');
      const channel_id = channel.id;
      await next('channel.created', { channel_id });
      const ticket = (await ticketsOf(service))(channel_id);
      const push = await startClipPush(channel.publishUrl, clip);
      const live = await next('channel.live', { channel_id });
      const page = new TestPage(service.url, { ticket });
      await page.welcome();
      clock.now += 5_000;
      page.say({ type: 'report', played_ms: 4_000 });
      await page.heard();
      await page.leave();
      // What is shorter becomes no video.
      await until(() => push.sentMs() > 1_500, { withinMs: 10_000, otherwise: 'nothing is sent' });
      await push.end();
      const offline = await next('channel.offline', { channel_id });
      expect(offline).toMatchObject({ show_id: live.show_id, begin: live.begin });
      expect(Date.parse(offline.end)).toBeGreaterThan(Date.parse(offline.begin));
      const video = await next('video.created', { channel_id });
      expect(video).toMatchObject({ source: 'push', restored: false });
      const { video_id } = video;
      expect(await next('video.ready', { video_id })).toMatchObject({ name: video.name });

      clock.now += 31_000;
      const ended = await next('audience.session.ended', { channel_id });
      const records = await service.call('GET', `/manage/v1/channels/${channel_id}/sessions`);
      expect(ended.sessions).toHaveLength(1);
      expect(records.text).toContain(`"record_id":${ended.sessions[0]}`);

      const sheets = new ShowSheets({ store: service.store, monotonicMs });
      const count = (atMs: number) =>
        countEnded({
          store: service.store,
          sheets,
          now: () => Date.parse(offline.end) + atMs,
          log: startLog('silent'),
        });
      await count(59_000);
      await service.call('GET', `/manage/v1/channels/${channel_id}/report`);
      await count(61_000);
      await count(120_000);
      const show = await next('show.ended', { channel_id });
      expect(show).toMatchObject({
        show_id: live.show_id,
        begin: live.begin,
        end: offline.end,
        video_ids: [video_id],
        figures: { uv: 1, pv: 1, peak: 1 },
      });
      // Its ids are those that the export takes.
      const shows = `/manage/v1/channels/${show.channel_id}/shows`;
      const people = await service.call('GET', `${shows}/${show.show_id}/people.ndjson`);
      expect([people.status, people.text.trimEnd().split('\n').length]).toEqual([200, 1]);
      await sheets.stop();
      await service.call('DELETE', `/manage/v1/videos/${video_id}`);
      const { source: _, restored: __, ...said } = video;
      expect(await next('video.deleted', { video_id })).toEqual({ ...said, reason: 'deleted' });
      await service.call('POST', `/manage/v1/videos/${video_id}/restore`, { body: {} });
      expect(await next('video.created', { video_id })).toEqual({ ...video, restored: true });
      await next('video.ready', { video_id });
      const cut = await service.call('POST', `/manage/v1/channels/${channel_id}/clips`, {
        body: { video_id, from_ms: 0, to_ms: 1_000, name: 'cut' },
      });
      expect(cut.status).toBe(200);
      const clipped = await next('video.created', { channel_id, name: 'cut' });
      expect(clipped).toMatchObject({ source: 'clip', restored: false });
      await next('video.ready', { video_id: clipped.video_id });
      await service.store.perform(removeRecording, { id: video_id });
      expect(await next('video.deleted', { video_id })).toEqual({ ...said, reason: 'retention' });
      await nothingMore(channel_id);
    });

    test('a page that comes back in time goes on with its session, which is not over', async () => {
      const channel = await newLiveChannel(service, 'Came back');
      const channel_id = channel.id;
      await next('channel.created', { channel_id });
      const ticket = (await ticketsOf(service))(channel_id, { viewer_id: 'back' });
      const page = new TestPage(service.url, { ticket });
      const { resume } = await page.welcome();
      await page.drop();
      clock.now += 20_000;
      const again = new TestPage(service.url, { ticket, instance: page.instance, resume });
      await again.welcome();
      clock.now += 20_000;
      again.say({ type: 'report', played_ms: 0 });
      await again.heard();
      await nothingMore(channel_id);
      await again.leave();
      clock.now += 31_000;
      const { sessions } = await next('audience.session.ended', { channel_id });
      expect(sessions).toHaveLength(1);
      // Once it is told, nobody goes on with it, here or on another service.
      const late = new TestPage(service.url, { ticket, resume });
      await late.welcome();
      const rows = await service.store.all<{ record_id: number; held_by: number }>(
        'SELECT record_id, held_by FROM sessions WHERE channel_id = $1 ORDER BY seq',
        [channel_id],
      );
      expect(rows).toMatchObject([{ record_id: sessions[0], held_by: 0 }, {}]);
      await late.leave();
    });

    test('videos of an import by the command line, and a file that is given up', async () => {
      const { id: channel_id } = await newLiveChannel(service, 'Library');
      const file = `${temporaryFolder()}/videos.ndjson`;
      const line = { id: 'v-1', act_id: channel_id, name: 'From elsewhere' };
      await Bun.write(file, `${JSON.stringify(line)}\n`);
      const words = ['import', 'videos', file];
      const { code, err } = await run(service.settings, ...words);
      expect([code, err]).toEqual([0, '']);
      // Written by another program: it is found by a look.
      const made = await next('video.created', { channel_id });
      expect(made).toMatchObject({ name: 'From elsewhere', source: 'import' });
      await next('video.ready', { video_id: made.video_id });
      await run(service.settings, ...words);

      const [video_id = 0] = await addVideos(service, [{ name: 'recorded', channel_id }]);
      const node = 'elsewhere';
      const order = { video_id, account_id: 1, kinds: ['mp4', 'cover'] as const, node, now: 0 };
      await onDatabaseOf(service, (sql) => addJobs(sql, order));
      const lease = { leased_by: 'me', lease_until: 10, now: 1 };
      const claim = async () =>
        (await service.store.perform(claimJob, { node, ...lease }))?.id ?? 0;
      await service.store.perform(finishJob, { id: await claim(), ...lease });
      const id = await claim();
      await service.store.perform(failJob, { id, ...lease, problem: 'no picture', isFinal: true });
      expect(await next('job.failed', { video_id })).toEqual({
        job_id: id,
        kind: 'cover',
        video_id,
        channel_id,
        tries: 1,
        problem: 'no picture',
      });
      expect(await next('video.ready', { video_id })).toMatchObject({ failed: ['cover'] });
      await service.store.perform(retryJob, { id, now: 2 });
      await service.store.perform(finishJob, { id: await claim(), ...lease });
      expect(await next('video.ready', { video_id })).toMatchObject({ failed: [] });

      const lost = { ...order, kinds: ['720'] as const };
      await onDatabaseOf(service, (sql) => addJobs(sql, lost));
      for (const now of [20, 40, 60, 80])
        await service.store.perform(claimJob, {
          node,
          leased_by: 'lost',
          lease_until: now + 9,
          now,
        });
      expect(await next('job.failed', { video_id })).toMatchObject({ kind: '720', tries: 3 });
      expect(await next('video.ready', { video_id })).toMatchObject({ failed: ['720'] });
      await next('channel.created', { channel_id });
      await nothingMore(channel_id);
    });

    test('every type of the catalogue was told, and none says a key, a name of a viewer or an address', async () => {
      expect(new Set(told.map(({ event }) => event))).toEqual(new Set(eventTypes));
      const keys = await service.store.all<{ stream_key: string }>(
        'SELECT stream_key FROM channels',
      );
      const rows = await service.store.all<{ data: string }>('SELECT data FROM events');
      const texts = rows.map(({ data }) => data).join('\n');
      for (const secret of [...keys.map(({ stream_key }) => stream_key), '127.0.0.1', '"back"'])
        expect(texts).not.toContain(secret);
      const ids = await service.store.all<{ id: string }>('SELECT id FROM events');
      expect(new Set(ids.map(({ id }) => id)).size).toBe(ids.length);
    });

    test('who comes back with the last id has missed nothing, and sees nothing twice', async () => {
      const first = await follow({ query: 'types=channel.created' });
      const make = async (name: string) => (await newLiveChannel(service, name)).id;
      const one = await make('one');
      await first.next(({ data }) => data.data.channel_id === one);
      await first.leave();
      const [two, three] = [await make('two'), await make('three')];
      const again = await follow({
        query: 'types=channel.created',
        lastEventId: first.lastEventId,
      });
      await again.until(() => again.messages.length === 2);
      expect(again.messages.map(({ data }) => data.data.channel_id)).toEqual([two, three]);
      await again.leave();
      const listed = await service.call(
        'GET',
        `/manage/v1/events/list?types=channel.created&after=${first.lastEventId}`,
      );
      expect(listed.body.events.map((event: { id: string }) => event.id)).toEqual(
        again.messages.map(({ data }) => data.id),
      );
      expect(listed.body.next_after).toBe(again.lastEventId);
    });

    test('one channel alone, and only what the scopes let a caller read', async () => {
      const mine = await newLiveChannel(service, 'mine');
      const scoped = await service.newToken({ scopes: ['channels:read'] });
      const of = await follow({ query: `channel=${mine.id}`, token: scoped });
      const other = await newLiveChannel(service, 'other');
      await addAndDelete(mine.id);
      await service.call('PUT', `/v1/activities/${other.id}`, { body: { name: 'x' } });
      await service.call('PUT', `/v1/activities/${mine.id}`, { body: { name: 'last' } });
      const last = await of.next(({ event }) => event === 'channel.updated');
      expect(last.data.data).toMatchObject({ channel_id: mine.id, name: 'last' });
      expect(of.messages).toEqual([]);
      await of.leave();
      const ask = (query: string, token = scoped) =>
        service.call('GET', `/manage/v1/events?${query}`, { token });
      expectError(await ask('types=video.created'), { status: 403, code: 403001 });
      const invalid = { status: 400, code: 400001 };
      const types = await ask('types=channel.live,nonsense');
      expectError(types, { ...invalid, fields: ['types'] });
      expect(types.body.errors.fields[0].message).toContain('channel.live, channel.offline, show');
      // Each has two ids: one to know it by, one to go on from.
      for (const [name, asked] of [
        ['last_event_id', ask(`last_event_id=${last.data.id}`)],
        ['after', service.call('GET', `/manage/v1/events/list?after=${last.data.id}`)],
      ] as const) {
        const refused = await asked;
        expectError(refused, { ...invalid, fields: [name] });
        expect(refused.body.errors.fields[0].message).toBe(
          `${name} must be a position such as 31.7 (got "${last.data.id}"): the \`id:\` line of the stream, or \`next_after\` of a page, and not evt_…`,
        );
      }
      expectError(await ask('channel=999999'), { status: 404, code: 404002 });
      async function addAndDelete(channel_id: number) {
        const [id] = await addVideos(service, [{ name: 'video', channel_id }]);
        await service.call('DELETE', `/manage/v1/videos/${id}`);
      }
    });

    test('by the cookie of the console too, and a mark comes while nothing happens', async () => {
      const { cookie } = await signUp(service, { user_name: `follower ${crypto.randomUUID()}` });
      const by = await EventFollower.open({ url: service.url, headers: { cookie } });
      const { comments } = by;
      await by.until(() => by.comments > comments);
      const left = await callByCookie(service, 'POST', '/manage/v1/sign-out', { cookie, body: {} });
      expect(left.status).toBe(200);
      clock.now += 2_000;
      await newLiveChannel(service, 'not for them');
      expect(await by.over).toBe('broken off');
      expect(by.messages).toEqual([]);
    });

    test('it ends when the token is revoked or may do less, and nothing more is told', async () => {
      for (const take of [
        (id: number) => service.call('DELETE', `/manage/v1/tokens/${id}`),
        (id: number) =>
          service.call('PUT', `/manage/v1/tokens/${id}`, { body: { scopes: ['videos:read'] } }),
      ]) {
        const made = await service.call('POST', '/manage/v1/tokens', {
          body: { name: 'follows', scopes: ['channels:read', 'videos:read'] },
        });
        const by = await follow({ token: made.body.token });
        expect((await take(made.body.id)).status).toBe(200);
        clock.now += 2_000;
        await newLiveChannel(service, 'not for them');
        expect(await by.over).toBe('broken off');
        expect(by.messages).toEqual([]);
      }
    });

    test('places are shared: an account has half of what the others leave', async () => {
      // One is taken by the follower of all tests.
      const more = [await follow(), await follow(), await follow()];
      const refused = await service.call('GET', '/manage/v1/events');
      expect(refused.status).toBe(503);
      expect(refused.text).toContain('its share of those that follow');
      const account_id = await service.newAccount();
      const theirs = await follow({ token: await service.newToken({ account_id }) });
      await theirs.leave();
      await more[0]?.leave();
      await until503Is(200);
      for (const one of more) await one.leave();
      async function until503Is(wanted: number) {
        for (;;) {
          const { status } = await service.call('GET', '/manage/v1/events');
          if (status === wanted) return;
          // When a connection that was left is noticed is the runtime's to say.
          await Bun.sleep(10);
        }
      }
    });

    test('an older id than is kept is told so, and what is kept follows', async () => {
      await newLiveChannel(service, 'old');
      const before = all.lastEventId;
      const days = { store: service.store, eventDays: 3 };
      await removeOldEvents({ ...days, now: () => Date.now() + 4 * dayMs });
      const { id } = await newLiveChannel(service, 'new');
      const late = await follow({ lastEventId: '1.0', query: 'types=channel.created' });
      await late.until(() => late.messages.length === 2);
      const [missing, kept] = late.messages;
      const seq = Number(kept?.id.split('.')[0]);
      expect(missing).toMatchObject({
        event: 'missing',
        data: { feed: 'main', from: 2, to: seq - 1 },
      });
      expect(kept).toMatchObject({ event: 'channel.created', data: { data: { channel_id: id } } });
      await late.leave();
      const listed = await service.call('GET', '/manage/v1/events/list?after=1.0');
      expect(listed.body.missing).toContainEqual({ feed: 'main', from: 2, to: seq - 1 });
      // Of another database, or of one that was restored since: what there is comes again.
      const ahead = await follow({ lastEventId: '999999.0', query: 'types=channel.created' });
      const [, again] = await ahead
        .until(() => ahead.messages.length === 2)
        .then(() => ahead.messages);
      expect(again?.data.id).toBe(kept?.data.id);
      await ahead.leave();
      expect(before).not.toBe('');
    });
  });

  test(`who follows is let go when the service stops (${engine.name})`, async () => {
    const service = await startTestService(engine as Engine, { settings });
    const by = await EventFollower.open({
      url: service.url,
      headers: { authorization: `Bearer ${service.token}` },
    });
    const stopped = service.stop();
    expect(await by.over).toBe('ended');
    await stopped;
  });
}
