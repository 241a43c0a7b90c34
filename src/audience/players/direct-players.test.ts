// Players without a page: who is one, what they are credited, when they are gone, and how many there may be.
import { afterEach, describe, expect, test } from 'bun:test';
import { audienceBounds } from '../../../test/support/audience-bounds.ts';
import { type Engine, engines } from '../../../test/support/engines.ts';
import { desktopChrome } from '../../../test/support/page.ts';
import { endlessShow } from '../../../test/support/some-show.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import { rawParameter } from '../../base/api/request.ts';
import { startLog } from '../../base/lib/log.ts';
import { AudienceFlush } from '../counting/audience-flush.ts';
import type { Arrival } from '../rooms/entrance.ts';
import { Rooms } from '../rooms/rooms.ts';
import { deviceOf } from '../viewers/device.ts';
import { DirectPlayers, type DirectPlayersOptions } from './direct-players.ts';

const noon = Date.UTC(2026, 4, 4, 12, 0, 0);
const host = 'live.example.com';
const vlc = 'VLC/3.0.21 LibVLC/3.0.21';
const second = 1_000;

const running: AudienceFlush[] = [];
afterEach(async () => {
  for (const flush of running.splice(0)) await flush.stop();
});

describe('who asks for a live playlist', () => {
  test.each([
    ['VLC', {}, 1],
    ['a browser on another site', { agent: desktopChrome, referer: 'https://other.example/' }, 1],
    ['a page of ours', { agent: desktopChrome, referer: `https://${host}/watch/7` }, 0],
    ['a page of ours whose browser does not say so', { query: 'low_latency=1' }, 0],
    ['a robot', { agent: 'curl/8.0' }, 0],
    ['nobody by name', { agent: '' }, 0],
    ['VLC at an address that is not on air', { playId: 'other' }, 0],
  ])('%s', (_, asked, count) => {
    const { players } = newDoor();
    players.asked(call(asked), channelOf);
    expect(players.count).toBe(count);
  });

  test('is known again by channel, address and program', () => {
    const { players, arrivals } = newDoor();
    for (const asked of [{}, {}, { ip: '203.0.113.2' }, { agent: `${vlc}.1` }, { playId: 'next' }])
      players.asked(call(asked), channelOf);
    const ids = arrivals.map(({ entry }) => entry.viewer_id);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^d-[\w-]{20}$/);
    const again = newDoor();
    again.players.asked(call({}), channelOf);
    expect(again.arrivals[0]?.entry.viewer_id).toBe(ids[0] as string);
    const elsewhere = newDoor({ secret: 'of another service' });
    elsewhere.players.asked(call({}), channelOf);
    expect(elsewhere.arrivals[0]?.entry.viewer_id).not.toBe(ids[0] as string);
  });
});

describe('players beyond the bound', () => {
  test('are not counted, but as refused', () => {
    const { players, refused } = newDoor({ directPlayersMax: 2 });
    for (const n of [1, 2, 3, 4, 1]) players.asked(call({ ip: `203.0.113.${n}` }), channelOf);
    expect(players.count).toBe(2);
    expect(refused()).toEqual({ players: 2 });
  });

  test('of one network leave places for others', () => {
    const { players, refused } = newDoor({ directPlayersMax: 10 });
    for (let n = 0; n < 8; n += 1) players.asked(call({ agent: `${vlc} ${n}` }), channelOf);
    expect(players.count).toBe(5);
    expect(refused()).toEqual({ players: 3 });
    players.asked(call({ ip: '203.0.113.2' }), channelOf);
    expect(players.count).toBe(6);
  });
});

test('who is sent away is looked at again after a silence, not with every request', () => {
  const { players, arrivals, clock } = newDoor();
  players.asked(call({}), channelOf);
  arrivals[0]?.connection.refuse('banned');
  clock.now += 20 * second;
  players.asked(call({}), channelOf);
  expect(arrivals).toHaveLength(1);
  clock.now += 11 * second;
  players.asked(call({}), channelOf);
  expect(arrivals).toHaveLength(2);
  expect(players.count).toBe(1);
});

test('an RTMP player that was sent away counts as refused once, though it ends later', () => {
  const { players, arrivals, refused } = newDoor();
  const leave = players.playing({ channel_id: 7, ip: '203.0.113.1', takenBytes: () => 0 });
  arrivals[0]?.connection.refuse('banned');
  leave();
  expect(refused()).toEqual({ banned: 1 });
  expect(players.count).toBe(0);
});

for (const engine of engines) {
  describe(engine.name, () => {
    test('an HLS player is credited from one request to the next', async () => {
      const hall = await newHall(engine);
      await hall.asks();
      for (let n = 0; n < 4; n += 1) await hall.asksAfter(6 * second);
      await hall.flushed();
      expect(await hall.sessions()).toEqual([{ online_ms: 24 * second, watch_ms: 24 * second }]);
      const visitor = await hall.store.one(
        'SELECT device, browser, referer, last_ip, visit_times, watch_ms FROM visitors',
      );
      expect(visitor).toEqual({
        device: 'Other',
        browser: 'VLC',
        referer: 'hls',
        last_ip: '203.0.113.1',
        visit_times: 1,
        watch_ms: 24 * second,
      });
    });

    test('a pause of more than 15 seconds is not watched, though online', async () => {
      const hall = await newHall(engine);
      await hall.asks();
      await hall.asksAfter(15 * second);
      await hall.asksAfter(16 * second);
      await hall.asksAfter(10 * second);
      await hall.flushed();
      expect(await hall.sessions()).toEqual([{ online_ms: 41 * second, watch_ms: 25 * second }]);
    });

    test('half a minute of silence ends it; until half a minute later it goes on', async () => {
      const hall = await newHall(engine);
      await hall.asks();
      await hall.asksAfter(10 * second);
      hall.pass(31 * second);
      expect(hall.viewers).toBe(0);
      expect(hall.players.count).toBe(1);
      hall.pass(second);
      expect(hall.players.count).toBe(0);
      await hall.asksAfter(28 * second);
      expect(hall.viewers).toBe(1);
      await hall.asksAfter(10 * second);
      await hall.flushed();
      expect(await hall.sessions()).toEqual([{ online_ms: 20 * second, watch_ms: 20 * second }]);
      hall.pass(31 * second);
      hall.pass(31 * second);
      await hall.asks();
      await hall.asksAfter(10 * second);
      await hall.flushed();
      expect(await hall.sessions()).toHaveLength(2);
      expect(await hall.visits()).toEqual([{ visit_times: 2 }]);
    });

    test('off air nothing is watched', async () => {
      const hall = await newHall(engine);
      await hall.asks();
      hall.rooms.stages.live(hall.channel_id, undefined, hall.clock.now);
      await hall.asksAfter(14 * second);
      await hall.flushed();
      expect(await hall.sessions()).toEqual([{ online_ms: 14 * second, watch_ms: 10 * second }]);
    });

    test('an RTMP player watches while it takes what it is sent, until it leaves', async () => {
      const hall = await newHall(engine);
      const player = await hall.plays();
      for (let n = 0; n < 12; n += 1) player.takes(second);
      hall.pass(5 * second);
      player.takes(500);
      player.leave();
      await hall.flushed();
      expect(await hall.sessions()).toEqual([{ online_ms: 17_500, watch_ms: 12_500 }]);
      expect([hall.viewers, hall.players.count]).toEqual([0, 0]);
      const row = await hall.store.one('SELECT browser, origin, ip FROM sessions');
      expect(row).toEqual({ browser: 'RTMP player', origin: 'rtmp', ip: '203.0.113.1' });
    });

    test('two RTMP players at one address are two sessions of one viewer', async () => {
      const hall = await newHall(engine);
      const players = [await hall.plays(), await hall.plays()];
      expect(hall.viewers).toBe(1);
      for (const player of players) player.takes(10 * second);
      for (const player of players) player.leave();
      await hall.flushed();
      expect((await hall.sessions()).map(({ online_ms }) => online_ms)).toEqual([20_000, 20_000]);
      expect(await hall.visits()).toEqual([{ visit_times: 2 }]);
    });

    test('an RTMP player that leaves before it is let in was never there', async () => {
      const hall = await newHall(engine);
      const { players, channel_id } = hall;
      players.playing({ channel_id, ip: '203.0.113.1', takenBytes: () => 0 })();
      await hall.settled();
      expect(await hall.sessions()).toEqual([]);
      expect(hall.players.count).toBe(0);
    });

    test('what was played counts until the service stops', async () => {
      const hall = await newHall(engine);
      await hall.asks();
      await hall.asksAfter(4 * second);
      hall.players.close();
      hall.rooms.leaveAll(hall.clock.now);
      await hall.flushed();
      expect(await hall.sessions()).toEqual([{ online_ms: 4 * second, watch_ms: 4 * second }]);
      await hall.asks({ ip: '203.0.113.2' });
      expect(await hall.sessions()).toHaveLength(1);
    });
  });
}

interface Asked {
  agent?: string;
  ip?: string;
  playId?: string;
  query?: string;
  referer?: string;
}

function call({ agent = vlc, ip = '203.0.113.1', ...asked }: Asked) {
  const { playId = 'play', query = '', referer = null } = asked;
  const headers: Record<string, string | null> = { 'user-agent': agent, host, referer };
  return {
    params: { playId, file: 'live.m3u8' },
    query: (name: string) => rawParameter(`?${query}`, name),
    header: (name: string) => headers[name] ?? null,
    address: ip,
  };
}

function channelOf(playId: string): number | undefined {
  return { play: 7, next: 8 }[playId];
}

/** Players that nobody lets in, or sends away. */
function newDoor(more: Partial<DirectPlayersOptions> = {}) {
  const clock = { now: noon };
  const { refused, ...bounds } = audienceBounds();
  const arrivals: Arrival[] = [];
  const players = new DirectPlayers({
    secret: 'secret',
    publicUrl: '',
    deviceOf,
    ...bounds,
    now: () => clock.now,
    roomOf: () => undefined,
    authorOf: () => 'author',
    onArrival: (_, arrival) => arrivals.push(arrival),
    onChange: () => {},
    ...more,
  });
  return { players, arrivals, refused, clock };
}

/** A channel on air, with rooms on a real store. */
async function newHall(engine: Engine) {
  const store = await openTestStore(engine);
  const channel_id = await newChannel(store);
  const log = startLog('silent');
  const flush = new AudienceFlush({ store, log, now: () => clock.now, onErased: () => {} });
  running.push(flush);
  const onChange = flush.mark.bind(flush);
  const { players, clock } = newDoor({
    roomOf: (id) => rooms.find(id),
    onArrival: (id, arrival) => rooms.entrance(id).arrive(arrival),
    onChange,
  });
  const now = () => clock.now;
  const silent = { authorOf: () => 'author', publish: () => {} };
  const held = { heldBy: 1, onOver: () => {} };
  const rooms = new Rooms({
    places: { of: () => '' },
    ...silent,
    ...audienceBounds(),
    ...held,
    store,
    now,
    log,
    onChange,
  });
  rooms.stages.live(channel_id, endlessShow(noon), noon);
  const settled = async () => {
    while (!rooms.entrance(channel_id).isEmpty) await Bun.sleep(1);
  };
  /** Time passes, then the service looks round. */
  const pass = (ms: number) => {
    clock.now += ms;
    players.sweep(clock.now);
    expect([...rooms.sweep(clock.now)]).toEqual([]);
  };
  const asks = async (asked: Asked = {}) => {
    players.asked(call(asked), () => channel_id);
    await settled();
  };
  return {
    store,
    channel_id,
    rooms,
    players,
    clock,
    pass,
    settled,
    asks,
    asksAfter: async (ms: number, asked: Asked = {}) => {
      clock.now += ms;
      await asks(asked);
      pass(0);
    },
    plays: async () => {
      const player = { takenBytes: 0 };
      const takenBytes = () => player.takenBytes;
      const leave = players.playing({ channel_id, ip: '203.0.113.1', takenBytes });
      await settled();
      const takes = (ms: number) => {
        player.takenBytes += 1;
        pass(ms);
      };
      return { takes, leave };
    },
    /** What is played and not yet told is told, and all of it written. */
    flushed: async () => {
      players.sweep(clock.now + 10 * second);
      await flush.flush();
    },
    visits: () => store.all('SELECT visit_times FROM visitors'),
    sessions: () =>
      store.all<{ online_ms: number; watch_ms: number }>(
        'SELECT online_ms, watch_ms FROM sessions ORDER BY seq',
      ),
    get viewers() {
      return rooms.find(channel_id)?.viewerCount ?? 0;
    },
  };
}
