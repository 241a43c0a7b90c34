// Who is let in, by origin and by number, and who is sent away for saying nothing.
import { describe, expect, test } from 'bun:test';
import { audienceBounds } from '../../../test/support/audience-bounds.ts';
import { desktopChrome } from '../../../test/support/page.ts';
import { HeldPageSocket } from '../../../test/support/page-socket.ts';
import type { Connection } from '../connection/page-connection.ts';
import { deviceOf } from '../viewers/device.ts';
import { signTicket } from '../viewers/ticket.ts';
import { Doors } from './doors.ts';

const host = 'live.example.com:8443';
const own = `https://${host}`;

describe('an origin', () => {
  test.each([
    ['the host of the request', own, host, undefined],
    ['the same in other letters', own, 'LIVE.example.com:8443', undefined],
    ['the public host behind a proxy', 'https://public.example', '10.0.0.7:8080', undefined],
    ['another port', 'https://live.example.com', host, 'origin'],
    ['another host', 'https://evil.example', host, 'origin'],
    ['a host that ends like ours', `https://x.${host}`, host, 'origin'],
    ['a sandboxed frame', 'null', host, 'origin'],
    ['none', null, host, 'origin'],
    ['no host at all', 'file://', '', 'origin'],
  ])('that is %s', (_, origin, asked, refusal) => {
    const connection = newDoors().admit({ ...page, origin, host: asked });
    if (connection === 'refused') throw new Error('it is no bot');
    expect(connection.upgrade?.refusal).toBe(refusal as never);
  });

  test('does not matter for a bot: it is not even told why', () => {
    expect(newDoors().admit({ ...page, userAgent: 'curl/8.0' })).toBe('refused');
    expect(newDoors().admit({ ...page, userAgent: '' })).toBe('refused');
  });
});

describe('the doors', () => {
  test('are full at their bound, and open again when somebody leaves', () => {
    const { refused, ...bounds } = audienceBounds();
    const doors = newDoors({ ...bounds, connectionsMax: 4 });
    const came = ['a', 'b', 'c', 'd'].map((address) => known(doors, address));
    expect(doors.count).toBe(4);
    const late = enter(doors, 'e');
    expect(late.socket.sent).toEqual([{ type: 'refused', reason: 'full' }]);
    expect(late.socket.closeCode).toBe(4002);
    expect(doors.count).toBe(4);
    came[0]?.socket.close(1001);
    expect(enter(doors, 'e').socket.closeCode).toBeUndefined();
    expect(refused()).toEqual({ full: 1 });
  });

  test('let one network have half of what the others leave, unless it is allowed more', () => {
    const { refused, ...bounds } = audienceBounds();
    const doors = newDoors({ ...bounds, connectionsMax: 4 });
    known(doors, '2001:db8::1');
    const second = known(doors, '2001:db8::2');
    expect(enter(doors, '2001:db8::3').socket.closeCode).toBe(4002);
    expect(known(doors, '2001:db8:0:1::3').socket.closeCode).toBeUndefined();
    expect(refused()).toEqual({ network: 1 });
    second.socket.close(1001);
    expect(known(doors, '2001:db8::3').socket.closeCode).toBeUndefined();
    const others = newDoors({ ...bounds, connectionsMax: 4 });
    for (const _ of [1, 2, 3, 4]) expect(known(others, 'allowed').socket.closeCode).toBeUndefined();
  });

  test('have those who have said nothing make room for newer ones of their network', () => {
    const { refused, ...bounds } = audienceBounds();
    const doors = newDoors({ ...bounds, connectionsMax: 4 });
    const page = known(doors, 'a');
    const silent = enter(doors, 'a');
    const newer = enter(doors, 'a');
    const codes = [page, silent, newer].map(({ socket }) => socket.closeCode);
    expect(codes).toEqual([undefined, 1006, undefined]);
    expect(refused()).toEqual({ hello: 1 });
  });

  test('that are full have the silent of a larger network make room, never of a smaller one', () => {
    const doors = newDoors({ connectionsMax: 4 });
    const silent = ['a', 'a', 'b', 'c'].map((address) => enter(doors, address).socket);
    known(doors, 'd');
    expect(silent.map(({ closeCode }) => closeCode)).toEqual([
      1006,
      undefined,
      undefined,
      undefined,
    ]);
    // Each has one by now.
    expect(known(doors, 'd').socket.closeCode).toBe(4002);
  });

  test('say why to so many of a network, as the rude keep waiting; the rest is cut', () => {
    const doors = newDoors({ connectionsMax: 2 });
    known(doors, 'a');
    const codes = Array.from({ length: 2_010 }, () => known(doors, 'a').socket.closeCode);
    expect(codes.filter((code) => code === 4002)).toHaveLength(2_000);
    expect(codes.slice(-10)).toEqual(Array(10).fill(1006));
    expect(known(doors, 'b').socket.closeCode).toBeUndefined();
    expect(enter(doors, 'c').socket.closeCode).toBe(4002);
  });

  test('send the silent away one a step, so that thousands need not go in one turn', () => {
    const doors = newDoors({ now: () => 0 });
    const silent = Array.from({ length: 3 }, () => enter(doors, 'a'));
    const steps = doors.sweep(5_001)[Symbol.iterator]();
    steps.next();
    expect(silent.map(({ socket }) => socket.closeCode)).toEqual([1006, undefined, undefined]);
    steps.next();
    expect(doors.count).toBe(1);
  });

  test('send those away who have not said hello within five seconds', () => {
    const clock = { now: 0 };
    const doors = newDoors({ now: () => clock.now });
    const early = enter(doors, 'a');
    clock.now = 3_000;
    const late = enter(doors, 'b');
    expect([...doors.sweep(5_001)]).toHaveLength(1);
    expect([early.socket.closeCode, late.socket.closeCode]).toEqual([1006, undefined]);
    expect([...doors.sweep(8_001)]).toHaveLength(1);
    expect(late.socket.closeCode).toBe(1006);
    expect(doors.count).toBe(0);
  });

  test('let nobody in once they are closed, and everybody know', () => {
    const doors = newDoors();
    const { socket } = enter(doors, 'a');
    doors.close();
    expect(socket.closeCode).toBe(1012);
    expect(doors.admit(page)).toBe('refused');
  });
});

const page = { origin: own, host, address: '203.0.113.9', userAgent: desktopChrome };

function newDoors(more: Partial<ConstructorParameters<typeof Doors>[0]> = {}): Doors {
  return new Doors({
    secret: 'secret',
    publicUrl: 'https://public.example',
    ...audienceBounds(),
    deviceOf,
    authorOf: () => 'author',
    now: () => 0,
    onArrival: () => {},
    ...more,
  });
}

function enter(doors: Doors, address: string): { connection: Connection; socket: HeldPageSocket } {
  const connection = doors.admit({ ...page, address });
  if (connection === 'refused') throw new Error('it was refused');
  const socket = new HeldPageSocket(connection, (left) => doors.left(left));
  doors.opened(connection);
  return { connection, socket };
}

/** It has said whose page it is. */
function known(doors: Doors, address: string): ReturnType<typeof enter> {
  const came = enter(doors, address);
  const ticket = signTicket('secret', {
    channel_id: 7,
    viewer_id: 'viewer',
    nick: '',
    phone: '',
    origin: '',
    language: 'en',
    issued_at: 0,
  });
  if (!came.connection.isClosed)
    doors.hello(came.connection, { type: 'hello', ticket, instance: 'page' });
  return came;
}
