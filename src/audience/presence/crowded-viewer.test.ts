// A viewer who opens, leaves and comes back to more pages than they may have: every record is exact all the same.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { audienceBounds } from '../../../test/support/audience-bounds.ts';
import {
  onlineTicks,
  type Told,
  tickMs,
  ticks,
  watchedTicks,
} from '../../../test/support/audience-judge.ts';
import { engines } from '../../../test/support/engines.ts';
import { HeldPageSocket } from '../../../test/support/page-socket.ts';
import { endlessShow } from '../../../test/support/some-show.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import { Connection } from '../connection/page-connection.ts';
import { AudienceFlush } from '../counting/audience-flush.ts';
import { closeCodes, type Welcome } from '../protocol/messages.ts';
import { pageBounds } from '../protocol/page-limits.ts';
import { readResume } from '../protocol/page-message-reader.ts';
import { Rooms } from '../rooms/rooms.ts';

const sessionsPerViewer = 3;
const tabs = 5;

interface Step {
  waitTicks: number;
  tab: number;
  action: 'open' | 'report' | 'leave' | 'flush';
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    waitTicks: fc.oneof(fc.nat(ticks(4)), fc.constantFrom(...[10, 15, 30, 31, 46].map(ticks))),
    tab: fc.nat(tabs - 1),
    action: fc.constantFrom('open', 'open', 'report', 'report', 'leave', 'flush'),
  }),
  { maxLength: 40, size: 'max' },
);

test('whoever is crowded out and comes back, sums are exactly what counts, of so many sessions at once', async () => {
  const [sqlite] = engines;
  if (!sqlite) throw new Error('no engine');
  const store = await openTestStore(sqlite);
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const desk = new Desk(store, await newChannel(store));
      for (const step of all) await desk.play(step);
      await desk.judge();
    }),
    { numRuns: 60 },
  );
  await store.close();
});

/** One viewer at a desk with some tabs, in front of a channel that is on air. */
class Desk {
  private readonly store: Store;
  private readonly channel_id: number;
  private readonly flush: AudienceFlush;
  private readonly rooms: Rooms;

  private tick = 0;
  private readonly open = new Map<number, { socket: HeldPageSocket; connection: Connection }>();
  /** What each tab was last welcomed with. */
  private readonly resumes = new Map<number, string>();
  /** Of each session, by its record. */
  private readonly told = new Map<number, Told[]>();
  private readonly reportedTick = new Map<number, number>();

  constructor(store: Store, channel_id: number) {
    this.store = store;
    this.channel_id = channel_id;
    const log = startLog('silent');
    const onErased = () => {};
    this.flush = new AudienceFlush({ store, log, now: () => this.at, onErased });
    this.rooms = new Rooms({
      places: { of: () => '' },
      ...audienceBounds(),
      sessionsPerViewer,
      store,
      now: () => this.at,
      log,
      authorOf: () => 'author',
      publish: () => {},
      onChange: (session) => this.flush.mark(session),
      onOver: () => {},
      heldBy: 1,
    });
    this.rooms.stages.live(channel_id, endlessShow(this.at), this.at);
  }

  async play({ waitTicks, tab, action }: Step): Promise<void> {
    this.tick += waitTicks;
    for (const _ of this.rooms.sweep(this.at));
    this.follow();
    if (action === 'open') await this.enter(tab);
    if (action === 'report') this.report(tab);
    if (action === 'leave') this.leave(tab);
    if (action === 'flush') await this.flush.flush();
    this.follow();
    expect(this.open.size).toBeLessThanOrEqual(sessionsPerViewer);
  }

  async judge(): Promise<void> {
    await this.flush.stop();
    const rows = await this.store.all<{ record_id: number; online_ms: number; watch_ms: number }>(
      'SELECT record_id, online_ms, watch_ms FROM sessions WHERE channel_id = $1',
      [this.channel_id],
    );
    expect(rows).toHaveLength(this.told.size);
    const covered = new Set<number>();
    for (const { record_id, online_ms, watch_ms } of rows) {
      const told = this.told.get(record_id) ?? [];
      const watched = watchedTicks(told, air);
      for (const tick of watched) covered.add(tick);
      expect(online_ms).toBe(onlineTicks(told).size * tickMs);
      expect(watch_ms).toBe(watched.size * tickMs);
    }
    const visitor = await this.store.one<{ watch_ms: number }>(
      'SELECT watch_ms FROM visitors WHERE channel_id = $1',
      [this.channel_id],
    );
    expect(visitor?.watch_ms ?? 0).toBe(covered.size * tickMs);
    const onlineMs = rows.reduce((sum, { online_ms }) => sum + online_ms, 0);
    expect(onlineMs).toBeLessThanOrEqual(sessionsPerViewer * this.tick * tickMs);
  }

  private get at(): number {
    return Date.UTC(2026, 4, 4, 12) + this.tick * tickMs;
  }

  private async enter(tab: number): Promise<void> {
    if (this.open.has(tab)) return;
    const upgrade = { ip: '', network: '', device: '', browser: '', refusal: undefined };
    const connection = new Connection(upgrade, this.at);
    const socket = new HeldPageSocket(connection, (left) => this.left(left));
    const texts = { nick: '', addr: '', phone: '', device: '', browser: '', origin: '', ip: '' };
    this.rooms.entrance(this.channel_id).arrive({
      connection,
      entry: { viewer_id: 'viewer', ...texts, at: this.at },
      namedAt: 0,
      author: 'author',
      instance: `tab ${tab}`,
      resume: readResume(this.resumes.get(tab)),
      said: undefined,
    });
    while (!this.rooms.entrance(this.channel_id).isEmpty) await Bun.sleep(0);
    // Those who made room did so before it was in.
    this.follow();
    const welcome = socket.sent[0] as Welcome;
    this.resumes.set(tab, welcome.resume);
    this.open.set(tab, { socket, connection });
    this.tell(tab, 'connected');
  }

  private report(tab: number): void {
    const session = this.open.get(tab)?.connection.session;
    const room = this.rooms.find(this.channel_id);
    if (!session || !room) return;
    const { connection } = this.open.get(tab) ?? {};
    connection?.heard(this.at, 0, pageBounds);
    const since = this.reportedTick.get(session.record_id) ?? 0;
    const played_ms = (this.tick - since) * tickMs;
    session.report(this.at, { played_ms: played_ms }, room.stage.onAir);
    this.flush.mark(session);
    this.tell(tab, 'report', played_ms);
  }

  private leave(tab: number): void {
    const page = this.open.get(tab);
    if (!page) return;
    page.socket.close(1001);
    this.tell(tab, 'closed');
    this.open.delete(tab);
  }

  /** As the edge does it. */
  private left(connection: Connection): void {
    const { session } = connection;
    if (session)
      this.rooms
        .find(this.channel_id)
        ?.disconnect(session, { connection, at: this.at, how: 'closed' });
  }

  /** Writes down whom the service has sent away. */
  private follow(): void {
    for (const [tab, { socket }] of this.open) {
      const { closeCode } = socket;
      if (closeCode === undefined) continue;
      this.tell(tab, closeCode === closeCodes.crowdedOut ? 'closed' : 'gone');
      this.open.delete(tab);
    }
  }

  private tell(tab: number, what: Told['what'], played_ms = 0): void {
    const record_id = readResume(this.resumes.get(tab))?.record_id ?? 0;
    const told = this.told.get(record_id) ?? [];
    this.told.set(record_id, told);
    told.push({ tick: this.tick, what, played_ms });
    if (what === 'connected' || what === 'report') this.reportedTick.set(record_id, this.tick);
  }
}

const air = [{ tick: 0, isLive: true, isRestart: true }];
