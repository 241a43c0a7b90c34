// Rooms over time: who is kept, for how long, and that nothing stays when everybody is gone.
import { afterEach, describe, expect, test } from 'bun:test';
import { audienceBounds } from '../../../test/support/audience-bounds.ts';
import { engines } from '../../../test/support/engines.ts';
import { HeldPageSocket } from '../../../test/support/page-socket.ts';
import { endlessShow, oneSpan, watchedUntil } from '../../../test/support/some-show.ts';
import { enterAnew, entry, newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import { Connection } from '../connection/page-connection.ts';
import { AudienceFlush } from '../counting/audience-flush.ts';
import { OnAir } from '../counting/on-air.ts';
import type { ServiceMessage } from '../protocol/messages.ts';
import type { PageBounds } from '../protocol/page-limits.ts';
import { readResume } from '../protocol/page-message-reader.ts';
import { creditAudience, enterSessions, eraseViewer } from '../records/audience-store.ts';
import type { Arrival } from './entrance.ts';
import { Rooms } from './rooms.ts';

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
      const sweepAfter = (ms: number) => sweep(hall, noon + 10_000 + ms);
      sweepAfter(30_000);
      expect(hall.visitor('viewer')?.sessions).toHaveLength(1);
      sweepAfter(30_001);
      expect(hall.visitor('viewer')).toBeUndefined();
      expect(hall.rooms.find(hall.channel_id)).toBeUndefined();
    });

    test('a visitor is forgotten with the last of its sessions', async () => {
      const hall = await newHall(await openTestStore(engine));
      hall.rooms.stages.live(hall.channel_id, endlessShow(noon), noon);
      const socket = hall.arrive('viewer');
      await hall.settled();
      const room = hall.rooms.find(hall.channel_id);
      const session = hall.visitor('viewer')?.sessions[0];
      if (!room || !session) throw new Error('nobody is there');
      session.report(noon + 10_000, { played_ms: 10_000 }, room.stage.onAir);
      hall.clock.now += 10_000;
      socket.close(1001);
      await hall.flush.flush();
      sweep(hall, noon + 10_000 + 30_000);
      expect(hall.visitor('viewer')?.sessions).toEqual([session]);
      sweep(hall, noon + 10_000 + 30_001);
      expect(hall.visitor('viewer')).toBeUndefined();
    });

    test('while its sums are not written a session is kept, however long', async () => {
      const hall = await newHall(await openTestStore(engine));
      const socket = hall.arrive('viewer');
      await hall.settled();
      socket.close(1001);
      sweep(hall, noon + 3_600_000);
      expect(hall.visitor('viewer')?.sessions).toHaveLength(1);
      await hall.flush.flush();
      sweep(hall, noon + 3_600_000);
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
          sessions: [
            { ...row, seq: session_seq, record_id, online_ms: 5_000, spans: oneSpan(5_000) },
          ],
          visitors: [{ viewer_id: 'viewer', seq: visitor_seq, ...watchedUntil(until, 5_000) }],
        });
      };
      hall.arrive('viewer', 'tab', { resume: { record_id, session_seq } });
      await hall.settled();
      const [session] = hall.visitor('viewer')?.sessions ?? [];
      session?.report(noon + 10_000, { played_ms: 10_000 }, new OnAir(endlessShow(noon), noon));
      expect(session?.watch.sums).toMatchObject({ online_ms: 10_000, watch_ms: 10_000 });
      if (session) hall.flush.mark(session);
      await hall.flush.flush();
      const visitor = await store.one('SELECT watch_ms FROM visitors WHERE channel_id = $1', [
        channel_id,
      ]);
      expect(visitor).toEqual({ watch_ms: 10_000 });
    });

    test('a page that comes back from another service goes on with what that has written, not with what is here', async () => {
      const hall = await newHall(await openTestStore(engine));
      const { channel_id, store, clock, rooms } = hall;
      rooms.stages.live(channel_id, endlessShow(noon), noon);
      const welcomed = (socket: HeldPageSocket) => {
        const [first] = socket.sent;
        return first?.type === 'welcome' ? readResume(first.resume) : undefined;
      };
      const socket = hall.arrive('viewer', 'tab');
      await hall.settled();
      const here = welcomed(socket);
      if (!here) throw new Error('nobody was welcomed');
      clock.now += 4_000;
      socket.close(1001);
      await hall.flush.flush();
      // It watches five seconds there.
      const [there] = await store.perform(enterSessions, {
        channel_id,
        held_by: 2,
        now: clock.now,
        resumeWithinMs: 30_000,
        entries: [{ ...entry('viewer', clock.now), resume: here }],
      });
      if (!there) throw new Error('it did not go on there');
      clock.now += 5_000;
      const row = { viewer_id: 'viewer', last_seen_at: clock.now, credited_until: clock.now };
      const { session_seq, record_id, visitor_seq, numbering } = there;
      const sums = { watch_ms: 5_000, online_ms: 9_000, spans: oneSpan(5_000) };
      await store.perform(creditAudience, {
        channel_id,
        numbering,
        sessions: [{ ...row, ...sums, seq: session_seq, record_id }],
        visitors: [{ viewer_id: 'viewer', seq: visitor_seq, ...watchedUntil(clock.now, 5_000) }],
      });
      clock.now += 1_000;
      const back = hall.arrive('viewer', 'tab', { resume: { ...here, held_by: 2 } });
      await hall.settled();
      expect(welcomed(back)).toMatchObject({ record_id, held_by: 1 });
      const [session] = hall.visitor('viewer')?.sessions ?? [];
      expect(hall.visitor('viewer')?.sessions).toHaveLength(1);
      expect(session?.watch.sums).toMatchObject({ watch_ms: 5_000, online_ms: 9_000 });
    });

    test('a network brings in so many viewers a minute; the next are told to come back, and nothing is written', async () => {
      const hall = await newHall(await openTestStore(engine), { entriesPerNetwork: 60 });
      const crowd = Array.from({ length: 80 }, (_, n) => hall.arrive(`viewer ${n}`));
      const other = hall.arrive('other', 'other', { network: 'another' });
      const allowed = Array.from({ length: 80 }, (_, n) =>
        hall.arrive(`allowed ${n}`, `allowed ${n}`, { network: 'allowed' }),
      );
      await hall.settled();
      const isIn = ({ sent }: HeldPageSocket) => sent[0]?.type === 'welcome';
      expect([crowd.filter(isIn).length, isIn(other)]).toEqual([60, true]);
      expect(allowed.every(isIn)).toBe(true);
      const [late] = crowd.slice(60);
      expect(late?.sent).toEqual([{ type: 'refused', reason: 'full' }]);
      expect(late?.closeCode).toBe(4002);
      expect(hall.refused()).toEqual({ entries: 20 });
      expect(await hall.rows()).toEqual({ sessions: 141, visitors: 141 });
      hall.clock.now += 2_000;
      const again = crowd.slice(60, 63).map((_, n) => hall.arrive(`viewer ${60 + n}`));
      await hall.settled();
      expect(again.map(isIn)).toEqual([true, true, false]);
    });

    test('who goes on with a session is not counted as new, in memory or after a restart', async () => {
      const store = await openTestStore(engine);
      const before = await newHall(store, { entriesPerNetwork: 5 });
      const pages = ['a', 'b', 'c', 'd', 'e'].map((viewer) => before.arrive(viewer));
      await before.settled();
      const claims = pages.map(({ sent: [first] }) =>
        first?.type === 'welcome' ? readResume(first.resume) : undefined,
      );
      pages[0]?.close(1001);
      const back = before.arrive('a');
      await before.settled();
      expect(back.sent[0]?.type).toBe('welcome');
      const after = await newHall(store, { entriesPerNetwork: 1, channel_id: before.channel_id });
      const all = ['a', 'b', 'c', 'd', 'e'].map((viewer, n) =>
        after.arrive(viewer, viewer, { resume: claims[n] }),
      );
      const liar = after.arrive('f', 'f', { resume: { record_id: 1_000, session_seq: 9 } });
      const second = after.arrive('g', 'g', { resume: { record_id: 1_001, session_seq: 9 } });
      await after.settled();
      expect(all.every(({ sent }) => sent[0]?.type === 'welcome')).toBe(true);
      // A claim that is none is a new entry.
      expect([liar, second].map(({ sent }) => sent[0]?.type)).toEqual(['welcome', 'refused']);
      expect(after.refused()).toEqual({ entries: 1 });
      expect(await after.rows()).toEqual({ sessions: 6, visitors: 6 });
    });

    test('a page that goes while its session is looked for does not enter', async () => {
      const hall = await newHall(await openTestStore(engine));
      const socket = hall.arrive('hasty', 'hasty', { resume: { record_id: 9, session_seq: 9 } });
      hall.database.meanwhile = () => socket.close(1001);
      await hall.settled();
      expect(hall.performed).toEqual([1]);
      expect(await hall.rows()).toEqual({ sessions: 0, visitors: 0 });
    });

    test('of a viewer with too many pages those that have closed make room first, then the silent', async () => {
      const hall = await newHall(await openTestStore(engine), { sessionsPerViewer: 3 });
      const at = async (seconds: number, tab: string) => {
        hall.clock.now = noon + seconds * 1_000;
        const socket = hall.arrive('viewer', tab);
        await hall.settled();
        return socket;
      };
      const one = await at(0, 'one');
      const two = await at(1, 'two');
      const three = await at(2, 'three');
      three.close(1001);
      const four = await at(3, 'four');
      const codes = () => [one, two, four].map(({ closeCode }) => closeCode);
      expect(codes()).toEqual([undefined, undefined, undefined]);
      const five = await at(4, 'five');
      expect(codes()).toEqual([4005, undefined, undefined]);
      expect(five.closeCode).toBeUndefined();
      expect(hall.refused()).toEqual({ sessions: 1 });
      expect(hall.visitor('viewer')?.connectionCount).toBe(3);
      expect(hall.rooms.find(hall.channel_id)?.viewerCount).toBe(1);
      await hall.flush.flush();
      const rows = await hall.store.all('SELECT online_ms FROM sessions ORDER BY seq');
      expect(rows).toEqual([4_000, 0, 0, 0, 0].map((online_ms) => ({ online_ms })));
      sweep(hall, hall.clock.now);
      expect(hall.visitor('viewer')?.sessions).toHaveLength(3);
    });

    test('of more pages than a viewer may have that come at once, the rest comes back later', async () => {
      const hall = await newHall(await openTestStore(engine), { sessionsPerViewer: 3 });
      const tabs = ['1', '2', '3', '4'].map((tab) => hall.arrive('viewer', tab));
      await hall.settled();
      expect(tabs.map(({ closeCode }) => closeCode)).toEqual([
        undefined,
        undefined,
        undefined,
        4002,
      ]);
      expect(await hall.rows()).toEqual({ sessions: 3, visitors: 1 });
    });

    test('a name that a link gives is for every page of the viewer, by the page that was made last', async () => {
      const hall = await newHall(await openTestStore(engine));
      const names = () =>
        hall.store.all('SELECT s.nick, v.nick AS now FROM sessions s, visitors v ORDER BY s.seq');
      const free = hall.arrive('viewer', 'free');
      await hall.settled();
      const named = { nick: 'Ada', namedAt: noon };
      const tab = hall.arrive('viewer', 'tab', named);
      await hall.settled();
      expect(tab.sent[0]).toMatchObject({ viewer: { nick: 'Ada', fixed: true } });
      expect(free.sent.at(-1)).toEqual({ type: 'nick', nick: 'Ada', fixed: true });
      tab.close(1001);
      const anew = hall.arrive('viewer', 'tab', { nick: 'Grace', namedAt: noon + 1 });
      await hall.settled();
      expect(anew.sent[0]).toMatchObject({ viewer: { nick: 'Grace', fixed: true } });
      expect(free.sent.at(-1)).toEqual({ type: 'nick', nick: 'Grace', fixed: true });
      await hall.rooms.find(hall.channel_id)?.chat.inTurn(async () => {});
      expect(await names()).toEqual([
        { nick: '', now: 'Grace' },
        { nick: 'Grace', now: 'Grace' },
      ]);
      const older = hall.arrive('viewer', 'older', named);
      await hall.settled();
      expect(older.sent[0]).toMatchObject({ viewer: { nick: 'Grace', fixed: true } });
      expect((await names()).at(-1)).toEqual({ nick: 'Grace', now: 'Grace' });
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

/** What a page shows when it comes. */
type Shown = Partial<Pick<Arrival, 'resume' | 'namedAt'> & { network: string; nick: string }>;

/** Rooms on a real store, whose writes are counted by their entries. */
async function newHall(
  store: Store,
  { channel_id: known, ...more }: Partial<PageBounds & { channel_id: number }> = {},
) {
  const bounds = { ...audienceBounds(), ...more };
  const clock = { now: noon };
  const channel_id = known ?? (await newChannel(store));
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
    now: () => clock.now,
    onErased: (id, visitor) => rooms.find(id)?.erase(visitor),
  });
  running.push(flush);
  const rooms = new Rooms({
    places: { of: () => '' },
    ...bounds,
    store: given,
    now: () => clock.now,
    log,
    authorOf: () => 'author',
    publish: () => {},
    onChange: (session) => flush.mark(session),
    onOver: () => {},
    heldBy: 1,
  });
  const left = (connection: Connection) => {
    const { session, refusedFor, network } = connection;
    const at = clock.now;
    // As the doors do it.
    if (refusedFor) bounds.refusals.note(refusedFor, network);
    if (session)
      rooms.find(session.channel_id)?.disconnect(session, { connection, at, how: 'closed' });
  };
  return {
    store,
    clock,
    channel_id,
    refused: bounds.refused,
    performed,
    database,
    flush,
    rooms,
    visitor: (viewer_id: string) => rooms.find(channel_id)?.visitor(viewer_id),
    /** How many rows there are. */
    rows: async () => {
      const counted = async (table: string) =>
        (await store.one<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))?.n;
      return { sessions: await counted('sessions'), visitors: await counted('visitors') };
    },
    arrive: (viewer_id: string, instance = viewer_id, shown: Shown = {}) => {
      const { network = '', nick = '', namedAt = 0, resume } = shown;
      const upgrade = { ip: '', network, device: '', browser: '', refusal: undefined };
      const connection = new Connection(upgrade, clock.now);
      const socket = new HeldPageSocket(connection, left);
      const texts = { nick, addr: '', phone: '', device: '', browser: '', origin: '', ip: '' };
      const entry = { viewer_id, ...texts, at: clock.now };
      const arrival = { connection, entry, author: 'author', instance };
      rooms.entrance(channel_id).arrive({ ...arrival, namedAt, resume, said: undefined });
      return socket;
    },
    /** Resolves when nobody is on their way in. */
    settled: async () => {
      while (!rooms.entrance(channel_id).isEmpty) await Bun.sleep(1);
    },
  };
}

function sweep({ rooms }: { rooms: Rooms }, at: number): void {
  for (const _ of rooms.sweep(at));
}
