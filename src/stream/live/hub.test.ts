// One publisher at a time, over cuts, freezes, races and late farewells (faults 6, 7 and 8).
import { afterEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { videoTrack } from '../../../test/fixtures/media/synthetic.ts';
import { startLog } from '../../base/lib/log.ts';
import { nextTurn } from '../../base/turns/turn-slice.ts';
import { Hub, type HubOptions } from './hub.ts';
import type { LiveChannel } from './live-stream.ts';
import { ChannelTaken, type Lease, SoleLeases } from './push-lease.ts';
import { pushBounds, pushRates } from './push-limits.ts';
import { boundlessMemory, PushesMemory } from './push-memory.ts';
import { PushCut, PushMeters } from './push-meter.ts';
import { PushedTooOften, PushPace } from './push-pace.ts';
import { pushRefusals } from './push-refusals.ts';

const channel: LiveChannel = {
  id: 7,
  account_id: 1,
  stream_key: 'key',
  play_id: 'play',
  auto_save_live_video: 1,
  live_ladder: 0,
};
const bytes = new Uint8Array(4);
const hubs: Hub[] = [];

afterEach(async () => {
  for (const hub of hubs.splice(0)) await hub.stop();
});

function trial({
  reconnectMs = 10_000,
  pushesPerMinute = 1_000,
  accountPushesPerMinute = 1_000,
  bounds = boundlessMemory,
  onOpen = () => {},
  handing = {} as Partial<Pick<HubOptions, 'leases' | 'named'>>,
} = {}) {
  const clock = { ms: 50_000 };
  const monotonicMs = () => clock.ms;
  const memory = new PushesMemory(bounds);
  const rates = pushRates({ ...pushBounds, kbpsMax: 8_000 });
  const heard: string[] = [];
  const told: string[] = [];
  const refusals: string[] = [];
  const ended = Promise.withResolvers<void>();
  const leases = new SoleLeases();
  const hub = new Hub({
    reconnectMs,
    leases,
    now: () => 1_000,
    monotonicMs,
    meters: new PushMeters({ rates, memory, monotonicMs }),
    pushPace: new PushPace({
      perMinute: pushesPerMinute,
      accountPerMinute: accountPushesPerMinute,
      refusals: { note: (reason, who) => refusals.push(`${reason}: ${who}`) },
    }),
    ...handing,
    log: startLog('silent'),
    openReader: (stream) => {
      onOpen();
      return {
        track: () => heard.push('track'),
        packet: ({ dtsMs }) => heard.push(`${stream.channel.id}:${dtsMs}`),
        resumed: () => heard.push('resumed'),
        ended: () => {
          heard.push('ended');
          ended.resolve();
        },
      };
    },
  });
  hubs.push(hub);
  const publish = (of: LiveChannel, abort: (reason: string) => void) =>
    hub.publish(of, leases.take(of), abort);
  const connect = (name: string, of = channel) =>
    publish(of, (reason) => told.push(`${name}: ${reason}`));
  const push = (publication: ReturnType<typeof connect>, timestamp = 0) => {
    publication.track(videoTrack);
    publication.picture({ timestamp, compositionMs: 0, isKey: true, bytes });
  };
  return {
    hub,
    clock,
    memory,
    heard,
    told,
    refusals,
    ended: ended.promise,
    publish,
    connect,
    push,
  };
}

describe('a channel that begins pushes again and again', () => {
  test('is told when to try again, and may then', () => {
    const { clock, refusals, connect } = trial({ pushesPerMinute: 3 });
    for (const name of ['a', 'b', 'c']) connect(name).end('ended');
    clock.ms += 4_500.7;
    const sentence = 'This channel may begin 3 pushes a minute; try again in 16 s';
    expect(() => connect('d')).toThrow(new PushedTooOften(sentence));
    expect(refusals).toEqual(['often: channel 7']);
    connect('another', { ...channel, id: 8, stream_key: 'other' }).end('ended');
    clock.ms += 15_499.3;
    connect('e').end('ended');
    expect(() => connect('f')).toThrow(PushedTooOften);
    clock.ms += 60_000;
    for (const name of ['g', 'h', 'i']) connect(name).end('ended');
    expect(refusals).toEqual(['often: channel 7', 'often: channel 7']);
  });

  test('uses up nothing of its account while it is told to wait, nor its account of it', () => {
    const { clock, refusals, connect } = trial({ pushesPerMinute: 2, accountPushesPerMinute: 3 });
    const second = { ...channel, id: 8, stream_key: 'second' };
    const other = { ...channel, id: 9, account_id: 99, stream_key: 'other' };
    for (const name of ['a', 'b']) connect(name).end('ended');
    expect(() => connect('c')).toThrow('This channel may begin 2 pushes a minute');
    connect('d', second).end('ended');
    const sentence = 'This account may begin 3 pushes a minute; try again in 20 s';
    expect(() => connect('e', second)).toThrow(new PushedTooOften(sentence));
    connect('of another account', other).end('ended');
    clock.ms += 20_000;
    connect('f', second).end('ended');
    expect(() => connect('g')).toThrow(PushedTooOften);
    expect(refusals).toEqual([
      'often: channel 7',
      `account_often: account ${channel.account_id}`,
      'often: channel 7',
    ]);
  });

  test('is forgotten, and all the others too, when their time is over', () => {
    const { clock, refusals, connect } = trial({ pushesPerMinute: 1, accountPushesPerMinute: 600 });
    for (let id = 1; id <= 500; id += 1)
      connect('once', { ...channel, id, stream_key: `key ${id}` }).end('ended');
    clock.ms += 60_000;
    connect('again', { ...channel, id: 1, stream_key: 'key 1' }).end('ended');
    expect(refusals).toEqual([]);
  });

  test('may come back after cuts as often as it likes: that is one push', () => {
    const { clock, heard, refusals, connect, push } = trial({ pushesPerMinute: 1 });
    for (let cut = 0; cut < 50; cut += 1) {
      const publication = connect(`connection ${cut}`);
      push(publication);
      publication.end('cut');
      clock.ms += 100;
    }
    expect(heard.filter((word) => word === 'ended')).toEqual([]);
    expect(refusals).toEqual([]);
  });

  test('counts no connection that was refused as taken', () => {
    const { clock, connect, push } = trial({ pushesPerMinute: 2 });
    const first = connect('first');
    push(first);
    for (let tries = 0; tries < 20; tries += 1) expect(() => connect('more')).toThrow(ChannelTaken);
    first.end('ended');
    clock.ms += 1;
    connect('second').end('ended');
    expect(() => connect('third')).toThrow(PushedTooOften);
  });
});

describe('a push that does not begin', () => {
  test('for want of memory is none of those a minute', () => {
    const bounds = { ...boundlessMemory, accountBytes: 250 };
    const { connect, push } = trial({ bounds, pushesPerMinute: 1 });
    const first = connect('first');
    push(first);
    const another = { ...channel, id: 8 };
    for (let tries = 0; tries < 5; tries += 1)
      expect(() => connect('second', another)).toThrow(new PushCut('account_memory'));
    first.end('ended');
    connect('second', another);
  });

  test('for its pace, or an error of ours, holds no memory', () => {
    const broken = { is: true };
    const onOpen = () => {
      if (broken.is) throw new Error('no disk');
    };
    const { hub, memory, connect } = trial({ pushesPerMinute: 2, onOpen });
    expect(() => connect('first')).toThrow('no disk');
    expect([memory.pushCount, hub.streams.length]).toEqual([0, 0]);
    broken.is = false;
    connect('second').end('ended');
    expect(() => connect('third')).toThrow(PushedTooOften);
    expect(memory.pushCount).toBe(0);
  });
});

describe('an account that holds too much', () => {
  test('loses the push that holds most, also where another sends', () => {
    const bounds = { ...boundlessMemory, accountBytes: 200 };
    const { hub, memory, told, connect, push } = trial({ bounds });
    const small = connect('small', { ...channel, id: 8, stream_key: 'other' });
    push(connect('greedy'));
    expect(memory.bytes).toBeGreaterThan(250);
    push(small);
    expect(told).toEqual([`greedy: ${pushRefusals.account_memory}`]);
    expect(hub.streams.map((stream) => stream.channel.id)).toEqual([8]);
  });
});

describe('a push over one of its bounds', () => {
  test('is not let in again before half of it is whole, and then goes on', () => {
    const { clock, heard, connect, push } = trial();
    const first = connect('first');
    push(first);
    clock.ms += 1_000;
    expect(() => first.arrived(20_000_000)).toThrow(pushRefusals.rate);
    first.end('cut');
    expect(() => connect('second')).toThrow(new PushCut('rate'));
    clock.ms += 14_000;
    expect(() => connect('second')).toThrow(new PushCut('rate'));
    clock.ms += 1_000;
    const second = connect('second');
    push(second);
    expect(heard).toEqual(['track', '7:0', 'resumed', 'track', '7:40']);
  });

  test('of memory lets no other of its account begin, and goes on itself', () => {
    const { memory, connect, push } = trial({ bounds: { ...boundlessMemory, accountBytes: 250 } });
    const first = connect('first');
    push(first);
    expect(memory.bytes).toBeGreaterThan(250);
    expect(() => connect('second', { ...channel, id: 8 })).toThrow(new PushCut('account_memory'));
    connect('third', { ...channel, id: 9, account_id: 2 });
    push(first, 40);
    first.end('ended');
    expect(memory.bytes).toBe(0);
    connect('second', { ...channel, id: 8 });
  });
});

describe('a second connection', () => {
  test('is refused while the first one sends', () => {
    const { clock, heard, told, connect, push } = trial();
    const first = connect('first');
    push(first);
    clock.ms += 1_999;
    expect(() => connect('second')).toThrow(ChannelTaken);
    push(first, 33);
    expect(heard).toEqual(['track', '7:0', '7:33']);
    expect(told).toEqual([]);
  });

  test('takes over when the first one has sent nothing for 2 s', () => {
    const { clock, heard, told, connect, push } = trial();
    const first = connect('first');
    push(first);
    clock.ms += 2_000;
    const second = connect('second');
    expect(told).toEqual(['first: Another connection took over']);
    push(first, 100);
    push(second);
    expect(heard).toEqual(['track', '7:0', 'resumed', 'track', '7:40']);
  });

  test('is refused while sound alone comes', () => {
    const { clock, connect, push } = trial();
    const first = connect('first');
    push(first);
    clock.ms += 1_900;
    first.sound({ timestamp: 0, bytes });
    clock.ms += 1_900;
    expect(() => connect('second')).toThrow(ChannelTaken);
  });

  test('of another channel has nothing to do with it', () => {
    const { hub, heard, connect, push } = trial();
    push(connect('first'));
    push(connect('other', { ...channel, id: 8 }));
    expect(heard).toEqual(['track', '7:0', 'track', '8:0']);
    expect(hub.streams.map(({ channel }) => channel.id)).toEqual([7, 8]);
  });

  test('in a race of many: exactly one wins, whatever else happens', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('connect' as const) }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 3_000 }) }),
      fc.record({ do: fc.constantFrom('media' as const, 'cut' as const), of: fc.nat(20) }),
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
        const { hub, clock, heard, connect, push } = trial();
        const publications: ReturnType<typeof connect>[] = [];
        for (const one of steps) {
          if (one.do === 'wait') clock.ms += one.ms;
          if (one.do === 'connect') {
            for (let n = 0; n < 3; n++) {
              try {
                publications.push(connect('one'));
              } catch (error) {
                if (!(error instanceof ChannelTaken)) throw error;
              }
            }
          }
          if (one.do === 'media') publications[one.of]?.sound({ timestamp: 0, bytes });
          if (one.do === 'cut') publications[one.of]?.end('cut');
          heard.length = 0;
          for (const publication of publications) push(publication);
          // At most one of all those connections is heard.
          expect(heard.filter((word) => word.startsWith('7:')).length).toBeLessThanOrEqual(1);
          expect(hub.streams.length).toBeLessThanOrEqual(1);
        }
        void hub.stop();
      }),
      { seed: 8, numRuns: 200 },
    );
  });
});

describe('a push that was cut', () => {
  test('is on air until its window closes, and one that returns goes on with it', () => {
    const { hub, clock, heard, connect, push } = trial();
    const first = connect('first');
    push(first, 9_000);
    first.end('cut');
    expect(streamOf(hub, 7)).toBeDefined();
    clock.ms += 3_000;
    const second = connect('second');
    push(second);
    expect(heard).toEqual(['track', '7:0', 'resumed', 'track', '7:40']);
  });

  test('may return at once: there is nobody to wait for', () => {
    const { heard, connect, push } = trial();
    const first = connect('first');
    push(first);
    first.end('cut');
    push(connect('second'));
    expect(heard.at(-1)).toBe('7:40');
  });

  test('is over when its window has closed, and a later push is another', async () => {
    const { hub, heard, ended, connect, push } = trial({ reconnectMs: 20 });
    const first = connect('first');
    push(first);
    const stream = streamOf(hub, 7);
    first.end('cut');
    await ended;
    expect(hub.streams).toEqual([]);
    push(connect('second'));
    expect(heard).toEqual(['track', '7:0', 'ended', 'track', '7:0']);
    expect(streamOf(hub, 7)).not.toBe(stream);
  });

  test('with others is over in a turn of its own, and one that returns meanwhile goes on', async () => {
    const { hub, heard, ended, connect, push } = trial({ reconnectMs: 1 });
    const others = [7, 8, 9, 10].map((id) => ({ ...channel, id }));
    const publications = others.map((of) => connect(`channel ${of.id}`, of));
    for (const publication of publications) push(publication);
    for (const publication of publications) publication.end('cut');
    // All of their windows are over by the time that the first timer is heard.
    const until = performance.now() + 20;
    while (performance.now() < until);
    await ended;
    await nextTurn();
    expect(hub.streams.map((stream) => stream.channel.id)).toEqual([9, 10]);
    push(connect('returned', others[2]));
    while (hub.streams.length > 1) await nextTurn();
    await nextTurn();
    expect(heard.filter((word) => word === 'ended')).toHaveLength(3);
    expect(hub.streams.map((stream) => stream.channel.id)).toEqual([9]);
  });

  test('counts its window from its last media, not from when the cut was seen', async () => {
    const { heard, clock, ended, connect, push } = trial({ reconnectMs: 600_000 });
    const first = connect('first');
    push(first);
    clock.ms += 600_000;
    first.end('cut');
    await ended;
    expect(heard.at(-1)).toBe('ended');
  });

  test('that returned is not ended by the window of the cut', async () => {
    const { hub, connect, push } = trial({ reconnectMs: 10 });
    const first = connect('first');
    push(first);
    first.end('cut');
    const second = connect('second');
    await Bun.sleep(40);
    push(second);
    expect(streamOf(hub, 7)).toBeDefined();
  });
});

describe('the end', () => {
  test('that the encoder says is one at once', () => {
    const { hub, heard, connect, push } = trial();
    const first = connect('first');
    push(first);
    first.end('ended');
    expect(heard.at(-1)).toBe('ended');
    expect(hub.streams).toEqual([]);
  });

  test.each(['ended', 'cut'] as const)(
    'of an old connection (%s) changes nothing for the new one',
    (how) => {
      const { hub, clock, heard, connect, push } = trial();
      const first = connect('first');
      push(first);
      clock.ms += 5_000;
      const second = connect('second');
      first.end(how);
      first.end(how);
      push(second);
      expect(heard).toEqual(['track', '7:0', 'resumed', 'track', '7:40']);
      expect(streamOf(hub, 7)).toBeDefined();
      expect(() => connect('third')).toThrow(ChannelTaken);
    },
  );

  test('of a connection that says it while it is told to go changes nothing either', async () => {
    const { publish, clock, heard } = trial({ reconnectMs: 10 });
    const first = publish(channel, () => first.end('cut'));
    clock.ms += 5_000;
    publish(channel, () => {});
    await Bun.sleep(40);
    expect(heard).toEqual(['resumed']);
    expect(() => publish(channel, () => {})).toThrow(ChannelTaken);
  });

  test('by a changed key is told to the publisher, and is for good', () => {
    const { hub, heard, told, connect, push } = trial();
    const first = connect('first');
    push(first);
    hub.end(7, 'The key was changed');
    push(first, 33);
    first.end('cut');
    hub.end(7, 'The key was changed');
    expect(told).toEqual(['first: The key was changed']);
    expect(heard).toEqual(['track', '7:0', 'ended']);
    expect(hub.streams).toEqual([]);
  });

  test('by a changed key reaches a push that was cut too', () => {
    const { hub, heard, told, connect, push } = trial();
    const first = connect('first');
    push(first);
    first.end('cut');
    hub.end(7, 'The key was changed');
    expect(heard.at(-1)).toBe('ended');
    expect(told).toEqual([]);
  });

  test('of the service ends every push, and none begins any more', async () => {
    const { hub, told, connect, push } = trial();
    push(connect('first'));
    push(connect('other', { ...channel, id: 8 }));
    await hub.stop();
    expect(told).toEqual(['first: The service is stopping', 'other: The service is stopping']);
    expect(() => connect('late')).toThrow(ChannelTaken);
    expect(hub.streams).toEqual([]);
  });
});

function streamOf(hub: Hub, id: number) {
  return hub.streams.find(({ channel }) => channel.id === id);
}

describe('a stop where other nodes are', () => {
  const handing = (order: string[], named = Promise.resolve()) => ({
    leases: {
      hasOthers: true,
      counts: undefined,
      renew: () => {},
      end: () => {
        order.push('ended for good');
        return true;
      },
      letGo: async ({ channel_id }: Lease) => void order.push(`let go of ${channel_id}`),
    },
    named: (channel_id: number) => named.then(() => void order.push(`named ${channel_id}`)),
  });

  test('has what was recorded named and gives the lease back before the encoder is sent away', async () => {
    const order: string[] = [];
    const { hub, heard, publish, push } = trial({ handing: handing(order) });
    push(publish(channel, (reason) => order.push(reason)));
    await hub.stop();
    expect(order).toEqual(['named 7', 'let go of 7', 'The service is stopping']);
    expect(heard.at(-1)).toBe('ended');
  });

  test('does not keep an encoder for a store that is away', async () => {
    const order: string[] = [];
    const never = new Promise<void>(() => {});
    const { hub, publish, push } = trial({ handing: handing(order, never) });
    push(publish(channel, (reason) => order.push(reason)));
    await hub.stop();
    expect(order).toEqual(['let go of 7', 'The service is stopping']);
  });

  test('takes nothing of what an encoder still sends, and lets no other in', async () => {
    const order: string[] = [];
    const named = Promise.withResolvers<void>();
    const { hub, heard, publish, push } = trial({ handing: handing(order, named.promise) });
    const publication = publish(channel, (reason) => order.push(reason));
    push(publication);
    const stopped = hub.stop();
    push(publication, 40);
    publication.end('cut');
    expect(() => hub.checkOpen()).toThrow(ChannelTaken);
    named.resolve();
    await stopped;
    expect(heard).toEqual(['track', '7:0', 'ended']);
    expect(order).toContain('let go of 7');
    expect(order).not.toContain('ended for good');
  });
});
