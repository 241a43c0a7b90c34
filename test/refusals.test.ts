// What an operator sees of who is refused, and how a network is allowed more: the command line beside a running service.
import { afterAll, describe, expect, test } from 'bun:test';
import { watchLinkQuery } from '../src/audience/viewers/watch-link.ts';
import { publishTo } from '../src/stream/rtmp/rtmp-client.ts';
import { engines } from './support/engines.ts';
import { until } from './support/live-channel.ts';
import { startTestService } from './support/service.ts';
import { runTyped as run } from './support/typed-line.ts';

for (const engine of engines) {
  describe(engine.name, async () => {
    // The command line goes by the machine's own clock.
    const service = await startTestService(engine, { now: Date.now() });
    const { settings } = service;
    afterAll(() => service.stop());

    test('who is refused is shown with the reason, how often and since when', async () => {
      const wrong = `rtmp://127.0.0.1:${service.rtmpPort}/live/wrong`;
      await expect(publishTo(wrong)).rejects.toThrow('No channel has this publish key');
      const shown = async () => {
        const { out, lines } = await run(settings, 'refusals');
        return out === '' ? [] : lines();
      };
      await until(async () => (await shown()).length > 0, {
        withinMs: 20_000,
        otherwise: 'no refusal was shown',
      });
      const [refusal] = await shown();
      expect(refusal).toEqual({
        kind: 'rtmp',
        reason: 'key',
        sentence: expect.stringMatching(/key/),
        who: '127.0.0.1',
        count: 1,
        first_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        last_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      });
    });

    test('a watch link that names nobody is shown with the reason, by its channel', async () => {
      const { body: channel } = await service.call('POST', '/v1/activities', {
        body: { name: 'linked' },
      });
      const { secret } = (await service.call('GET', '/manage/v1/viewer-secret')).body;
      const user = { uid: 'u-42', nick: '', phone: '', expires: 4_000_000_000 };
      const link = (given: object, key = secret) =>
        watchLinkQuery(key, { channel_id: channel.id, ...user, ...given });
      const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0' };
      const open = async (query: URLSearchParams) =>
        (await fetch(`${service.url}/watch/${channel.id}?${query}`, { headers: browser })).status;
      for (const query of [
        link({}),
        link({}, 'another'),
        link({ channel_id: channel.id + 1 }),
        link({ expires: 1 }),
        link({ uid: '' }),
      ])
        expect(await open(query)).toBe(200);
      // They are written now and then.
      service.clock.now += 60_000;
      const shown = async () => (await run(settings, 'refusals')).lines();
      const ofLinks = async () => (await shown()).filter(({ kind }) => kind === 'watch_link');
      await until(async () => (await ofLinks()).length === 3, {
        withinMs: 20_000,
        otherwise: 'not every reason was shown',
      });
      const found = (await ofLinks()).map(({ reason, who, count }) => [reason, who, count]);
      const who = `channel ${channel.id}`;
      expect(found.toSorted()).toEqual([
        ['expired', who, 1],
        ['unreadable', who, 1],
        ['wrong', who, 2],
      ]);
    });

    test('a network is allowed, listed and removed', async () => {
      const allowed = await run(settings, 'network', 'allow', '192.0.2.0/24', '--note', 'the hall');
      expect(allowed.lines()).toEqual([{ network: '192.0.2.0/24', note: 'the hall' }]);
      const [listed] = (await run(settings, 'network', 'list')).lines();
      expect(listed).toMatchObject({ network: '192.0.2.0/24', note: 'the hall' });
      expect((await run(settings, 'network', 'remove', '192.0.2.0/24')).code).toBe(0);
      const again = await run(settings, 'network', 'remove', '192.0.2.0/24');
      expect([again.code, again.err]).toEqual([3, expect.stringContaining('is not allowed')]);
    });

    test.each([
      [['network', 'allow'], 'the network must be given'],
      [['network', 'allow', 'the hall'], 'must be such as 192.0.2.7'],
      [['network', 'allow', '192.0.2.0/99'], 'must be such as 192.0.2.7'],
      [['network', 'allow', '192.0.2.1,192.0.2.2'], 'one network at a time'],
      [['refusals', 'all'], 'one word too many'],
    ])('%j is answered with what was wanted', async (words, wanted) => {
      const { code, err } = await run(settings, ...words);
      expect([code, err]).toEqual([2, expect.stringContaining(wanted)]);
    });
  });
}
