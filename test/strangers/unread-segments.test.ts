// Large segments that nobody reads: the system keeps a little of each, and others are served.
import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { httpLimits } from '../../src/web/http/http-limits.ts';
import { askUnread, connections } from '../support/attacks/unread-segments.ts';
import { notLinux, testWith } from '../support/needs.ts';
import { startAttackedService } from './attacked-service.ts';

/** When all wait. */
const lookOnMs = 2_000;

testWith(notLinux, 'what the system holds for who reads nothing is bounded', async () => {
  const { service, target } = await startAttackedService({});
  const ending = new AbortController();
  const given = { from: '127.0.0.2', signal: ending.signal, heldMs: 150_000 };
  const most = { waiting: 0, bytes: 0 };
  let lookUntil = Infinity;
  const done = askUnread(target, given).finally(() => {
    lookUntil = 0;
  });
  while (performance.now() < lookUntil) {
    const { status } = await service.call('GET', '/livez', { token: null });
    expect(status).toBe(200);
    const queues = sendQueues(target.port, '0200007F');
    most.waiting = Math.max(most.waiting, queues.filter((bytes) => bytes > 0).length);
    most.bytes = Math.max(most.bytes, ...queues);
    // One that is gone may be seen beside the one in its place. What waits for the last of them may still grow.
    if (most.waiting >= connections) lookUntil = Math.min(lookUntil, performance.now() + lookOnMs);
  }
  ending.abort();
  await done;
  expect(most.waiting).toBeGreaterThanOrEqual(connections);
  // A write that was let in may go beyond.
  expect(most.bytes).toBeLessThan(2 * httpLimits.connectionUnsentBytesMax);
});

/** Bytes that the peers at an address have not acknowledged, by connection; it is written as the system does. */
function sendQueues(port: number, address: string): number[] {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, from, to]) => from?.endsWith(local) && to?.startsWith(`${address}:`))
    .map(([, , , , queues]) => Number.parseInt(queues?.split(':')[0] ?? '', 16));
}
