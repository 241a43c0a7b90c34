// What operators do to a chat and to a viewer's data, by interface and by command, and what pages see of it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ShownMessage, Welcome } from '../src/audience/protocol/messages.ts';
import { Zone } from '../src/base/lib/time.ts';
import { engines, temporaryFolder } from './support/engines.ts';
import { TestPage, ticketsOf } from './support/page.ts';
import { startTestService, type TestService } from './support/service.ts';
import { runTyped as run } from './support/typed-line.ts';

for (const engine of engines) {
  describe(engine.name, () => {
    let service: TestService;
    let sign: Awaited<ReturnType<typeof ticketsOf>>;
    let channel_id = 0;
    const pages = new Set<TestPage>();

    beforeAll(async () => {
      service = await startTestService(engine);
      sign = await ticketsOf(service);
      const { body } = await service.call('POST', '/v1/activities', { body: { name: 'show' } });
      channel_id = body.id;
    });
    afterAll(async () => {
      for (const page of pages) await page.leave();
      await service.stop();
    });

    const connect = (viewer_id: string, resume = '') => {
      const page = new TestPage(service.url, { ticket: sign(channel_id, { viewer_id }), resume });
      pages.add(page);
      return page;
    };
    const enter = async (viewer_id: string) => {
      const page = connect(viewer_id);
      await page.welcome();
      return page;
    };
    /** Says something and tells its id. */
    const say = async (page: TestPage, text: string) => {
      page.say({ type: 'chat', text });
      const { messages } = await page.next('chat', (told) => told.messages.at(-1)?.text === text);
      return messages.at(-1)?.id ?? 0;
    };
    const moderate = (word: string, body: object) =>
      service.call('POST', `/manage/v1/channels/${channel_id}/chat/${word}`, { body });
    const chat = (...words: string[]) =>
      run(service.settings, 'chat', ...words, '--channel', String(channel_id));

    test('pages follow what is done by the interface', async () => {
      const page = await enter('ada');
      const id = await say(page, 'by interface');
      expect((await moderate('remove', { ids: [id] })).body).toEqual({ removed: [id] });
      expect((await page.next('chat_removed')).ids).toEqual([id]);
      await moderate('close', {});
      expect((await page.next('chat_open')).open).toBeFalse();
      await moderate('open', {});
      expect((await page.next('chat_open')).open).toBeTrue();
      await moderate('ban', { viewer_id: 'ada' });
      expect((await page.next('refused')).reason).toBe('banned');
      expect(await page.closed).toBe(4001);
    });

    test('who is muted is told at once and when they come back, and again when it is over', async () => {
      const page = await enter('mia');
      const told = async (one: TestPage) => (await one.next('muted')).muted;
      await moderate('mute', { viewer_id: 'mia' });
      expect(await told(page)).toBeTrue();
      const again = connect('mia');
      expect((await again.welcome()).viewer.muted).toBeTrue();
      await moderate('lift', { viewer_id: 'mia' });
      expect([await told(page), await told(again)]).toEqual([false, false]);
      // Nobody lifts this one.
      const zone = new Zone('UTC');
      await moderate('mute', {
        viewer_id: 'mia',
        until: zone.dateTime(service.clock.now + 10_000),
      });
      expect(await told(page)).toBeTrue();
      service.clock.now += 11_000;
      expect(await told(page)).toBeFalse();
      expect((await connect('mia').welcome()).viewer.muted).toBeFalse();
      expect(await say(page, 'heard again')).toBeGreaterThan(0);
    });

    test('pages see at once what the host says and pins, and who comes later sees it too', async () => {
      const page = await enter('gus');
      const said = await moderate('say', { text: 'by the host', nick: 'Anna' });
      const isHosts = ({ messages }: { messages: ShownMessage[] }) =>
        messages.some(({ host }) => host);
      const { messages } = await page.next('chat', isHosts);
      const line = messages.find(({ host }) => host);
      expect(line).toMatchObject({ id: said.body.id, nick: 'Anna', text: 'by the host' });
      await moderate('pin', { id: said.body.id });
      expect((await page.next('chat_pinned')).message).toEqual(line as ShownMessage);
      const late = connect('hal');
      const { chat } = await late.welcome();
      expect(chat).toMatchObject({ pinned: line, messages: expect.arrayContaining([line]) });
      expect(
        (await service.call('POST', `/v1/activities/${channel_id}/visitors`)).text,
      ).not.toContain('Anna');
      await moderate('unpin', {});
      expect((await page.next('chat_pinned')).message).toBeNull();
    });

    test('a pinned line goes with its removal and with its writer, by whomever', async () => {
      const page = await enter('ian');
      const writer = await enter('jan');
      for (const [text, gone] of [
        ['removed', (id: number) => moderate('remove', { ids: [id] })],
        ['removed by command', (id: number) => chat('remove', '--ids', String(id))],
        ['erased', () => run(service.settings, 'viewer', 'erase', '--uid', 'jan')],
      ] as const) {
        const id = await say(writer, text);
        await moderate('pin', { id });
        expect((await page.next('chat_pinned')).message).toMatchObject({ id, text });
        await gone(id);
        expect((await page.next('chat_pinned')).message).toBeNull();
      }
    });

    test('pages are told that a chat is slow, and who writes too soon how long to wait', async () => {
      const page = await enter('lou');
      expect((await moderate('slow', { seconds: 30 })).body).toEqual({ slow_seconds: 30 });
      expect((await page.next('chat_slow')).slow_seconds).toBe(30);
      await say(page, 'the first');
      service.clock.now += 10_000;
      page.say({ type: 'chat', text: 'too soon' });
      const notice = await page.next('notice');
      expect(notice as unknown).toEqual({ type: 'notice', notice: 'slow_down', wait_ms: 20_000 });
      // Another page of the viewer has no time of its own, and one that comes back has not waited.
      const again = connect('lou');
      expect((await again.welcome()).chat.slow_seconds).toBe(30);
      again.say({ type: 'chat', text: 'from another page' });
      expect((await again.next('notice')).wait_ms).toBe(20_000);
      service.clock.now += 20_000;
      await say(again, 'now');
      await chat('slow', '0');
      expect((await page.next('chat_slow')).slow_seconds).toBe(0);
      await say(again, 'at once');
      const { code, err } = await chat('slow', '601');
      expect([code, err]).toEqual([2, expect.stringContaining('the seconds must be 0 to 600')]);
    });

    test('a host who says too much at once is told to wait', async () => {
      const { body } = await service.call('POST', '/v1/activities', { body: { name: 'loud' } });
      const path = `/manage/v1/channels/${body.id}/chat/say`;
      const statuses = new Map<number, number>();
      for (let n = 0; n < 21; n++) {
        const { status } = await service.call('POST', path, { body: { text: `line ${n}` } });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      expect([...statuses]).toEqual([
        [200, 20],
        [429, 1],
      ]);
    });

    test('pages see what the host says and pins by command', async () => {
      const page = await enter('kim');
      const [line] = (await chat('say', 'by  command', '--nick', 'Anna')).lines();
      expect(line).toMatchObject({ nick: 'Anna', text: 'by command', host: true });
      const isIt = ({ messages }: { messages: ShownMessage[] }) =>
        messages.some(({ id, host }) => id === line.id && host === true);
      await page.next('chat', isIt);
      const [unnamed] = (await chat('say', 'by the channel')).lines();
      expect(unnamed).toMatchObject({ nick: 'show' });
      expect((await chat('pin', String(line.id))).lines()).toEqual([{ pinned: line }]);
      expect((await page.next('chat_pinned')).message).toMatchObject({ id: line.id, nick: 'Anna' });
      expect((await chat('unpin')).lines()).toEqual([{ pinned: null }]);
      expect((await page.next('chat_pinned')).message).toBeNull();
      for (const [words, sentence] of [
        [['say', '\u200b'], 'text must have something that can be seen'],
        [['say', 'x'.repeat(501)], 'text must be at most'],
        [['say'], 'the text must be given'],
        [['pin', '999999'], 'No such message'],
        [['pin', 'x'], 'the message id must be a whole number'],
      ] as const) {
        const { code, err } = await chat(...words);
        expect({ words, isRefused: code !== 0, says: err.includes(sentence) }).toEqual({
          words,
          isRefused: true,
          says: true,
        });
      }
    });

    test('pages follow what is done by command', async () => {
      const page = await enter('bob');
      const ids = [await say(page, 'first'), await say(page, 'second')];
      const listed = (await chat('list', '--count', '2')).lines();
      expect(listed.map(({ id, viewer_id, text }) => [id, viewer_id, text])).toEqual([
        [ids[1], 'bob', 'second'],
        [ids[0], 'bob', 'first'],
      ]);
      expect((await chat('remove', '--ids', String(ids[0]))).lines()).toEqual([
        { removed: [ids[0]] },
      ]);
      expect((await page.next('chat_removed')).ids).toEqual([ids[0] ?? 0]);
      expect((await chat('remove', '--viewer', 'bob')).lines()).toEqual([{ removed: [ids[1]] }]);
      expect((await page.next('chat_removed')).ids).toEqual([ids[1] ?? 0]);
      expect((await chat('close')).lines()).toEqual([{ open: false }]);
      expect((await page.next('chat_open')).open).toBeFalse();
      await chat('open');
      expect((await page.next('chat_open')).open).toBeTrue();
      await chat('mute', '--viewer', 'bob', '--for', '2h');
      page.say({ type: 'chat', text: 'muted' });
      expect((await page.next('notice')).notice).toBe('muted');
      const silences = (await chat('silences')).lines();
      expect(silences.map(({ viewer_id, kind }) => `${viewer_id} ${kind}`)).toEqual([
        'ada ban',
        'bob mute',
      ]);
      expect((await chat('lift', '--viewer', 'bob')).lines()).toEqual([
        { viewer_id: 'bob', lifted: ['mute'] },
      ]);
      await say(page, 'heard again');
      await chat('ban', '--viewer', 'bob');
      expect(await page.closed).toBe(4001);
    });

    test('an erased viewer is gone from pages and records, and what is erased was in the export', async () => {
      const watcher = await enter('watcher');
      const page = await enter('cyd');
      const id = await say(page, 'please forget me');
      await page.leave();
      const viewer = (word: string) => run(service.settings, 'viewer', word, '--uid', 'cyd');
      const foreign = ['--uid', 'cyd', '--channel', String(channel_id), '--account', '2'];
      const refused = await run(service.settings, 'viewer', 'erase', ...foreign);
      expect(refused.err).toContain(`channel ${channel_id} is not of account 2`);
      const exported = (await viewer('export')).lines();
      expect(exported.map(({ table }) => table)).toEqual(['visitors', 'sessions', 'chat_messages']);
      expect((await viewer('erase')).lines()).toEqual([
        { channel_id, records: 2, silences: 0, registrations: 0, lists: 0, messages: 1 },
      ]);
      await watcher.next('chat_removed', ({ ids }) => ids.includes(id));
      expect((await viewer('export')).out).toBe('');
      const { text } = await service.call('POST', `/v1/activities/${channel_id}/visitors`);
      expect(text).toContain('watcher');
      expect(text).not.toContain('cyd');
    });

    /** They come back by themselves with what they were told before: all of it is new. */
    const comesBackNew = async (viewer_id: string, before: Welcome) => {
      const page = connect(viewer_id, before.resume);
      const welcome = await page.welcome();
      expect(welcome.resume).not.toBe(before.resume);
      const text = `${viewer_id} is new here`;
      page.say({ type: 'chat', text });
      const { messages } = await page.next('chat', (told) => told.messages.at(-1)?.text === text);
      expect(messages.at(-1)?.author).toBe(welcome.viewer.author);
      const lines = (await run(service.settings, 'viewer', 'export', '--uid', viewer_id)).lines();
      expect(lines.map(({ table }) => table)).toEqual(['visitors', 'sessions', 'chat_messages']);
      expect(lines[0]).toMatchObject({ visit_times: 1, comment_count: 1 });
    };

    test('a viewer who is there when they are erased is sent away at once, and comes back new', async () => {
      const page = connect('dee');
      const before = await page.welcome();
      await moderate('mute', { viewer_id: 'dee' });
      page.say({ type: 'chat', text: 'muted' });
      expect((await page.next('notice')).notice).toBe('muted');
      await service.call('POST', '/manage/v1/viewers/erase', { body: { viewer_id: 'dee' } });
      expect(await page.closed).toBe(4004);
      await comesBackNew('dee', before);
    });

    test('a viewer who was erased by command is sent away when they are next heard of', async () => {
      const page = connect('eve');
      const before = await page.welcome();
      await run(service.settings, 'viewer', 'erase', '--uid', 'eve');
      page.say({ type: 'report', played_ms: 0 });
      expect(await page.closed).toBe(4004);
      await comesBackNew('eve', before);
    });
  });
}

describe('a command that cannot be understood is refused with a sentence', () => {
  const settings = { DATA_DIR: temporaryFolder() };

  test.each([
    ['chat list', '--channel must be given', 2],
    ['chat list --channel 999', 'there is no database in', 5],
    ['chat list --channel 1 --count 0', '--count must be 1 to 1000', 2],
    ['chat remove --channel 1', 'either --ids or --viewer must be given', 2],
    ['chat mute --channel 1', '--viewer must be given', 2],
    ['chat mute --channel 1 --viewer a --for x', '--for must be such as', 2],
    ['viewer erase', '--uid must be given', 2],
    ['viewer export --uid a --channel 999', 'there is no database in', 5],
  ])('%s', async (words, sentence, code) => {
    const ran = await run(settings, ...words.split(' '));
    expect(ran.err).toContain(sentence);
    expect(ran.code).toBe(code);
  });
});
