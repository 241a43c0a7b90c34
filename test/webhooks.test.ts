// Webhooks of a whole service: made over HTTP and by the command line, told of real channels, tried out, sent again.
import { afterAll, describe, expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { testKind } from '../src/library/events/event.ts';
import { run } from './support/command-line.ts';
import { engines } from './support/engines.ts';
import { until } from './support/live-channel.ts';
import { patience } from './support/machine-pace.ts';
import { startTestService } from './support/service.ts';
import { type Received, startReceiver } from './support/webhook-receiver.ts';

const hooks = '/manage/v1/webhooks';

for (const engine of engines) {
  describe(engine.name, async () => {
    const settings = { WEBHOOK_PRIVATE_TARGETS: '127.0.0.1', WEBHOOKS_PER_ACCOUNT: '3' };
    const service = await startTestService(engine, { settings, now: Date.now() });
    const receiver = startReceiver();
    afterAll(async () => {
      await service.stop();
      await receiver.stop();
    });
    const post = (path: string, body: object = {}) => service.call('POST', hooks + path, { body });
    const channel = async (name: string) =>
      (await service.call('POST', '/v1/activities', { body: { name } })).body.id as number;

    test('a webhook is told of what happens, promptly, signed, and the secret is shown once', async () => {
      const asked = {
        url: `${receiver.url}?key=hidden`,
        events: ['channel.created', 'channel.updated'],
      };
      const made = await post('', { ...asked, description: 'the shop' });
      expect(made.status).toBe(200);
      const { id, secret } = made.body;
      expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
      const shown = await service.call('GET', `${hooks}/${id}`);
      expect(shown.text).not.toContain('whsec_');
      expect((await service.call('GET', hooks)).text).not.toContain('whsec_');
      const channel_id = await channel('launch');
      await service.call('PUT', `/v1/activities/${channel_id}`, { body: { name: 'lunch' } });
      await receiver.heard(2);
      const told = receiver.received.map(({ type, data }) => [
        type,
        data['channel_id'],
        data['name'],
      ]);
      expect(told).toEqual([
        ['channel.created', channel_id, 'launch'],
        ['channel.updated', channel_id, 'lunch'],
      ]);
      for (const { body, headers } of receiver.received) new Webhook(secret).verify(body, headers);
      const log = service.logLines.join('\n');
      expect(log).not.toContain('hidden');
    });

    test('its secret is made anew, it is tried out, changed, and its deliveries are shown and sent again', async () => {
      const [{ id }] = (await service.call('GET', hooks)).body.webhooks;
      const rotated = (await post(`/${id}/rotate-secret`)).body;
      expect(rotated.old_secret_until).not.toBe('');
      const tested = (await post(`/${id}/test`)).body;
      expect(tested).toMatchObject({
        type: 'webhook.test',
        is_test: true,
        state: 'delivered',
        status: 204,
      });
      const { body, headers } = receiver.received.at(-1) as Received;
      expect(tested.request.body).toBe(body);
      new Webhook(rotated.secret).verify(body, headers);
      expect(testKind.data.strict().parse(JSON.parse(body).data)).toEqual({ webhook_id: id });
      const { deliveries, next_before } = (
        await service.call('GET', `${hooks}/${id}/deliveries?perPage=2`)
      ).body;
      expect(deliveries.map(({ type }: { type: string }) => type)).toEqual([
        'webhook.test',
        'channel.updated',
      ]);
      const older = await service.call('GET', `${hooks}/${id}/deliveries?before=${next_before}`);
      expect(older.body).toMatchObject({
        deliveries: [{ type: 'channel.created' }],
        next_before: null,
      });
      const count = receiver.received.length;
      const first = older.body.deliveries[0];
      const again = await post(`/${id}/deliveries/${first.id}/resend`);
      expect(again.body).toMatchObject({ event_id: first.event_id, is_resend: true });
      await receiver.heard(count + 1);
      expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(first.event_id);
      // What still waits is not sent once more.
      const isDone = async () => {
        const { body } = await service.call('GET', `${hooks}/${id}/deliveries/${again.body.id}`);
        return body.state === 'delivered';
      };
      await until(isDone, { withinMs: patience(10_000), otherwise: 'it was not written down' });
      expect((await post(`/${id}/resend`, { states: ['delivered'] })).body).toEqual({
        count: 2,
        next_from: null,
      });
      await receiver.heard(count + 3);
      const one = (await service.call('GET', `${hooks}/${id}/deliveries/${first.id}`)).body;
      expect(one.request.headers.map(({ name }: { name: string }) => name)).toContain(
        'webhook-signature',
      );
      expect((await post(`/${id}/deliveries/${first.id + 999}/resend`)).body.errors.code).toBe(
        404017,
      );
    });

    test('one that is disabled is sent nothing, and then what has happened meanwhile', async () => {
      const [{ id }] = (await service.call('GET', hooks)).body.webhooks;
      const off = await service.call('PUT', `${hooks}/${id}`, { body: { enabled: false } });
      expect(off.body).toMatchObject({ enabled: false, disabled_reason: 'by_owner' });
      const count = receiver.received.length;
      await channel('while it was off');
      await service.call('PUT', `${hooks}/${id}`, { body: { enabled: true } });
      await receiver.heard(count + 1);
      expect(receiver.received.at(-1)?.data['name']).toBe('while it was off');
    });

    test('what cannot be a webhook is refused with the field', async () => {
      const asked = { url: 'https://hook.example/', events: ['channel.live'] };
      for (const [body, name] of [
        [{ ...asked, url: 'http://10.0.0.1/' }, 'url'],
        [{ ...asked, url: 'http://u:p@hook.example/' }, 'url'],
        [{ ...asked, events: ['channel.liv'] }, 'events'],
        [{ ...asked, events: [] }, 'events'],
        [{ url: asked.url }, 'events'],
      ] as const) {
        const { status, body: refused } = await post('', body);
        expect({ status, name: refused.errors.fields[0]?.name }).toEqual({ status: 400, name });
      }
      expect((await post('', asked)).status).toBe(200);
      expect((await post('', asked)).status).toBe(200);
      expect((await post('', asked)).body.errors.code).toBe(403002);
    });

    test('the metrics tell what came of tries', async () => {
      const { text } = await service.call('GET', '/metrics');
      expect(text).toMatch(/footlight_webhook_tries_total\{result="delivered"\} [1-9]/);
      expect(text).toContain('footlight_webhook_pending_age_seconds');
    });

    test('the command line makes, tries out, lists and removes one beside the service', async () => {
      const words = (...all: string[]) => run(service.settings, 'webhook', ...all);
      for (const { id } of (await service.call('GET', hooks)).body.webhooks)
        expect((await words('delete', String(id))).code).toBe(0);
      const made = await words(
        'create',
        receiver.url,
        '--events',
        'channel.created,channel.deleted',
      );
      expect(made.out.trim()).toMatch(/^whsec_/);
      const [listed] = (await words('list')).lines();
      expect(listed).toMatchObject({ account_id: 1, url: receiver.url, enabled: true });
      const id = String(listed.id);
      const count = receiver.received.length;
      await channel('by the command line');
      await receiver.heard(count + 1);
      const { headers, body } = receiver.received.at(-1) as Received;
      new Webhook(made.out.trim()).verify(body, headers);
      expect((await words('test', id)).lines()[0]).toMatchObject({ status: 204, is_test: true });
      const [, sent] = (await words('deliveries', id, '--state', 'delivered')).lines();
      expect(sent).toMatchObject({ type: 'channel.created' });
      expect((await words('resend', id, '--delivery', String(sent.id))).code).toBe(0);
      await receiver.heard(count + 3);
      expect((await words('disable', id)).lines()).toEqual([{ id: Number(id), enabled: false }]);
      const wrong = await words('create', 'http://10.1.1.1/', '--events', 'channel.created');
      expect(wrong).toMatchObject({ code: 2 });
      expect(wrong.err).toContain('private address');
    });
  });
}
