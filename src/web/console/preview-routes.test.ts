// The preview of a viewing page: the real page with other settings, of which nothing is kept.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';

for (const engine of engines) {
  describe(engine.name, () => {
    const started: { service?: TestService; id?: number } = {};
    const preview = async (body: object) => {
      const path = `/manage/v1/channels/${started.id}/page/preview`;
      return (await started.service?.call('POST', path, { body }))?.body;
    };

    beforeAll(async () => {
      const service = await startTestService(engine);
      const made = await service.call('POST', '/v1/activities', { body: { name: 'Spring & co' } });
      Object.assign(started, { service, id: made.body.id });
      const body = { footer: 'saved', theme: 'tech' };
      await service.call('PUT', `/v1/activities/${made.body.id}/page`, { body });
    });

    afterAll(async () => {
      await started.service?.stop();
    });

    test('of nothing is the page as it is saved, with every setting', async () => {
      const { page, html } = await preview({});
      expect(page).toMatchObject({ footer: 'saved', theme: 'tech', show_qrcode: true });
      expect(html).toContain('<footer dir="auto">saved</footer>');
      expect(html).toContain('data-theme="tech"');
      expect(html).toContain('<title>Spring &amp; co</title>');
    });

    test('shows other settings and keeps none of them', async () => {
      const { page, html } = await preview({ footer: '<b>other</b>', theme: '', kind: 'mobile' });
      expect(page).toMatchObject({ footer: '<b>other</b>', theme: 'default' });
      expect(html).toContain('<footer dir="auto">&lt;b&gt;other&lt;/b&gt;</footer>');
      expect(html).toContain('<body class="mobile"');
      expect((await preview({})).page).toMatchObject({ footer: 'saved', theme: 'tech' });
    });

    test('is in the language that is asked for', async () => {
      expect((await preview({ language: 'zh' })).html).toContain('<html lang="zh');
    });

    test('lets nobody in, so that no session is made', async () => {
      const { html } = await preview({});
      expect(/"ticket":"([^"]*)"/.exec(html)?.[1]).toBe('');
    });

    test('names the field that cannot be understood', async () => {
      const { errors } = await preview({ bg_color: 'reddish', banner: 'javascript:1' });
      expect(errors.code).toBe(400001);
      expect(errors.fields.map(({ name }: { name: string }) => name)).toEqual([
        'banner',
        'bg_color',
      ]);
    });
  });
}
