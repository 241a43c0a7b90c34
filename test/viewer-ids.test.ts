// One browser in front of two accounts: each knows it by an id of its own, and may silence, export and erase that one.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { scopes } from '../src/base/api/caller.ts';
import type { WatchData } from '../src/web/pages/page-data.ts';
import { engines } from './support/engines.ts';
import { desktopChrome, TestPage } from './support/page.ts';
import { type Json, startTestService, type TestService } from './support/service.ts';

/** An account with its shows. */
interface Tenant {
  token: string;
  shows: number[];
}

for (const engine of engines) {
  describe(engine.name, () => {
    let service: TestService;
    let ours: Tenant;
    let theirs: Tenant;
    let cookie = '';

    beforeAll(async () => {
      service = await startTestService(engine);
      ours = await newTenant(service.token, 2);
      const account_id = await service.newAccount();
      theirs = await newTenant(await service.newToken({ account_id, scopes }), 1);
    });
    afterAll(() => service.stop());

    const newTenant = async (token: string, count: number): Promise<Tenant> => {
      const shows: number[] = [];
      for (let n = 0; n < count; n++)
        shows.push((await ask({ token }, '/v1/activities', { name: `show ${n}` })).body.id);
      return { token, shows };
    };
    const ask = ({ token }: Pick<Tenant, 'token'>, path: string, body: object = {}) =>
      service.call('POST', path, { token, body });
    const idsOf = async (tenant: Tenant, show = tenant.shows[0]): Promise<string[]> => {
      const { body } = await ask(tenant, `/v1/activities/${show}/visitors`);
      return body.map(({ visitor_id }: Json) => visitor_id);
    };
    /** The browser opens the page of a show, with the cookie that it has by now. */
    const open = async (show: number | undefined): Promise<TestPage> => {
      const headers = { 'user-agent': desktopChrome, ...(cookie !== '' && { cookie }) };
      const reply = await service.call('GET', `/watch/${show}`, { token: null, headers });
      cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      const data = /id="page">(.*?)<\/script>/s.exec(reply.text)?.[1] ?? '{}';
      const { ticket } = JSON.parse(data) as WatchData;
      return new TestPage(service.url, { ticket });
    };
    /** It enters, says something and leaves. */
    const visit = async (show: number | undefined): Promise<void> => {
      const page = await open(show);
      const { viewer } = await page.welcome();
      page.say({ type: 'chat', text: `hello ${show}` });
      const { messages } = await page.next('chat');
      expect(messages.map(({ author }) => author)).toEqual([viewer.author]);
      await page.leave();
    };

    test('it is one viewer in all shows of an account, and another in the other account', async () => {
      for (const show of [...ours.shows, ...theirs.shows]) await visit(show);
      const [here, alsoHere, there] = await Promise.all([
        idsOf(ours),
        idsOf(ours, ours.shows[1]),
        idsOf(theirs),
      ]);
      expect(here).toEqual([expect.stringMatching(/^v-[a-z2-7]{20}$/)]);
      expect(alsoHere).toEqual(here);
      expect(there).toEqual([expect.stringMatching(/^v-[a-z2-7]{20}$/)]);
      expect(there).not.toEqual(here);
      const [, browserId = ''] = cookie.split('.');
      expect(browserId).toMatch(/^[a-z2-7]{20}$/);
      for (const table of ['sessions', 'visitors', 'chat_messages'])
        expect(JSON.stringify(await service.store.all(`SELECT * FROM ${table}`))).not.toContain(
          browserId,
        );
    });

    test('who is banned by the id of the records is kept out there, and not in the other account', async () => {
      const [show] = ours.shows;
      const [viewer_id] = await idsOf(ours);
      await ask(ours, `/manage/v1/channels/${show}/chat/ban`, { viewer_id });
      const banned = await open(show);
      expect((await banned.next('refused')).reason).toBe('banned');
      await ask(ours, `/manage/v1/channels/${ours.shows[1]}/chat/mute`, { viewer_id });
      const muted = await open(ours.shows[1]);
      await muted.welcome();
      muted.say({ type: 'chat', text: 'unheard' });
      expect((await muted.next('notice')).notice).toBe('muted');
      await muted.leave();
      await visit(theirs.shows[0]);
    });

    test('an account exports and erases its own viewer, and knows nothing of the other', async () => {
      const [[here], [there]] = [await idsOf(ours), await idsOf(theirs)];
      const exported = async (tenant: Tenant, viewer_id: string | undefined) => {
        const { text } = await ask(tenant, '/manage/v1/viewers/export', { viewer_id });
        const lines = text.split('\n').filter((line) => line !== '');
        return lines.map((line) => JSON.parse(line).channel_id);
      };
      expect(new Set(await exported(ours, here))).toEqual(new Set(ours.shows));
      expect(new Set(await exported(theirs, there))).toEqual(new Set(theirs.shows));
      expect([await exported(ours, there), await exported(theirs, here)]).toEqual([[], []]);
      const { body } = await ask(ours, '/manage/v1/viewers/erase', { viewer_id: here });
      expect(body.channels.map(({ channel_id }: Json) => channel_id)).toEqual(ours.shows);
      expect(await idsOf(ours)).toEqual([]);
      expect(await idsOf(theirs)).toEqual([there as string]);
    });
  });
}
