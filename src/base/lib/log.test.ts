import { expect, test } from 'bun:test';
import { makeToken } from '../../library/access/token.ts';
import { makeWebhookSecret } from '../../library/webhooks/webhook-signature.ts';
import { startLog } from './log.ts';
import { signedText } from './signed-text.ts';

function lines(
  level: 'debug' | 'info' | 'warn' | 'silent',
  work: (log: ReturnType<typeof startLog>) => void,
): string[] {
  let text = '';
  const write = (part: string) => {
    text += part;
    return part.length;
  };
  const log = startLog(level, { now: () => 0, write });
  work(log);
  log.flush();
  return text.split('\n').filter((line) => line !== '');
}

test('a line is one JSON object with time, level and message', () => {
  const [line] = lines('info', (log) => log.info('started', { port: 80 }));
  expect(JSON.parse(line ?? '')).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    level: 'info',
    message: 'started',
    port: 80,
  });
});

test('a request line is JSON too, whatever is in its path', () => {
  const path = '/v1/"x\\\n\u2028é';
  const [line] = lines('info', (log) =>
    log.request({ request_id: 'r', method: 'GET', path, status: 200, ms: 1.234 }),
  );
  expect(JSON.parse(line ?? '')).toMatchObject({ message: 'request', path, status: 200, ms: 1.23 });
});

test('levels below the least are not written', () => {
  expect(lines('warn', (log) => log.info('no'))).toEqual([]);
  expect(
    lines('warn', (log) => log.request({ request_id: '', method: '', path: '', status: 1, ms: 1 })),
  ).toEqual([]);
  expect(lines('silent', (log) => log.error('no'))).toEqual([]);
});

test('an error keeps its cause', () => {
  const [line] = lines('info', (log) =>
    log.error('failed', { cause: new Error('outer', { cause: new Error('inner') }) }),
  );
  expect(JSON.parse(line ?? '').cause).toMatchObject({
    message: 'outer',
    cause: { message: 'inner' },
  });
});

test.each([
  ['a token in any text', makeToken(), (secret: string) => ({ text: `with ${secret}.` })],
  ['a token in a path', makeToken(), (secret: string) => ({ path: `/v1/${secret}` })],
  ['a bearer header', 'Zm9vYmFy', (secret: string) => ({ header: `Bearer ${secret}` })],
  [
    'a secret of a webhook',
    makeWebhookSecret(),
    (secret: string) => ({ text: `by ${secret}, sent` }),
  ],
  [
    'a pass in a path',
    signedText('secret of the test', 'p1', 'WyJjMSIsInIiLCJoIiwxXQ'),
    (secret: string) => ({ path: `/pass/${secret}/pass/hls/1/live.m3u8` }),
  ],
  [
    'a stream key',
    '2mXb7Qk0sJcV9hTzR4yLwN1aPfUg',
    (secret: string) => ({ url: `rtmp://host/live/${secret}` }),
  ],
  [
    'a password in an address',
    'hunter2x',
    (secret: string) => ({ url: `postgres://user:${secret}@host/db` }),
  ],
  ['a phone number', '13800138000', (secret: string) => ({ viewer: { phone: secret } })],
  ['a secret field', 'abc123abc', (secret: string) => ({ viewer_secret: secret })],
  [
    'an error that holds one',
    makeToken(),
    (secret: string) => ({ cause: new Error(`bad ${secret}`) }),
  ],
])('%s is masked', (_name, secret, fields) => {
  const [line] = lines('info', (log) => log.info('said', fields(secret)));
  expect(line).toContain('***');
  expect(line).not.toContain(secret);
});

test('when the other side takes nothing, lines are dropped and counted, never kept without bound', () => {
  let open = false;
  let text = '';
  const write = (part: string) => {
    if (!open) return 0;
    text += part;
    return part.length;
  };
  const log = startLog('info', { write });
  const big = 'x'.repeat(10_000);
  for (let n = 0; n < 500; n++) log.info(big);
  open = true;
  log.flush();
  expect(text.length).toBeLessThan(1_200_000);
  log.info('after');
  log.flush();
  expect(JSON.parse(text.trim().split('\n').at(-1) ?? '').dropped_lines).toBeGreaterThan(300);
});
