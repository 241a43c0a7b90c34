// Webhooks, judged by the package of Standard Webhooks.
import { describe, expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { signWebhook, verifyWebhook, WebhookError } from './webhook.ts';

const secret = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`;
const another = `whsec_${Buffer.from('another secret, which is newer..').toString('base64')}`;
const body = '{"type":"channel.live","timestamp":"2026-05-01T19:30:00.000Z","data":{"name":"名"}}';
const id = 'evt_7';

/** Headers as the package signs them. */
function headersBy(key: string, { at = new Date(), text = body } = {}): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(key).sign(id, at, text),
  };
}

test('what the package signs is verified, as text and as bytes, by any kind of headers', async () => {
  const headers = headersBy(secret);
  const event: unknown = await verifyWebhook(body, headers, secret);
  expect(event).toEqual(JSON.parse(body));
  const bytes = new TextEncoder().encode(body);
  const capitals = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  );
  for (const sent of [bytes, bytes.buffer, Buffer.from(body)])
    for (const kind of [headers, new Headers(headers), capitals])
      expect((await verifyWebhook(sent, kind, secret)) as unknown).toEqual(JSON.parse(body));
});

test('a call that tries a webhook out is of a type of its own, as every other', async () => {
  const text =
    '{"type":"webhook.test","timestamp":"2026-05-01T19:30:00.000Z","data":{"webhook_id":3}}';
  const event = await verifyWebhook(text, headersBy(secret, { text }), secret);
  if (event.type !== 'webhook.test') throw new Error(`it is ${event.type}`);
  // Known to the compiler.
  const webhook: number = event.data.webhook_id;
  expect(webhook).toBe(3);
});

test('what is signed here the package verifies', async () => {
  const headers = await signWebhook(body, secret, { id });
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
});

test('while a secret is changed either is enough, on either side', async () => {
  const [old = '', recent = ''] = [secret, another].map(
    (key) => headersBy(key)['webhook-signature'],
  );
  const both = { ...headersBy(secret), 'webhook-signature': `v1a,abc ${old} ${recent}` };
  await verifyWebhook(body, both, secret);
  await verifyWebhook(body, both, another);
  await verifyWebhook(body, headersBy(another), [secret, another]);
  await expect(verifyWebhook(body, headersBy(another), secret)).rejects.toThrow('No signature');
});

describe('a call is refused', () => {
  const right = headersBy(secret);
  test.each<[string, string, Record<string, string>, string]>([
    ['with another body', body.replace('live', 'dead'), right, 'No signature'],
    ['under another id', body, { ...right, 'webhook-id': 'evt_8' }, 'No signature'],
    [
      'with another time',
      body,
      { ...right, 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) - 7) },
      'No signature',
    ],
    [
      'of another version',
      body,
      { ...right, 'webhook-signature': (right['webhook-signature'] ?? '').replace('v1', 'v2') },
      'No signature',
    ],
    [
      'with a signature that is none',
      body,
      { ...right, 'webhook-signature': 'v1,*** v1 v1,' },
      'No signature',
    ],
    ['without an id', body, { ...right, 'webhook-id': '' }, 'no webhook-id'],
    [
      'without a signature',
      body,
      { 'webhook-id': id, 'webhook-timestamp': '1' },
      'no webhook-signature',
    ],
    ['whose time is none', body, { ...right, 'webhook-timestamp': '1e9' }, 'no time'],
    ['that is too old', body, headersBy(secret, { at: new Date(Date.now() - 302_000) }), 'too old'],
    ['from the future', body, headersBy(secret, { at: new Date(Date.now() + 302_000) }), 'future'],
    ['that is no JSON', 'x', headersBy(secret, { text: 'x' }), 'no JSON'],
  ])('%s', async (_, text, headers, why) => {
    const verified = verifyWebhook(text, headers, secret);
    await expect(verified).rejects.toThrow(WebhookError);
    await expect(verified).rejects.toThrow(why);
  });

  test('where the time lies within what is asked for it is not', async () => {
    const at = new Date(Date.now() - 3_600_000);
    const headers = headersBy(secret, { at });
    await verifyWebhook(body, headers, secret, { toleranceSeconds: 4_000 });
    await verifyWebhook(body, headers, secret, { now: at.getTime() + 300_000 });
    await expect(
      verifyWebhook(body, headers, secret, { now: at.getTime() + 302_000 }),
    ).rejects.toThrow('too old');
  });
});

test('a mistake of the receiver’s own is no WebhookError', async () => {
  const headers = headersBy(secret);
  for (const wrong of [Number.NaN, -1, '5 minutes' as never])
    for (const name of ['toleranceSeconds', 'now'])
      await expect(verifyWebhook(body, headers, secret, { [name]: wrong })).rejects.toThrow(
        new TypeError(`${name} must be a number from 0 on (got ${wrong})`),
      );
  const parsed = JSON.parse(body);
  await expect(verifyWebhook(parsed, headers, secret)).rejects.toThrow(TypeError);
  for (const wrong of ['', 'whsec_', 'whsec_***'])
    await expect(verifyWebhook(body, headers, wrong)).rejects.toThrow(TypeError);
});
