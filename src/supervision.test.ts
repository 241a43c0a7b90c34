// What systemd is told over its socket, and when it is told nothing.
import { afterEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../test/support/engines.ts';
import { type NotifyReceiver, receiveNotices } from '../test/support/notify-receiver.ts';
import { openLibc } from './base/lib/libc.ts';
import { startLog } from './base/lib/log.ts';
import type { ReadinessNow } from './readiness.ts';
import { startSupervision } from './supervision.ts';

const log = startLog('silent');
const libc = openLibc();
const fine: ReadinessNow = {
  ready: true,
  draining: false,
  checks: { database: 'ok', disk: 'ok', rtmp: 'ok' },
};
const opened: NotifyReceiver[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

function receiving(address: string): NotifyReceiver {
  const receiver = receiveNotices(address);
  opened.push(receiver);
  return receiver;
}

describe.skipIf(process.platform !== 'linux')('with a socket', () => {
  test.each([
    ['a path', () => join(temporaryFolder(), 'notify')],
    ['an abstract name', () => `@footlight-test-${crypto.randomUUID()}`],
  ])('%s: it is ready, beats, and stops', async (_, newAddress) => {
    const notifySocket = newAddress();
    const receiver = receiving(notifySocket);
    const look = async () => fine;
    const supervision = startSupervision({ notifySocket, watchdogMs: 60, libc, look, log });
    await receiver.heard('WATCHDOG=1', 3);
    supervision.stopping();
    await receiver.heard('STOPPING=1');
    expect(receiver.lines().slice(0, 2)).toEqual(['READY=1', 'STATUS=on duty']);
  });

  test('a database that is away is told, and the beat goes on: a restart would not mend it', async () => {
    const notifySocket = join(temporaryFolder(), 'notify');
    const receiver = receiving(notifySocket);
    const checks = { ...fine.checks, database: 'not reachable' };
    const look = async () => ({ ...fine, ready: false, checks });
    const supervision = startSupervision({ notifySocket, watchdogMs: 60, libc, look, log });
    await receiver.heard('WATCHDOG=1', 2);
    await receiver.heard('STATUS=not ready: database not reachable');
    supervision.stopping();
  });

  test('a listener that takes nobody keeps the beat back', async () => {
    const notifySocket = join(temporaryFolder(), 'notify');
    const receiver = receiving(notifySocket);
    const checks = { ...fine.checks, rtmp: 'not reachable' };
    const look = async () => ({ ...fine, ready: false, checks });
    const supervision = startSupervision({ notifySocket, watchdogMs: 30, libc, look, log });
    await receiver.heard('STATUS=not ready: rtmp not reachable', 5);
    supervision.stopping();
    expect(receiver.lines()).not.toContain('WATCHDOG=1');
  });

  test('a socket that is not there is said, and ends nothing', () => {
    const lines: string[] = [];
    const telling = startLog('warn', { write: (text) => lines.push(text) && text.length });
    const notifySocket = join(temporaryFolder(), 'absent');
    const look = async () => fine;
    startSupervision({ notifySocket, watchdogMs: 0, libc, look, log: telling }).stopping();
    telling.flush();
    expect(lines.join('')).toContain('NOTIFY_SOCKET does not take what it is told');
  });
});

test('without a socket nothing is looked at', () => {
  const look = () => Promise.reject(new Error('it was looked at'));
  startSupervision({ notifySocket: '', watchdogMs: 1, libc, look, log }).stopping();
});
