// What pages say and are told: chat, names, shares, counts, live and off air, and the bounds of all of it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  removeMessages,
  setChatOpen,
  silence,
  unsilence,
} from '../src/audience/chat/chat-store.ts';
import { pushMsMin } from '../src/stream/recording/make-video.ts';
import type { WatchData } from '../src/web/pages/page-data.ts';
import { startClipPush, testClip } from './support/clip-push.ts';
import { engines } from './support/engines.ts';
import { newLiveChannel, until, videosOf } from './support/live-channel.ts';
import { type Stage, startStage } from './support/stage.ts';

const second = 1_000;

for (const engine of engines) {
  describe(engine.name, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await startStage(engine);
    });
    afterAll(() => stage.end());

    test('a line of chat reaches everybody, also those who come later, and tells no viewer id', async () => {
      const writer = await stage.enter('writer-7', { ticket: { nick: 'Ada' } });
      const reader = await stage.enter('reader-7');
      writer.page.say({ type: 'chat', text: '  <b>hello</b>  ' });
      const wanted = {
        id: expect.any(Number),
        author: writer.welcome.viewer.author,
        nick: 'Ada',
        text: '<b>hello</b>',
        at: stage.service.clock.now,
      };
      for (const { page } of [writer, reader])
        expect((await page.next('chat')).messages as unknown).toEqual([wanted]);
      const late = await stage.enter('late-7');
      expect(late.welcome.chat.open).toBe(true);
      expect(late.welcome.chat.messages.at(-1) as unknown).toEqual(wanted);
      expect(JSON.stringify(late.welcome)).not.toContain('writer-7');
      expect(late.welcome.viewer.author).not.toBe(wanted.author);
      await stage.visited('writer-7', { comment_count: 1 });
    });

    test('a viewer may write five lines at once, then one every two seconds', async () => {
      const { page } = await stage.enter('chatty');
      for (let n = 1; n <= 6; n++) page.say({ type: 'chat', text: `line ${n}` });
      expect((await page.next('notice')).notice).toBe('slow_down');
      const last = await page.next('chat', ({ messages }) => messages.at(-1)?.text === 'line 5');
      expect(last.messages.some(({ text }) => text === 'line 6')).toBe(false);
      stage.pass(2 * second);
      page.say({ type: 'chat', text: 'line 7' });
      await page.next('chat', ({ messages }) => messages.at(-1)?.text === 'line 7');
    });

    test('a line that is too long is not kept, and an empty one is nothing', async () => {
      const { page } = await stage.enter('long-winded');
      page.say({ type: 'chat', text: ' ' });
      page.say({ type: 'chat', text: '好'.repeat(501) });
      expect((await page.next('notice')).notice).toBe('too_long');
      page.say({ type: 'chat', text: '好'.repeat(500) });
      const { messages } = await page.next('chat');
      expect(messages.map(({ text }) => text.length)).toEqual([500]);
    });

    test('what an operator closes, removes, mutes and bans elsewhere is so for the pages, too', async () => {
      const { store } = stage.service;
      const { channel_id } = stage;
      const { page } = await stage.enter('watched-over');
      page.say({ type: 'chat', text: 'regretted' });
      const [line] = (await page.next('chat')).messages;
      await store.perform(removeMessages, { account_id: 1, channel_id, ids: [line?.id ?? 0] });
      expect((await page.next('chat_removed')).ids).toEqual([line?.id ?? 0]);
      await store.perform(setChatOpen, { account_id: 1, channel_id, open: false });
      expect((await page.next('chat_open')).open).toBe(false);
      page.say({ type: 'chat', text: 'too late' });
      expect((await page.next('notice')).notice).toBe('chat_closed');
      await store.perform(setChatOpen, { account_id: 1, channel_id, open: true });
      expect((await page.next('chat_open')).open).toBe(true);
      const order = { account_id: 1, channel_id, viewer_id: 'watched-over', until: null };
      const { now } = stage.service.clock;
      await store.perform(silence, { ...order, kind: 'mute', now });
      page.say({ type: 'chat', text: 'muted' });
      expect((await page.next('notice')).notice).toBe('muted');
      await store.perform(silence, { ...order, kind: 'ban', now });
      expect((await page.next('refused')).reason).toBe('banned');
      expect(await page.closed).toBe(4001);
      const again = stage.connect({
        ticket: stage.sign(channel_id, { viewer_id: 'watched-over' }),
      });
      expect((await again.next('refused')).reason).toBe('banned');
      await store.perform(unsilence, { ...order, kind: 'ban' });
    });

    test('a name that is chosen on the page is known to every tab and stands in the records', async () => {
      const one = await stage.enter('renamed');
      const two = await stage.enter('renamed');
      one.page.say({ type: 'nick', nick: 'x'.repeat(33) });
      expect((await one.page.next('notice')).notice).toBe('too_long');
      one.page.say({ type: 'nick', nick: ' Grace ' });
      expect((await one.page.next('nick')).nick).toBe('Grace');
      expect((await two.page.next('nick')).nick).toBe('Grace');
      two.page.say({ type: 'chat', text: 'it is me' });
      expect((await two.page.next('chat')).messages.at(-1)?.nick).toBe('Grace');
      await stage.visited('renamed', { nick: 'Grace' });
      const later = await stage.enter('renamed');
      expect(later.welcome.viewer.nick).toBe('Grace');
      await stage.visited('renamed', { nick: 'Grace', visit_times: 3 });
    });

    test('a share counts, at most one in five seconds', async () => {
      const { page } = await stage.enter('sharing');
      page.say({ type: 'share', how: 'copy' });
      page.say({ type: 'share', how: 'qr' });
      // Heard in the order it was said, so by now both shares were.
      page.say({ type: 'chat', text: 'look at this' });
      await page.next('chat');
      stage.pass(5 * second);
      page.say({ type: 'share', how: 'system' });
      await stage.visited('sharing', { share_times: 2 });
    });

    test('whoever says more than a page does is cut off', async () => {
      const { page } = await stage.enter('flooding');
      for (let n = 0; n < 30; n++) page.say({ type: 'report', played_ms: 0 });
      expect(await page.closed).toBe(1006);
      const large = await stage.enter('large');
      large.page.sendText('x'.repeat(4_097));
      expect(await large.page.closed).toBe(1009);
      const binary = await stage.enter('binary');
      binary.page.sendText(new Uint8Array(8));
      expect(await binary.page.closed).toBe(1006);
    });

    test('a viewer has ten tabs at most: the one that has been silent longest makes room', async () => {
      const tabs = await Promise.all(Array.from({ length: 10 }, () => stage.enter('many-tabs')));
      stage.pass(5 * second);
      const [silent, ...others] = tabs;
      for (const { report } of others) await report(0);
      await stage.enter('many-tabs');
      expect(await silent?.page.closed).toBe(4005);
      await Promise.all(others.map(({ page }) => page.heard()));
    });

    test('the viewer count is of people, not of tabs', async () => {
      const quiet = stage.at((await newLiveChannel(stage.service)).id);
      const one = await quiet.enter('counted-1');
      expect(one.welcome.viewers).toBe(1);
      await quiet.enter('counted-1');
      const two = await quiet.enter('counted-2');
      expect(two.welcome.viewers).toBe(2);
      await one.page.next('viewers', ({ count }) => count === 2);
      await two.page.leave();
      await one.page.next('viewers', ({ count }) => count === 1);
    });

    test('a page turns live, off air and to the video; what is played off air does not count', async () => {
      const channel = await newLiveChannel(stage.service);
      const there = stage.at(channel.id);
      const viewer = await there.enter('from-the-start');
      expect([viewer.welcome.live, viewer.welcome.video]).toEqual([false, null]);
      stage.pass(10 * second);
      await viewer.report(10 * second);
      const push = await startClipPush(channel.publishUrl, testClip());
      expect((await viewer.page.next('live')).live).toBe(true);
      stage.pass(4 * second);
      await viewer.report(10 * second);
      // A shorter push becomes no video.
      const isLong = () => push.sentMs() > pushMsMin + 500;
      await until(isLong, { withinMs: 60_000, otherwise: 'too little was pushed' });
      await push.end();
      expect((await viewer.page.next('live')).live).toBe(false);
      const { id } = await viewer.page.next('video');
      expect((await videosOf(stage.service, channel.id)).map((video) => video.id)).toEqual([id]);
      // Players lag: ten seconds more still count.
      stage.pass(14 * second);
      await viewer.report(14 * second);
      stage.pass(10 * second);
      await viewer.report(10 * second);
      const late = await there.enter('after-the-end');
      expect([late.welcome.live, late.welcome.video]).toEqual([false, id]);
      const sums = { online_time: '00:00:38', watch_time: '00:00:14' };
      await there.recorded(viewer.viewer_id, [sums]);
    });

    test('a clip is no recording of the show, for a page that is open nor for one that is loaded', async () => {
      const { service } = stage;
      const channel = await newLiveChannel(service);
      const viewer = await stage.at(channel.id).enter('sees-the-end');
      const cut = async (body: object) =>
        await service.call('POST', `/manage/v1/channels/${channel.id}/clips`, { body });
      const offered = async () => {
        const html = await (await fetch(`${service.url}/watch/${channel.id}`)).text();
        const [, data = ''] = /<script type="application\/json"[^>]*>([^<]*)</.exec(html) ?? [];
        return (JSON.parse(data) as WatchData).video?.id ?? null;
      };
      const push = await startClipPush(channel.publishUrl, testClip());
      let clip = await cut({ last_seconds: 5 });
      // Nothing is whole before the first segment.
      for (; clip.status === 409; clip = await cut({ last_seconds: 5 })) await Bun.sleep(20);
      expect(clip.status).toBe(200);
      expect(await offered()).toBeNull();
      await push.end();
      const { id } = await viewer.page.next('video');
      const made = (await videosOf(service, channel.id)).map((video) => video.id);
      expect(made).toEqual([id, clip.body.id]);
      expect((await cut({ video_id: id, from_ms: 0, to_ms: 1_000 })).status).toBe(200);
      expect(await offered()).toBe(id);
    });
  });
}
