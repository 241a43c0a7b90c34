import { expect, test } from 'bun:test';
import { readSome, sentOf, type TrialField } from './trial-request.ts';

const field = (name: string, place: TrialField['place'], kind: TrialField['kind'], value = '') => ({
  name,
  place,
  kind,
  value,
  isRequired: false,
  example: undefined,
});

test('fields go where they belong, each as its kind; what is empty is not sent', () => {
  const sent = sentOf({
    method: 'PUT',
    path: '/v1/activities/{channel_id}/page',
    token: 'footlight_x',
    fields: [
      field('channel_id', 'path', 'integer', ' 7/8 '),
      field('q', 'query', 'string', 'a b&c'),
      field('p', 'query', 'integer'),
      field('Idempotency-Key', 'header', 'string', 'k'),
      field('name', 'body', 'string', '12'),
      field('count', 'body', 'integer', '12'),
      field('open', 'body', 'boolean', 'true'),
      field('ids', 'body', 'json', '[7,8]'),
      field('wrong', 'body', 'integer', 'twelve'),
    ],
  });
  expect(sent).toEqual({
    method: 'PUT',
    address: '/v1/activities/7%2F8/page?q=a+b%26c',
    headers: {
      Authorization: 'Bearer footlight_x',
      'Content-Type': 'application/json',
      'Idempotency-Key': 'k',
    },
    body: '{"name":"12","count":12,"open":true,"ids":[7,8],"wrong":"twelve"}',
  });
});

test('of a long answer the beginning is shown, and JSON with its lines', async () => {
  const long = await readSome(new Response('x'.repeat(300_000)));
  expect(long.length).toBeLessThan(101_000);
  expect(long).toEndWith('and more');
  expect(await readSome(Response.json({ a: 1 }))).toBe('{\n  "a": 1\n}');
});
