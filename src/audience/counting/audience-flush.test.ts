// Flushes against both databases: in chunks, together with visitors, and not lost while the database is away.
import { afterEach, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { endlessShow } from '../../../test/support/some-show.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import { unavailable } from '../../base/api/errors.ts';
import type { Operation, Store } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import { monotonicMs } from '../../base/lib/time.ts';
import { enterSessions, eraseViewer, type Flush } from '../records/audience-store.ts';
import { AudienceFlush, type AudienceFlushOptions } from './audience-flush.ts';
import { OnAir } from './on-air.ts';
import { PresentSession, PresentVisitor, type SessionConnection } from './present.ts';

const noon = Date.UTC(2026, 4, 4, 12, 0, 0);
const log = startLog('silent');
const running: AudienceFlush[] = [];
afterEach(async () => {
  for (const flush of running.splice(0)) await flush.stop();
});

for (const engine of engines) {
  describe(engine.name, () => {
    test('many sessions are written in chunks, each visitor once and with all its sessions', async () => {
      const { store, flush, sent } = await trial(await openTestStore(engine));
      const channel_id = await newChannel(store);
      const sessions = await entered(store, { channel_id, viewers: 600, tabs: 2 });
      for (const session of sessions) watched(flush, session);
      await flush.flush();
      expect(sent.map(({ sessions: s, visitors: v }) => s.length + v.length)).toEqual([999, 801]);
      for (const chunk of sent) {
        const viewers = chunk.visitors.map(({ viewer_id }) => viewer_id);
        expect(chunk.sessions.length).toBe(2 * viewers.length);
        expect(new Set(chunk.sessions.map(({ viewer_id }) => viewer_id))).toEqual(new Set(viewers));
      }
      expect(sessions.every(({ state }) => state === 'clean')).toBe(true);
      expect(await sums(store, channel_id)).toEqual({ sessions: 12_000_000, visitors: 6_000_000 });
    });

    test('a tab that reports while others are written does not put its visitor ahead of it', async () => {
      const { store, flush, sent, database } = await trial(await openTestStore(engine));
      const channel_id = await newChannel(store);
      const sessions = await entered(store, { channel_id, viewers: 600, tabs: 2 });
      for (const session of sessions.slice(0, 600)) watched(flush, session);
      const late = sessions[1_199];
      if (!late) throw new Error('nobody entered');
      database.meanwhile = () => watched(flush, late, noon + 20_000);
      await flush.flush();
      expect(sent).toHaveLength(2);
      expect(await sums(store, channel_id)).toEqual({ sessions: 6_000_000, visitors: 6_000_000 });
      await flush.flush();
      expect(await sums(store, channel_id)).toEqual({ sessions: 6_010_000, visitors: 6_010_000 });
    });

    test('while the database is away sums are kept, and written once it is back', async () => {
      const { store, flush, database } = await trial(await openTestStore(engine));
      const channel_id = await newChannel(store);
      const [session] = await entered(store, { channel_id, viewers: 1, tabs: 1 });
      if (!session) throw new Error('nobody entered');
      expect(flush.lagMs).toBe(0);
      database.isAway = true;
      watched(flush, session);
      const from = monotonicMs();
      await flush.flush();
      expect(session.state).toBe('dirty');
      // It counts from when it changed, however often it was tried.
      await flush.flush();
      expect(flush.lagMs).toBeGreaterThanOrEqual(monotonicMs() - from - 1);
      expect(await sums(store, channel_id)).toEqual({ sessions: 0, visitors: 0 });
      database.isAway = false;
      await flush.flush();
      expect(session.state).toBe('clean');
      expect(flush.lagMs).toBe(0);
      expect(await sums(store, channel_id)).toEqual({ sessions: 10_000, visitors: 10_000 });
    });

    test('what changes while it is written is written again', async () => {
      const { store, flush, database } = await trial(await openTestStore(engine));
      const channel_id = await newChannel(store);
      const [session] = await entered(store, { channel_id, viewers: 1, tabs: 1 });
      if (!session) throw new Error('nobody entered');
      watched(flush, session);
      database.meanwhile = () => watched(flush, session, noon + 20_000);
      await flush.flush();
      expect(session.state).toBe('dirty');
      await flush.flush();
      expect(session.state).toBe('clean');
      expect(await sums(store, channel_id)).toEqual({ sessions: 20_000, visitors: 20_000 });
    });

    test('who asks for a flush while one is under way gets what came meanwhile written, too', async () => {
      const { store, flush, database } = await trial(await openTestStore(engine));
      const channel_id = await newChannel(store);
      const sessions = await entered(store, { channel_id, viewers: 2, tabs: 1 });
      const [first, second] = sessions;
      if (!first || !second) throw new Error('nobody entered');
      watched(flush, first);
      const isBeingWritten = new Promise<void>((resolve) => {
        database.meanwhile = resolve;
      });
      flush.flush();
      await isBeingWritten;
      watched(flush, second);
      await flush.flush();
      expect(sessions.map(({ state }) => state)).toEqual(['clean', 'clean']);
      expect(await sums(store, channel_id)).toEqual({ sessions: 20_000, visitors: 20_000 });
    });

    test('who was erased is told of once, whatever tabs they have, and written no more', async () => {
      const { store, flush, sent, erased } = await trial(await openTestStore(engine));
      const channel_id = await newChannel(store);
      const sessions = await entered(store, { channel_id, viewers: 2, tabs: 2 });
      await store.perform(eraseViewer, { channel_id, viewer_id: 'viewer 1' });
      for (const session of sessions) watched(flush, session);
      await flush.flush();
      expect(erased).toEqual([`viewer 1 of ${channel_id}`]);
      expect(sessions.map(({ isGone }) => isGone)).toEqual([false, true, false, true]);
      for (const session of sessions) watched(flush, session, noon + 20_000);
      await flush.flush();
      expect(sent.at(-1)?.visitors.map(({ viewer_id }) => viewer_id)).toEqual(['viewer 0']);
      expect(await sums(store, channel_id)).toEqual({ sessions: 40_000, visitors: 20_000 });
    });

    test('while a flush takes long the next waits longer, but not for those who have left', async () => {
      const clock = { now: 0 };
      const given = { everyMs: 20, clock: () => clock.now };
      const { store, flush, database } = await trial(await openTestStore(engine), given);
      const channel_id = await newChannel(store);
      const [here, left] = await entered(store, { channel_id, viewers: 2, tabs: 1 });
      if (!here || !left) throw new Error('nobody entered');
      here.connection = {} as SessionConnection;
      database.meanwhile = () => {
        clock.now += 1_000;
      };
      watched(flush, here);
      await flush.flush();
      watched(flush, here, noon + 20_000);
      watched(flush, left, noon + 20_000);
      while (left.state !== 'clean') await Bun.sleep(5);
      expect(here.state).toBe('dirty');
      expect(await sums(store, channel_id)).toEqual({ sessions: 20_000, visitors: 20_000 });
      clock.now += 4_000;
      while (here.state !== 'clean') await Bun.sleep(5);
      expect(await sums(store, channel_id)).toEqual({ sessions: 30_000, visitors: 30_000 });
    });

    test('trouble with the rows of one channel does not keep back those of another', async () => {
      const { store, flush, database } = await trial(await openTestStore(engine));
      const [bad, good] = [await newChannel(store), await newChannel(store)];
      database.badChannel = bad;
      for (const channel_id of [bad, good])
        for (const session of await entered(store, { channel_id, viewers: 1, tabs: 1 }))
          watched(flush, session);
      await flush.flush();
      expect(await sums(store, bad)).toEqual({ sessions: 0, visitors: 0 });
      expect(await sums(store, good)).toEqual({ sessions: 10_000, visitors: 10_000 });
      database.badChannel = 0;
    });
  });
}

/** A store whose flushes are seen, and fail when they are told to. */
async function trial(store: Store, given: Pick<AudienceFlushOptions, 'everyMs' | 'clock'> = {}) {
  const database = { isAway: false, badChannel: 0, meanwhile: () => {} };
  const sent: Flush[] = [];
  const perform = async <Input, Output>(operation: Operation<Input, Output>, input: Input) => {
    const credits = input as unknown as Flush;
    sent.push(credits);
    if (database.isAway) throw unavailable('away');
    if (credits.channel_id === database.badChannel) throw new Error('bad rows');
    const { meanwhile } = database;
    database.meanwhile = () => {};
    meanwhile();
    return await store.perform(operation, input);
  };
  const erased: string[] = [];
  const flush = new AudienceFlush({
    store: { ...store, perform },
    log,
    now: () => noon,
    ...given,
    onErased: (channel_id, { viewer_id }) => erased.push(`${viewer_id} of ${channel_id}`),
  });
  running.push(flush);
  return { store, flush, sent, erased, database };
}

async function entered(
  store: Store,
  { channel_id, viewers, tabs }: { channel_id: number; viewers: number; tabs: number },
): Promise<PresentSession[]> {
  const known = Array.from(
    { length: viewers },
    (_, n) => new PresentVisitor({ viewer_id: `viewer ${n}`, author: '', nick: '' }),
  );
  const visitors = Array.from({ length: tabs }, () => known).flat();
  const texts = { nick: '', addr: '', phone: '', device: '', browser: '', origin: '', ip: '' };
  const entries = visitors.map(({ viewer_id }) => ({ viewer_id, ...texts, at: noon }));
  const input = { channel_id, held_by: 1, now: noon, resumeWithinMs: 30_000, entries };
  return (await store.perform(enterSessions, input)).map((one, at) => {
    const visitor = visitors[at];
    if (!visitor || !one) throw new Error('an entry has no visitor');
    visitor.entered(one, noon);
    const given = { channel_id, visitor, entered: one, instance: '', at: noon };
    const session = new PresentSession(given);
    visitor.sessions.push(session);
    return session;
  });
}

const onAir = new OnAir(endlessShow(noon), noon);

/** Ten seconds more. */
function watched(flush: AudienceFlush, session: PresentSession, at = noon + 10_000): void {
  session.report(at, { played_ms: 10_000 }, onAir);
  flush.mark(session);
}

async function sums(store: Store, channel_id: number) {
  const sum = async (table: string) =>
    (
      await store.one<{ ms: number }>(
        `SELECT CAST(SUM(watch_ms) AS BIGINT) AS ms FROM ${table} WHERE channel_id = $1`,
        [channel_id],
      )
    )?.ms;
  return { sessions: await sum('sessions'), visitors: await sum('visitors') };
}
