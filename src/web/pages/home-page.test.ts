// What a stranger sees at `/` and at an address where there is nothing.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { startTestPages } from '../../../test/support/page-server.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { createChannel } from '../../library/channels/channel-store.ts';
import { publicChannels } from './public-channels.ts';

const noon = Date.UTC(2026, 4, 4, 12);
const hour = 3_600_000;
const assets = {
  ofPages: async () => ({ style: '', scripts: { watch: '', video: '', door: '' } }),
  answer: async () => ({ headers: {}, body: 'asset' }),
};
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    const clock = { now: noon };
    const pages = await startTestPages(store, { now: () => clock.now, assets });
    afterAll(async () => {
      await pages.stop();
      await store.close();
    });
    const channel = async (name: string, set: Record<string, unknown>, sql = 'live = 0') => {
      const owner = { account_id: 1, manager_id: 0 };
      const page = { set, clear: [] };
      const made = { owner, name, manager_id: 0, page, now: noon, idempotency: undefined };
      const { row } = await store.perform(createChannel, made);
      await store.run(`UPDATE channels SET ${sql} WHERE id = $1`, [row.id]);
      return row.id;
    };
    const home = async (headers = {}) => {
      // What was remembered is old by then.
      clock.now += 3_000;
      return await (await pages.get('/', headers)).text();
    };

    test('without public channels there is one calm line, and the ways to console and docs', async () => {
      await channel('Secret show', {}, 'live = 1');
      const text = await home();
      expect(text).toContain('Nothing is shown here');
      expect(text).toContain('href="/console"');
      expect(text).toContain('href="/docs"');
      expect(text).not.toContain('Secret show');
      expect(await home({ 'accept-language': 'zh-CN' })).toContain('lang="zh');
    });

    test('public channels stand under what they are about, each once', async () => {
      const open = { public: true };
      const id = await channel('Now & here', open, `live = 1, last_push_stream_at = ${noon}`);
      await channel('Tomorrow', { ...open, start_time: noon + 24 * hour });
      await channel('In an hour', { ...open, start_time: noon + hour, cover_image: '/c.png' });
      await channel('Yesterday', open, `last_push_stream_at = ${noon - 24 * hour}`);
      await channel('Missed', { ...open, start_time: noon - hour });
      await channel(
        'Was, and comes',
        { ...open, start_time: noon + 2 * hour },
        'last_push_stream_at = 1',
      );
      await channel('Never said', open);
      const text = await home();
      expect(namesIn(text)).toEqual({
        'on-air': ['Now &amp; here'],
        upcoming: ['In an hour', 'Was, and comes', 'Tomorrow'],
        past: ['Missed', 'Yesterday'],
      });
      expect(text).toContain(`href="/watch/${id}"`);
      expect(text).toContain('src="/c.png"');
      expect(text).toContain('2026-05-04 21:00 (Asia/Shanghai)');
      expect(text).not.toContain('Secret show');
    });

    test('each list has an end', async () => {
      for (let n = 0; n < 30; n++)
        await channel(`old ${n}`, { public: true, start_time: noon - 48 * hour - n });
      expect(namesIn(await home())['past']).toHaveLength(24);
    });

    test('who comes within three seconds is shown what the last one saw; who comes later is not', async () => {
      let looks = 0;
      const sql = {
        dialect: store.dialect,
        one: store.one.bind(store),
        run: store.run.bind(store),
        all: <Row>(...asked: Parameters<typeof store.all>) => {
          looks += 1;
          return store.all<Row>(...asked);
        },
      };
      let now = noon;
      const channels = publicChannels({ now: () => now });
      const [first, second] = await Promise.all([channels.look(sql), channels.look(sql)]);
      expect(second).toBe(first);
      now += 2_999;
      await channels.look(sql);
      expect(looks).toBe(3);
      now += 1;
      await channels.look(sql);
      expect(looks).toBe(6);
    });

    test('a look that failed is not remembered', async () => {
      const channels = publicChannels({ now: () => noon });
      const all = () => Promise.reject(new Error('away'));
      await expect(channels.look({ ...store, all })).rejects.toThrow('away');
      expect(await channels.look(store)).toHaveProperty('on_air');
    });

    test('where there is nothing a browser gets a page in its language, a program JSON', async () => {
      const page = await pages.get('/no/such', browser);
      expect(page.status).toBe(404);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await page.text()).toContain('There is no such page');
      const chinese = await pages.get('/no/such', { ...browser, 'accept-language': 'zh' });
      expect(await chinese.text()).toContain('页面不存在');
      const program = await pages.get('/no/such', { accept: '*/*' });
      expect(program.status).toBe(404);
      expect(await program.json()).toMatchObject({ errors: { code: 404000 } });
    });

    test('a form that is sent to where there is nothing gets JSON', async () => {
      const reply = await fetch(`${pages.url}/no/such`, { method: 'POST', headers: browser });
      expect(await reply.json()).toMatchObject({ errors: { code: 404000 } });
    });
  });
}

/** By section, the names in it. */
function namesIn(text: string): Record<string, string[]> {
  const sections = [...text.matchAll(/<section aria-labelledby="([\w-]+)">(.*?)<\/section>/gs)];
  const names = (part = '') =>
    [...part.matchAll(/class="name" dir="auto">(.*?)</g)].map((one) => one[1] ?? '');
  return Object.fromEntries(sections.map(([, state, part]) => [state ?? '', names(part)]));
}
