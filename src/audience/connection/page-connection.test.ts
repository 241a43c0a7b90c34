// A connection's life: each step once, in its order, and a page may leave at any of them.
import { describe, expect, test } from 'bun:test';
import type { PresentSession } from '../counting/present.ts';
import { Connection, type PageSocket } from './page-connection.ts';

const upgrade = { ip: '', network: 'x', device: '', browser: '', refusal: undefined };
/** It is only handed on. */
const session = {} as PresentSession;

test('a page is a stranger, enters, and has a session until it has closed', () => {
  const connection = new Connection(upgrade, 0);
  expect([connection.isStranger, connection.upgrade]).toEqual([true, upgrade]);
  connection.opened(silentSocket());
  connection.entering();
  expect([connection.isStranger, connection.hasEntered]).toEqual([false, false]);
  connection.entered(session, 'room');
  expect([connection.hasEntered, connection.session]).toEqual([true, session]);
  // Kept for every page that is there.
  expect(connection.upgrade).toBeUndefined();
  connection.closed();
  expect([connection.hasEntered, connection.isClosed]).toEqual([false, true]);
});

test('a page that leaves while its session is written has it and stays closed', () => {
  const connection = new Connection(upgrade, 0);
  connection.entering();
  connection.closed();
  connection.entered(session, 'room');
  expect([connection.session, connection.isClosed]).toEqual([session, true]);
});

test('a page that has closed is told nothing', () => {
  const connection = new Connection(upgrade, 0);
  const calls: string[] = [];
  connection.opened(silentSocket(calls));
  connection.send({ type: 'live', live: true });
  connection.closed();
  connection.send({ type: 'live', live: false });
  connection.refuse('full');
  connection.terminate();
  expect(calls).toEqual(['{"type":"live","live":true}']);
});

test.each([
  ['that we sent away ourselves counts by our reason', 'banned' as const],
  ['that the server cut counts by its reason', undefined],
])('a page %s', (_, reason) => {
  const connection = new Connection(upgrade, 0);
  if (reason) connection.refuse(reason);
  connection.closed('flood');
  expect(connection.refusedFor).toBe(reason ?? 'flood');
});

describe('our own mistake is an error:', () => {
  const steps = {
    opened: (one: Connection) => one.opened(silentSocket()),
    entering: (one: Connection) => one.entering(),
    entered: (one: Connection) => one.entered(session, 'room'),
    closed: (one: Connection) => one.closed(),
  };

  test.each([
    ['opened', 'opened'],
    ['entering', 'opened'],
    ['entering', 'entering'],
    ['entered', 'entering'],
    ['entered', 'entered'],
    ['closed', 'opened'],
    ['closed', 'entering'],
    ['closed', 'closed'],
  ] as const)('%s, then %s', (first, second) => {
    const connection = new Connection(upgrade, 0);
    steps[first](connection);
    expect(() => steps[second](connection)).toThrow(/^a connection /);
  });

  test('entered twice, though it has closed meanwhile', () => {
    const connection = new Connection(upgrade, 0);
    connection.closed();
    steps.entered(connection);
    expect(() => steps.entered(connection)).toThrow('a connection entered twice');
  });
});

/** Notes what it was told, and whether it was closed. */
function silentSocket(calls: string[] = []): PageSocket {
  return {
    send: (text) => calls.push(text),
    close: (code) => calls.push(`close ${code}`),
    terminate: () => calls.push('terminate'),
    subscribe: (topic) => calls.push(`subscribe ${topic}`),
  };
}
