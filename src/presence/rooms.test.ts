// Rooms over time: who is kept, for how long, and that nothing stays when everybody is gone.
import { afterEach, describe, expect, test } from 'bun:test';
import { engines } from '../../test/support/engines.ts';
import { HeldPageSocket } from '../../test/support/page-socket.ts';
import { enterAnew, entry, newChannel, openTestStore } from '../../test/support/store.ts';
import { creditAudience, eraseViewer } from '../audience/audience-store.ts';
import type { Store } from '../db/sql.ts';
import { startLog } from '../lib/log.ts';
import { AudienceFlush } from './audience-flush.ts';
import { Connection } from './connection.ts';
import type { Arrival } from './entrance.ts';
import { OnAir } from './on-air.ts';
import { Rooms } from './rooms.ts';
import type { ServiceMessage } from './wire.ts';

const noon = Date.UTC(2026, 4, 4, 12, 0, 0);
const log = startLog('silent');
const running: AudienceFlush[] = [];
afterEach(async () => {
  for (const flush of running.splice(0)) await flush.stop();
});

for (const engine of engines) {
  describe(engine.name, () => {
    test('a rush is written in few transactions, and everybody is welcomed', async () => {
      const hall = await newHall(await openTestStore(engine));
      const pages = Array.from({ length: 1_500 }, (_, n) => hall.arrive(`viewer ${n}`));
      await hall.settled();
      expect(pages.every(({ sent }) => sent[0]?.type === 'welcome')).toBe(true);
      expect(hall.performed).toEqual([1, 1_000, 499]);
      expect(hall.rooms.find(hall.channel_id)?.viewerCount).toBe(1_500);
    });

    test('nobody is kept longer than they can come back or be credited, and then the room is gone', async () => {
      const hall = await newHall(await openTestStore(engine));
      const socket = hall.arrive('viewer');
      await hall.settled();
      hall.clock.now += 10_000;
      socket.close(1001);
      await hall.flush.flush();
      const sweepAfter = (ms: number) => hall.rooms.sweep(noon + 10_000 + ms);
      sweepAfter(30_000);
      expect(hall.visitor('viewer')?.sessions).toHaveLength(1);
      sweepAfter(30_001);
      expect(hall.visitor('viewer')).toBeUndefined();
      expect(hall.rooms.find(hall.channel_id)).toBeUndefined();
    });

    test('a visitor is kept for as long as another tab could add to its time', async () => {
      const hall = await newHall(await openTestStore(engine));
      hall.rooms.stages.live(hall.channel_id, true, noon);
      const socket = hall.arrive('viewer');
      await hall.settled();
      const room = hall.rooms.find(hall.channel_id);
      const session = hall.visitor('viewer')?.sessions[0];
      if (!room || !session) throw new Error('nobody is there');
      session.report(noon + 10_000, 10_000, room.stage.onAir);
      hall.clock.now += 10_000;
      socket.close(1001);
      await hall.flush.flush();
      hall.rooms.sweep(noon + 10_000 + 45_000);
      expect(hall.visitor('viewer')?.sessions).toEqual([]);
      hall.rooms.sweep(noon + 10_000 + 45_001);
      expect(hall.visitor('viewer')).toBeUndefined();
    });

    test('while its sums are not written a session is kept, however long', async () => {
      const hall = await newHall(await openTestStore(engine));
      const socket = hall.arrive('viewer');
      await hall.settled();
      socket.close(1001);
      hall.rooms.sweep(noon + 3_600_000);
      expect(hall.visitor('viewer')?.sessions).toHaveLength(1);
      await hall.flush.flush();
      hall.rooms.sweep(noon + 3_600_000);
      expect(hall.rooms.find(hall.channel_id)).toBeUndefined();
    });

    test('a page that goes before it is let in was never there', async () => {
      const hall = await newHall(await openTestStore(engine));
      hall.arrive('hasty').close(1001);
      await hall.settled();
      expect(hall.performed).toEqual([]);
    });

    test('a page that goes while it is let in has a session of no length', async () => {
      const hall = await newHall(await openTestStore(engine));
      const socket = hall.arrive('hasty');
      hall.database.meanwhile = () => socket.close(1001);
      await hall.settled();
      expect(hall.rooms.find(hall.channel_id)?.viewerCount).toBe(0);
      await hall.flush.flush();
      const row = await hall.store.one('SELECT online_ms, watch_ms FROM sessions');
      expect(row).toEqual({ online_ms: 0, watch_ms: 0 });
    });

    test('a page that comes again while it is let in goes on with its session', async () => {
      const hall = await newHall(await openTestStore(engine));
      const first = hall.arrive('hasty');
      const again = Promise.withResolvers<HeldPageSocket>();
      hall.database.meanwhile = () => {
        hall.database.meanwhile = () => {};
        first.close(1001);
        again.resolve(hall.arrive('hasty'));
      };
      await hall.settled();
      expect((await again.promise).sent[0]?.type).toBe('welcome');
      expect(hall.performed).toEqual([1]);
      const row = await hall.store.one('SELECT visit_times FROM visitors');
      expect(row).toEqual({ visit_times: 1 });
    });

    test('when an erased viewer comes again, pages from before enter anew and count no more', async () => {
      const hall = await newHall(await openTestStore(engine));
      const { channel_id } = hall;
      const old = [hall.arrive('viewer', 'tab 1'), hall.arrive('viewer', 'tab 2')];
      await hall.settled();
      await hall.store.perform(eraseViewer, { channel_id, viewer_id: 'viewer' });
      hall.clock.now += 1_000;
      const again = hall.arrive('viewer', 'tab 3');
      await hall.settled();
      expect(old.map(({ closeCode }) => closeCode)).toEqual([4004, 4004]);
      expect(hall.visitor('viewer')?.sessions).toHaveLength(1);
      expect(hall.rooms.find(channel_id)?.viewerCount).toBe(1);
      again.close(1001);
      expect(hall.rooms.find(channel_id)?.viewerCount).toBe(0);
    });

    test('a flush that finds no rows sends every page of the viewer away, and they come back as new', async () => {
      const hall = await newHall(await openTestStore(engine));
      const { channel_id, rooms, flush } = hall;
      const pages = [hall.arrive('viewer', 'tab 1'), hall.arrive('viewer', 'tab 2')];
      const other = hall.arrive('other');
      await hall.settled();
      const [session] = hall.visitor('viewer')?.sessions ?? [];
      if (!session) throw new Error('nobody is there');
      await hall.store.perform(eraseViewer, { channel_id, viewer_id: 'viewer' });
      hall.clock.now += 1_000;
      flush.mark(session);
      await flush.flush();
      expect([...pages, other].map(({ closeCode }) => closeCode)).toEqual([4004, 4004, undefined]);
      expect(hall.visitor('viewer')).toBeUndefined();
      expect(rooms.find(channel_id)?.viewerCount).toBe(1);
      const again = hall.arrive('viewer', 'tab 1');
      await hall.settled();
      expect(again.sent[0]?.type).toBe('welcome');
      const text = "SELECT visit_times FROM visitors WHERE viewer_id = 'viewer'";
      expect(await hall.store.all(text)).toEqual([{ visit_times: 1 }]);
    });

    test('who is there anew is not sent away by late word of their erasure', async () => {
      const hall = await newHall(await openTestStore(engine));
      const { channel_id, rooms } = hall;
      hall.arrive('viewer', 'tab 1');
      await hall.settled();
      const before = hall.visitor('viewer');
      if (!before) throw new Error('nobody is there');
      await hall.store.perform(eraseViewer, { channel_id, viewer_id: 'viewer' });
      hall.clock.now += 1_000;
      const again = hall.arrive('viewer', 'tab 2');
      await hall.settled();
      rooms.find(channel_id)?.erase(before);
      expect(again.closeCode).toBeUndefined();
      expect(hall.visitor('viewer')?.connectionCount).toBe(1);
    });

    test('what another service wrote while a page was let in does not count again', async () => {
      const hall = await newHall(await openTestStore(engine));
      const { channel_id, store, clock } = hall;
      const [elsewhere] = await enterAnew(store, channel_id, [entry('viewer', noon)]);
      if (!elsewhere) throw new Error('nobody entered');
      const { record_id, session_seq, visitor_seq, numbering } = elsewhere;
      const until = noon + 5_000;
      const sums = { viewer_id: 'viewer', watch_ms: 5_000, credited_until: until };
      const row = { ...sums, last_seen_at: until };
      hall.database.meanwhile = () => {
        hall.database.meanwhile = () => {};
        clock.now += 6_000;
        store.perform(creditAudience, {
          channel_id,
          numbering,
          sessions: [{ ...row, seq: session_seq, record_id, online_ms: 5_000 }],
          visitors: [{ ...row, seq: visitor_seq }],
        });
      };
      hall.arrive('viewer', 'tab', { record_id, session_seq });
      await hall.settled();
      const [session] = hall.visitor('viewer')?.sessions ?? [];
      session?.report(noon + 10_000, 10_000, new OnAir(true, noon));
      expect(session?.watch.sums).toMatchObject({ online_ms: 10_000, watch_ms: 10_000 });
      expect(session?.visitor.covered.watch_ms).toBe(10_000);
    });

    test('while the database is away pages are asked to come back later', async () => {
      const hall = await newHall(await openTestStore(engine));
      hall.database.isAway = true;
      const socket = hall.arrive('viewer');
      await hall.settled();
      const refused: ServiceMessage[] = [{ type: 'refused', reason: 'unavailable' }];
      expect([socket.sent, socket.closeCode]).toEqual([refused, 4002]);
      hall.database.isAway = false;
      const again = hall.arrive('viewer');
      await hall.settled();
      expect(again.sent[0]?.type).toBe('welcome');
    });
  });
}

/** Rooms on a real store, whose writes are counted by their entries. */
async function newHall(store: Store) {
  const clock = { now: noon };
  const channel_id = await newChannel(store);
  const performed: number[] = [];
  const database = { isAway: false, meanwhile: () => {} };
  const given: Store = {
    ...store,
    perform: (operation, input) => {
      if (database.isAway) return Promise.reject(new Error('away'));
      const { entries } = input as { entries?: unknown[] };
      if (entries) performed.push(entries.length);
      database.meanwhile();
      return store.perform(operation, input);
    },
  };
  const flush = new AudienceFlush({
    store,
    log,
    onErased: (id, visitor) => rooms.find(id)?.erase(visitor),
  });
  running.push(flush);
  const rooms = new Rooms({
    store: given,
    now: () => clock.now,
    log,
    authorOf: () => 'author',
    publish: () => {},
    onChange: (session) => flush.mark(session),
  });
  const left = (connection: Connection) => {
    const { session } = connection;
    const at = clock.now;
    if (session)
      rooms.find(session.channel_id)?.disconnect(session, { connection, at, how: 'closed' });
  };
  return {
    store,
    clock,
    channel_id,
    performed,
    database,
    flush,
    rooms,
    visitor: (viewer_id: string) => rooms.find(channel_id)?.visitor(viewer_id),
    arrive: (viewer_id: string, instance = viewer_id, resume?: Arrival['resume']) => {
      const upgrade = { ip: '', network: '', device: '', browser: '', refusal: undefined };
      const connection = new Connection(upgrade, clock.now);
      const socket = new HeldPageSocket(connection, left);
      const texts = { nick: '', addr: '', phone: '', device: '', browser: '', origin: '', ip: '' };
      const entry = { viewer_id, ...texts, at: clock.now };
      const arrival = { connection, entry, author: 'author', instance };
      rooms.entrance(channel_id).arrive({ ...arrival, resume, said: undefined });
      return socket;
    },
    /** Resolves when nobody is on their way in. */
    settled: async () => {
      while (!rooms.entrance(channel_id).isEmpty) await Bun.sleep(1);
    },
  };
}
