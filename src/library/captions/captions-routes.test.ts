// Captions in the whole service, on both engines: set, listed, served, refused, hidden and removed with their video.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { callByCookie, signUp } from '../../../test/support/people.ts';
import { fileOf } from '../../../test/support/pictures.ts';
import { addVideos, expectError } from '../../../test/support/scenarios.ts';
import { startTestService } from '../../../test/support/service.ts';
import { startLog } from '../../base/lib/log.ts';
import { removeGone } from '../deletion/channel-removal.ts';
import { captionsLimits } from './captions-limits.ts';

const invalid = { status: 400, code: 400001 };
const noVideo = { status: 404, code: 404003 };
const noCaptions = { status: 404, code: 404018 };
const notCaptions = { status: 415, code: 415004 };
const dayMs = 86_400_000;

const vtt = (said: string) => `WEBVTT\n\n00:00:01.000 --> 00:00:02.500\n${said}\n`;
const file = (text: string, type = 'text/vtt') => fileOf(new TextEncoder().encode(text), type);

for (const engine of engines) {
  describe(engine.name, async () => {
    const service = await startTestService(engine, { settings: { ACCOUNT_DISK: '100000' } });
    afterAll(() => service.stop());
    const { store, clock, url } = service;
    const newVideo = async (name = 'a talk', channel_id?: number) => {
      const given = channel_id === undefined ? {} : { channel_id };
      const [id = 0] = await addVideos(service, [{ name, ...given }]);
      return id;
    };
    const path = (video: number, language = '') =>
      `/manage/v1/videos/${video}/captions${language && `/${language}`}`;
    const put = (video: number, language: string, body: Blob, query = '') =>
      service.call('PUT', path(video, language) + query, { body });
    const set = async (video: number, language: string, said: string, query = '') => {
      const reply = await put(video, language, file(vtt(said)), query);
      expect(reply.status).toBe(200);
      return reply.body;
    };
    const languages = async (video: number) =>
      (await service.call('GET', path(video))).body.captions.map(
        ({ language }: { language: string }) => language,
      );
    const served = (video: number, language: string, headers: Record<string, string> = {}) =>
      fetch(`${url}/recordings/${video}/captions/${language}.vtt`, { headers });

    test('are answered, listed by language, given back and served', async () => {
      const video = await newVideo();
      const made = await set(video, 'fr', 'Bonsoir');
      expect(made).toEqual({
        language: 'fr',
        label: 'Français',
        cues: 1,
        bytes: vtt('Bonsoir').length,
        address: `${url}/recordings/${video}/captions/fr.vtt`,
      });
      const english = await set(
        video,
        'en',
        'Good evening',
        '?label=%20For%20those%20who%20hear%20badly',
      );
      expect(english.label).toBe('For those who hear badly');
      const list = await service.call('GET', path(video));
      expect(list.body).toEqual({ captions: [english, made] });
      const given = await service.call('GET', path(video, 'fr'));
      expect(given.text).toBe(vtt('Bonsoir'));
      const answer = await fetch(made.address);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'text/vtt; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'access-control-allow-origin': '*',
        'cache-control': 'no-cache',
      });
      expect(await answer.text()).toBe(vtt('Bonsoir'));
    });

    test('others take their place, and who has those asks and loads the others', async () => {
      const video = await newVideo();
      await set(video, 'en', 'first');
      const etag = (await served(video, 'en')).headers.get('etag') ?? '';
      const again = await served(video, 'en', { 'if-none-match': etag });
      expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
      await set(video, 'en', 'second');
      const other = await served(video, 'en', { 'if-none-match': etag });
      expect([other.status, await other.text()]).toEqual([200, vtt('second')]);
      expect(await languages(video)).toEqual(['en']);
    });

    test('a language is one however it is written, and what is none is refused', async () => {
      const video = await newVideo();
      for (const language of ['zh-hant', 'ZH-Hant', 'zh_Hant', 'zh-Hant-u-ca-buddhist'])
        expect((await set(video, language, '晚上好')).language).toBe('zh-Hant');
      expect((await service.call('GET', path(video))).body.captions).toMatchObject([
        { language: 'zh-Hant', label: '繁體中文' },
      ]);
      expect((await service.call('GET', path(video, 'ZH_hant'))).text).toBe(vtt('晚上好'));
      // `en-x-simple` is another file than `en`, and must not take its place.
      const others = ['en-x-simple', 'en_X_simple', 'en-u-ca-buddhist-x-simple', 'en-t-de'];
      for (const language of ['e', 'english!', 'x'.repeat(40), '12', ...others]) {
        const refused = await put(video, language, file(vtt('a')));
        expectError(refused, { ...invalid, fields: ['language'] });
      }
      // Another spelling of the address is not one of the file.
      expect((await served(video, 'zh-hant')).status).toBe(404);
    });

    test('SubRip becomes WebVTT', async () => {
      const video = await newVideo();
      const subRip = '1\r\n00:00:01,000 --> 00:00:02,500\r\nHello\r\n';
      expect((await put(video, 'en', file(subRip, 'application/x-subrip'))).body.cues).toBe(1);
      expect(await (await served(video, 'en')).text()).toBe(vtt('Hello'));
    });

    test('what a browser would not show is refused with its line, and changes nothing', async () => {
      const video = await newVideo();
      await set(video, 'en', 'stays');
      const wrong = await put(video, 'en', file(vtt('<script>alert(1)</script>')));
      expectError(wrong, invalid);
      expect(wrong.body.errors.message).toBe(
        'Line 4: "<script>" is no tag of captions; a plain < is written as &lt;',
      );
      expectError(await put(video, 'en', file('{}')), invalid);
      expectError(await put(video, 'en', file(vtt('a'), 'text/plain')), notCaptions);
      expectError(await put(video, 'en', file(vtt('a'), 'image/png')), notCaptions);
      const large = file(vtt('x'.repeat(captionsLimits.bytesMax)));
      expectError(await put(video, 'en', large), { status: 413, code: 413001 });
      const label = `?label=${'x'.repeat(captionsLimits.labelCharactersMax + 1)}`;
      expectError(await put(video, 'en', file(vtt('a')), label), { ...invalid, fields: ['label'] });
      expect(await (await served(video, 'en')).text()).toBe(vtt('stays'));
    });

    test('a video has so many languages, and may change those that it has', async () => {
      const video = await newVideo();
      const most = captionsLimits.languagesMax;
      const tags = Array.from({ length: most }, (_, n) => `en-${100 + n}`);
      for (const language of tags) await set(video, language, 'a');
      expectError(await put(video, 'de', file(vtt('a'))), { status: 403, code: 403002 });
      await set(video, tags[0] ?? '', 'b');
      await service.call('DELETE', path(video, tags[1] ?? ''));
      await set(video, 'de', 'a');
      expect(await languages(video)).toHaveLength(most);
    });

    test('removed they are gone, and those that are not there cannot be', async () => {
      const video = await newVideo();
      await set(video, 'en', 'a');
      await set(video, 'de', 'b');
      const left = await service.call('DELETE', path(video, 'en'));
      expect(left.body.captions).toMatchObject([{ language: 'de' }]);
      for (const method of ['GET', 'DELETE'])
        expectError(await service.call(method, path(video, 'en')), noCaptions);
      expect((await served(video, 'en')).status).toBe(404);
      expectError(await service.call('GET', path(999_999)), noVideo);
      expectError(await put(999_999, 'en', file(vtt('a'))), noVideo);
    });

    test('hidden with their video and back with it; gone with it, and with its channel', async () => {
      const body = { name: 'launch' };
      const channel = (await service.call('POST', '/v1/activities', { body })).body.id as number;
      const [alone, along] = [await newVideo('alone', channel), await newVideo('along', channel)];
      const rows = async () =>
        (
          await store.all<{ video_id: number }>(
            'SELECT video_id FROM video_captions WHERE video_id IN ($1, $2) ORDER BY video_id',
            [alone, along],
          )
        ).map(({ video_id }) => video_id);
      for (const video of [alone, along]) await set(video, 'en', 'a');
      await service.call('DELETE', `/manage/v1/videos/${alone}`);
      expect((await served(alone, 'en')).status).toBe(404);
      expectError(await service.call('GET', path(alone)), noVideo);
      await service.call('POST', `/manage/v1/videos/${alone}/restore`, { body: {} });
      expect(await (await served(alone, 'en')).text()).toBe(vtt('a'));
      await service.call('DELETE', `/manage/v1/videos/${alone}`);
      await service.call('DELETE', `/v1/activities/${channel}`);
      expect((await served(along, 'en')).status).toBe(404);
      expect(await rows()).toEqual([alone, along]);
      await removeGone({
        store,
        keptMs: dayMs,
        now: () => clock.now + dayMs,
        log: startLog('silent'),
      });
      expect(await rows()).toEqual([]);
    });

    test('count in what the account may take', async () => {
      const account_id = await service.newAccount();
      const token = await service.newToken({
        account_id,
        scopes: ['manage', 'channels:write', 'videos:read', 'videos:write'],
      });
      const call = (method: string, where: string, body?: object) =>
        service.call(method, where, { token, ...(body && { body }) });
      const channel_id = (await call('POST', '/v1/activities', { name: 'a' })).body.id;
      const [video = 0] = await addVideos(service, [{ name: 'b', account_id, channel_id }]);
      const cues = (count: number) =>
        `WEBVTT\n\n${Array.from({ length: count }, () => `00:00:01.000 --> 00:00:02.000\n${'x'.repeat(970)}`).join('\n\n')}\n`;
      const first = await call('PUT', path(video, 'en'), file(cues(60)));
      const { bytes } = first.body;
      const used = (await call('GET', '/manage/v1/storage')).body;
      expect(used).toMatchObject({ bytes, captions_bytes: bytes, images_bytes: 0 });
      const noRoom = { status: 409, code: 409023 };
      expectError(await call('PUT', path(video, 'de'), file(cues(60))), noRoom);
      expect((await call('PUT', path(video, 'de'), file(cues(20)))).status).toBe(200);
      // In the place of others they take what they are longer by; what is refused changes nothing.
      const all = async () => (await call('GET', path(video))).body;
      const before = await all();
      expectError(await call('PUT', path(video, 'en'), file(cues(90))), noRoom);
      expect(await all()).toEqual(before);
      for (const count of [62, 60, 62, 1])
        expect((await call('PUT', path(video, 'en'), file(cues(count)))).status).toBe(200);
      expect((await call('PUT', path(video, 'fr'), file(cues(60)))).status).toBe(200);
    });

    test('the audit log has who set and removed which', async () => {
      const video = await newVideo('noted');
      await set(video, 'en', 'a');
      await service.call('DELETE', path(video, 'en'));
      const { entries } = (await service.call('GET', '/manage/v1/audit?group=videos')).body;
      expect(entries.slice(0, 2)).toMatchObject([
        { operation: 'removeCaptions', target: { name: 'noted' }, values: { name: 'en' } },
        { operation: 'setCaptions', target: { name: 'noted' }, values: { name: 'en' } },
      ]);
    });

    test('by the cookie they come from a page of ours alone, and never as what a form sends', async () => {
      const video = await newVideo();
      const { cookie } = await signUp(service, { user_name: 'ada' });
      const by = (body: Blob, headers: Record<string, string> = {}) =>
        callByCookie(service, 'PUT', path(video, 'en'), { cookie, body, headers });
      expect((await by(file(vtt('a')))).status).toBe(200);
      const foreign = { status: 403, code: 403010 };
      expectError(await by(file(vtt('a')), { origin: `${url}1` }), foreign);
      expectError(await by(file(vtt('a'), 'text/plain')), foreign);
    });
  });
}
