// The audience end to end: real pages' connections in, the interface's watch records and visitors out.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eraseViewer } from '../src/audience/records/audience-store.ts';
import { setAccount } from '../src/library/access/account-store.ts';
import { type ClipPush, startClipPush } from './support/clip-push.ts';
import { engines } from './support/engines.ts';
import { isLive, newLiveChannel, until } from './support/live-channel.ts';
import { type Stage, startStage } from './support/stage.ts';

const second = 1_000;

for (const engine of engines) {
  describe(engine.name, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await startStage(engine);
    });
    afterAll(() => stage.end());

    const goesOffAir = async (id: number, push: ClipPush) => {
      await push.end();
      await until(async () => !(await isLive(stage.service, id)), {
        withinMs: 5_000,
        otherwise: 'it is still live',
      });
    };

    test('three viewers are counted by what they did: one watches, one pauses, one looks', async () => {
      const [watching, pausing, looking] = await Promise.all([
        stage.enter('watching'),
        stage.enter('pausing'),
        stage.enter('looking'),
      ]);
      stage.pass(10 * second);
      await watching.report(10 * second);
      await pausing.report(10 * second);
      await looking.report(0);
      stage.pass(10 * second);
      await watching.report(10 * second);
      await pausing.report(0);
      await looking.report(0);
      await Promise.all([watching.page.leave(), pausing.page.leave(), looking.page.leave()]);
      const wanted = [
        [watching, '00:00:20'],
        [pausing, '00:00:10'],
        [looking, '00:00:00'],
      ] as const;
      for (const [{ viewer_id }, watch_time] of wanted) {
        await stage.recorded(viewer_id, [{ online_time: '00:00:20', watch_time }]);
        await stage.visited(viewer_id, { watch_time, visit_times: 1 });
      }
    });

    test('a record tells what the page and its address showed', async () => {
      const viewer = await stage.enter('described', {
        ticket: { nick: 'Ada', phone: '123', origin: 'embed:example.com' },
      });
      stage.pass(2 * second);
      await viewer.report(2 * second);
      const [record] = await stage.recorded(viewer.viewer_id, [{ watch_time: '00:00:02' }]);
      expect(record).toMatchObject({
        nick: 'Ada',
        phone: '123',
        addr: 'Local network',
        device: 'PC',
        browser: 'Chrome',
        origin: 'embed:example.com',
      });
      const visitor = await stage.visited(viewer.viewer_id, { watch_time: '00:00:02' });
      expect(visitor).toMatchObject({ last_ip: '127.0.0.1', refer: 'embed:example.com' });
    });

    test('where a viewer is, is said in the language of the account, whatever their page reads', async () => {
      const { service } = stage;
      const unchanged = { name: undefined, plan: undefined, auto_save_live_video: undefined };
      const say = async (place_language: 'en' | 'zh') =>
        await service.store.perform(setAccount, { id: 1, ...unchanged, place_language });
      await say('zh');
      const { body } = await service.call('POST', '/v1/activities', { body: { name: 'there' } });
      const there = stage.at(body.id);
      const viewer = await there.enter('placed', { ticket: { language: 'en' } });
      await viewer.page.leave();
      const [record] = await there.recorded(viewer.viewer_id, [{ watch_time: '00:00:00' }]);
      expect(record).toMatchObject({ addr: '局域网' });
      await say('en');
    });

    test('a page that lies about its time earns no more than the clock allows', async () => {
      const viewer = await stage.enter('lying');
      stage.pass(3 * second);
      await viewer.report(3_600 * second);
      await viewer.report(3_600 * second);
      stage.pass(20 * second);
      await viewer.report(3_600 * second);
      // At most 15 s a report.
      await stage.recorded(viewer.viewer_id, [{ online_time: '00:00:23', watch_time: '00:00:18' }]);
    });

    test('a reload goes on with the session', async () => {
      const first = await stage.enter('reloading');
      stage.pass(10 * second);
      await first.report(10 * second);
      await first.page.leave();
      stage.pass(5 * second);
      const again = await stage.enter('reloading', { resume: first.welcome.resume });
      expect(again.welcome.resume).toBe(first.welcome.resume);
      stage.pass(10 * second);
      await again.report(10 * second);
      await again.page.leave();
      // The gap is left out.
      const sums = { online_time: '00:00:20', watch_time: '00:00:20' };
      await stage.recorded(first.viewer_id, [sums]);
      await stage.visited(first.viewer_id, { watch_time: '00:00:20', visit_times: 1 });
    });

    test('whoever comes back after half a minute visits again', async () => {
      const first = await stage.enter('returning');
      stage.pass(4 * second);
      await first.report(4 * second);
      await first.page.leave();
      stage.pass(31 * second);
      const again = await stage.enter('returning', { resume: first.welcome.resume });
      stage.pass(5 * second);
      await again.report(5 * second);
      await stage.recorded(first.viewer_id, [
        { watch_time: '00:00:05' },
        { online_time: '00:00:04', watch_time: '00:00:04' },
      ]);
      await stage.visited(first.viewer_id, { watch_time: '00:00:09', visit_times: 2 });
    });

    test("two tabs are two sessions, and their viewer's time is their union", async () => {
      const left = await stage.enter('two-tabs');
      const right = await stage.enter('two-tabs');
      stage.pass(10 * second);
      await left.report(10 * second);
      await right.report(6 * second);
      stage.pass(5 * second);
      await right.report(5 * second);
      await stage.recorded(left.viewer_id, [
        { watch_time: '00:00:11' },
        { watch_time: '00:00:10' },
      ]);
      await stage.visited(left.viewer_id, { watch_time: '00:00:15', visit_times: 2 });
    });

    test('a copied tab claims the session of its original and gets one of its own', async () => {
      const original = await stage.enter('copied');
      const copy = await stage.enter('copied', { resume: original.welcome.resume });
      expect(copy.welcome.resume).not.toBe(original.welcome.resume);
    });

    test('a page that connects anew takes its session over, and the old connection is told', async () => {
      const first = await stage.enter('switching');
      stage.pass(3 * second);
      await first.report(3 * second);
      const { instance } = first.page;
      const next = await stage.enter('switching', { instance, resume: first.welcome.resume });
      expect(next.welcome.resume).toBe(first.welcome.resume);
      expect(await first.page.closed).toBe(4003);
      expect(first.page.all('notice')).toEqual([{ type: 'notice', notice: 'taken_over' }]);
      stage.pass(3 * second);
      await next.report(3 * second);
      const sums = { online_time: '00:00:06', watch_time: '00:00:06' };
      await stage.recorded(first.viewer_id, [sums]);
    });

    test('a dropped connection counts until it was gone', async () => {
      const viewer = await stage.enter('dropped');
      stage.pass(10 * second);
      await viewer.report(10 * second);
      stage.pass(4 * second);
      await viewer.page.drop();
      const sums = { online_time: '00:00:14', watch_time: '00:00:10' };
      await stage.recorded(viewer.viewer_id, [sums]);
    });

    test('a page that falls silent is let go and counts up to its last word', async () => {
      const viewer = await stage.enter('silent');
      stage.pass(10 * second);
      await viewer.report(10 * second);
      stage.pass(31 * second);
      expect(await viewer.page.closed).toBe(1006);
      const sums = { online_time: '00:00:10', watch_time: '00:00:10' };
      await stage.recorded(viewer.viewer_id, [sums]);
    });

    test('whoever says nothing, or something else than hello, is sent away', async () => {
      const talker = stage.connect({ ticket: 'none' });
      expect((await talker.next('refused')).reason).toBe('ticket');
      const mute = new WebSocket(`${stage.service.url.replace('http', 'ws')}/audience`, {
        headers: { origin: stage.service.url, 'user-agent': 'Mozilla/5.0 Firefox/140.0' },
      });
      const closed = new Promise((resolve) => mute.addEventListener('close', resolve));
      await new Promise((resolve) => mute.addEventListener('open', resolve));
      stage.pass(Number(stage.service.settings['AUDIENCE_HELLO_MS']) + second);
      await closed;
    });

    test('a forged ticket, a foreign origin, a bot and a channel that is none are refused', async () => {
      const { channel_id } = stage;
      const tickets = stage.sign;
      const good = tickets(channel_id);
      const forged = stage.connect({ ticket: `${good.slice(0, -2)}xx` });
      expect((await forged.next('refused')).reason).toBe('ticket');
      expect(await forged.closed).toBe(4001);
      const old = tickets(channel_id, { issued_at: stage.service.clock.now - 25 * 3_600 * second });
      expect((await stage.connect({ ticket: old }).next('refused')).reason).toBe('ticket');
      const foreign = stage.connect({ ticket: good, headers: { origin: 'https://evil.example' } });
      expect((await foreign.next('refused')).reason).toBe('origin');
      expect(await foreign.closed).toBe(4001);
      const bot = stage.connect({ ticket: good, headers: { 'user-agent': 'Googlebot/2.1' } });
      expect(await bot.closed).toBe(1006);
      expect(bot.all('refused')).toEqual([]);
      const gone = stage.connect({ ticket: tickets(1_000_000) });
      expect((await gone.next('refused')).reason).toBe('gone');
    });

    test('a plain request is told that this is for WebSockets', async () => {
      const reply = await stage.service.call('GET', '/audience');
      expect([reply.status, reply.headers.get('upgrade')]).toEqual([426, 'websocket']);
    });

    test('what an import renumbers is credited to whom it belongs', async () => {
      const { id, publishUrl } = await newLiveChannel(stage.service);
      const there = stage.at(id);
      const early = await there.enter('before-import');
      const push = await startClipPush(publishUrl);
      await early.page.next('live');
      stage.pass(10 * second);
      await early.report(10 * second);
      await there.recorded(early.viewer_id, [{ watch_time: '00:00:10' }]);
      // Older lines are brought off air; what players still show counts for ten seconds more.
      await goesOffAir(id, push);
      await there.importOlder('imported');
      const late = await there.enter('after-import');
      stage.pass(8 * second);
      await early.report(8 * second);
      await late.report(7 * second);
      await there.recorded(early.viewer_id, [{ watch_time: '00:00:18' }]);
      await there.recorded(late.viewer_id, [{ watch_time: '00:00:07' }]);
      await there.visited(early.viewer_id, { watch_time: '00:00:18', visit_times: 1 });
      await there.visited(late.viewer_id, { watch_time: '00:00:07', visit_times: 1 });
      await there.visited('imported', { watch_time: '00:05:00', visit_times: 1 });
    });

    test('what an import brings is added to what a viewer who is there watches', async () => {
      const { id, publishUrl } = await newLiveChannel(stage.service);
      const there = stage.at(id);
      const viewer = await there.enter('returning');
      const push = await startClipPush(publishUrl);
      await viewer.page.next('live');
      stage.pass(10 * second);
      await viewer.report(10 * second);
      await there.visited(viewer.viewer_id, { watch_time: '00:00:10' });
      await goesOffAir(id, push);
      await there.importOlder(viewer.viewer_id);
      await there.visited(viewer.viewer_id, { watch_time: '00:05:10', visit_times: 2 });
      stage.pass(4 * second);
      await viewer.report(4 * second);
      await there.visited(viewer.viewer_id, { watch_time: '00:05:14' });
      const tab = await there.enter(viewer.viewer_id);
      stage.pass(2 * second);
      await viewer.report(second);
      await tab.report(2 * second);
      await there.visited(viewer.viewer_id, { watch_time: '00:05:16', visit_times: 3 });
    });

    test('of an erased viewer nothing comes back', async () => {
      const viewer = await stage.enter('erased');
      stage.pass(10 * second);
      await viewer.report(10 * second);
      await stage.recorded(viewer.viewer_id, [{ watch_time: '00:00:10' }]);
      const { channel_id } = stage;
      const { viewer_id } = viewer;
      await stage.service.store.perform(eraseViewer, { channel_id, viewer_id });
      stage.pass(10 * second);
      await viewer.report(10 * second);
      const other = await stage.enter('witness');
      stage.pass(second);
      await other.report(second);
      await stage.recorded(other.viewer_id, [{ watch_time: '00:00:01' }]);
      await stage.recorded(viewer_id, []);
      const again = await stage.enter('erased');
      stage.pass(3 * second);
      await again.report(3 * second);
      await stage.recorded(viewer_id, [{ watch_time: '00:00:03' }]);
      await stage.visited(viewer_id, { watch_time: '00:00:03', visit_times: 1 });
      // The page from before is nobody's, and is to enter anew.
      expect(await viewer.page.closed).toBe(4004);
    });

    test('an erased viewer who reloads is a new one', async () => {
      const viewer = await stage.enter('reborn');
      stage.pass(10 * second);
      await viewer.report(10 * second);
      await stage.recorded(viewer.viewer_id, [{ watch_time: '00:00:10' }]);
      const { channel_id } = stage;
      const { viewer_id } = viewer;
      await stage.service.store.perform(eraseViewer, { channel_id, viewer_id });
      stage.pass(second);
      await viewer.report(second);
      const other = await stage.enter('bystander');
      stage.pass(second);
      await other.report(second);
      await stage.recorded(other.viewer_id, [{ watch_time: '00:00:01' }]);
      await viewer.page.leave();
      const again = await stage.enter(viewer_id, { resume: viewer.welcome.resume });
      stage.pass(3 * second);
      await again.report(3 * second);
      await stage.recorded(viewer_id, [{ watch_time: '00:00:03' }]);
      await stage.visited(viewer_id, { watch_time: '00:00:03', visit_times: 1 });
    });
  });
}
