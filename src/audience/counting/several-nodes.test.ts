// Several nodes write what one audience watches: late, twice, in any order, after kills. Judged by counting seconds.
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Told, tickMs, watchedTicks } from '../../../test/support/audience-judge.ts';
import { type Engine, engines } from '../../../test/support/engines.ts';
import { bringSessions, expectExactBlocks } from '../../../test/support/past-sessions.ts';
import { endlessShow } from '../../../test/support/some-show.ts';
import { entry, newChannel, openTestStore } from '../../../test/support/store.ts';
import { unavailable } from '../../base/api/errors.ts';
import type { Operation, Store } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import { presenceLimits } from '../protocol/page-limits.ts';
import {
  creditAudience,
  enterSessions,
  eraseViewer,
  type Flush,
} from '../records/audience-store.ts';
import { AudienceFlush } from './audience-flush.ts';
import { OnAir } from './on-air.ts';
import { PresentSession, PresentVisitor } from './present.ts';

const viewers = 3;
const pagesPerViewer = 3;
const log = startLog('silent');

const step = fc.record({
  // Up to a beat mostly; now and then longer than a session or an unsettled stretch lasts.
  waitS: fc.oneof(
    { weight: 8, arbitrary: fc.nat(10) },
    { weight: 1, arbitrary: fc.constantFrom(16, 31, 61, 130) },
  ),
  page: fc.nat(viewers * pagesPerViewer - 1),
  node: fc.nat(2),
  action: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('report', 'all report', 'half report') },
    { weight: 3, arbitrary: fc.constantFrom('come', 'all come', 'move') },
    { weight: 3, arbitrary: fc.constantFrom('flush', 'all flush') },
    { weight: 2, arbitrary: fc.constantFrom('answer is lost', 'flush again') },
    { weight: 2, arbitrary: fc.constantFrom('cut off', 'cut off', 'reach all again') },
    { weight: 1, arbitrary: fc.constantFrom('kill', 'kill', 'import', 'erase', 'leave') },
  ),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

for (const engine of engines) {
  describe(engine.name, () => {
    const stores: Store[] = [];
    afterAll(async () => {
      for (const store of stores) await store.close();
    });

    test('every visitor has watched the seconds that any of its pages has, once each', async () => {
      stores.push(...(await openNodes(engine)));
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }),
          async (steps) => {
            const world = new World(stores, await newChannel(stores[0] as Store));
            for (const one of steps) await world.play(one);
            await world.judge();
          },
        ),
        { numRuns: engine.name === 'sqlite' ? 80 : 40 },
      );
    }, 120_000);
  });
}

test('what a node brings that was cut off for minutes counts, and until then nothing before it is settled', async () => {
  const engine = engines.find(({ name }) => name === 'postgres') as Engine;
  const stores = await openNodes(engine);
  const world = new World(stores, await newChannel(stores[0] as Store));
  const tabs = [0, viewers] as const;
  const step = (waitS: number, action: Step['action'], at = 0) =>
    world.play({ waitS, action, page: tabs[at] ?? 0, node: at });
  // Two tabs of one viewer, each on its node; one plays while the other stands still.
  for (const at of [0, 1]) await step(0, 'come', at);
  await step(10, 'report', 0);
  await step(0, 'all flush');
  await step(0, 'cut off', 1);
  for (let minute = 0; minute < 5; minute++) {
    await step(10, 'report', 1);
    await step(5, 'report', 1);
    await step(35, 'report', 0);
    await step(5, 'report', 0);
    await step(5, 'all flush');
  }
  await world.judge();
  for (const store of stores) await store.close();
});

/** SQLite has one service; on PostgreSQL there are three, on one database. */
async function openNodes(engine: Engine): Promise<Store[]> {
  if (engine.name === 'sqlite') return [await openTestStore(engine)];
  const settings = await engine.fresh();
  const open = () => openTestStore({ ...engine, fresh: async () => settings });
  return [await open(), await open(), await open()];
}

/** What a page is, and what the judge knows of the session that it has. */
interface Page {
  viewer_id: string;
  node: Node | undefined;
  session: PresentSession | undefined;
  record: SessionRecord | undefined;
  reports: { at: number; played_ms: number }[];
}

interface SessionRecord {
  viewer_id: string;
  /** How often the viewer was erased before. */
  life: number;
  record_id: number;
  told: Told[];
  /** The node that has it, or had it last. */
  node: Node;
  /** How much was told when the page left a node. */
  left: Map<Node, number>;
  /** So many of what was told were written, by some flush that came through. */
  written: number;
  /** Its node was killed, and its page has not come back to say the rest again. */
  isLost: boolean;
}

/** A service's memory. */
class Node {
  readonly store: Store;
  readonly visitors = new Map<string, PresentVisitor>();
  readonly flush: AudienceFlush;
  /** What becomes of the next flushes. */
  fate: 'written' | 'lost' | 'answer lost' = 'written';
  isKilled = false;

  constructor(store: Store, world: World) {
    this.store = store;
    const perform = async <Input, Output>(operation: Operation<Input, Output>, input: Input) => {
      if (this.isKilled || this.fate === 'lost') throw unavailable('lost');
      const output = await store.perform(operation, input);
      world.wrote(this, input as unknown as Flush);
      if (this.fate === 'answer lost') throw unavailable('answer lost');
      return output;
    };
    this.flush = new AudienceFlush({
      store: { ...store, perform },
      log,
      now: () => world.at,
      everyMs: 3_600_000,
      othersFlushedUntil: () => world.flushedUntil(this),
      onErased: (_, visitor) => world.erasedAt(this, visitor),
    });
  }
}

class World {
  private readonly stores: readonly Store[];
  private readonly channel_id: number;

  private readonly nodes: Node[];
  private readonly pages: Page[];
  private readonly records = new Map<number, SessionRecord>();
  private readonly lives = new Map<string, number>();
  private readonly importedMs = new Map<string, number>();
  private readonly sent: Flush[] = [];
  private readonly onAir = new OnAir(endlessShow(startMs), startMs);
  private now = 0;
  private imports = 0;

  constructor(stores: readonly Store[], channel_id: number) {
    this.stores = stores;
    this.channel_id = channel_id;
    this.nodes = stores.map((store) => new Node(store, this));
    this.pages = Array.from({ length: viewers * pagesPerViewer }, (_, n) => ({
      viewer_id: `v${n % viewers}`,
      node: undefined,
      session: undefined,
      record: undefined,
      reports: [],
    }));
  }

  get at(): number {
    return startMs + this.now * tickMs;
  }

  /** As the table of nodes tells it: a node that was killed is no more. */
  flushedUntil(except: Node): number {
    const others = this.nodes.filter((node) => node !== except);
    return Math.min(...others.map(({ flush }) => flush.flushedUntil));
  }

  async play({ waitS, page: n, node: at, action }: Step): Promise<void> {
    this.now += waitS;
    const page = this.pages[n] as Page;
    const node = this.nodes[at % this.nodes.length] as Node;
    if (action === 'report') this.report(page, 1);
    if (action === 'all report') for (const one of this.pages) this.report(one, 1);
    if (action === 'half report') for (const one of this.pages) this.report(one, 0.5);
    if (action === 'come') await this.come(page, node);
    if (action === 'all come')
      for (const [k, one] of this.pages.entries())
        await this.come(one, this.nodes[k % this.nodes.length] as Node);
    if (action === 'move') await this.move(page, node);
    if (action === 'leave') this.leave(page);
    if (action === 'flush') await node.flush.flush();
    if (action === 'all flush') await Promise.all(this.nodes.map(({ flush }) => flush.flush()));
    if (action === 'answer is lost') await this.flushUnheard(node);
    if (action === 'cut off') node.fate = 'lost';
    if (action === 'reach all again') this.reachAll();
    if (action === 'flush again') await this.flushAgain();
    if (action === 'kill') await this.kill(node);
    if (action === 'import') await this.import(page.viewer_id);
    if (action === 'erase') await this.erase(page.viewer_id);
  }

  /** When all is written. */
  async judge(): Promise<void> {
    this.reachAll();
    await Promise.all(this.nodes.map(({ flush }) => flush.flush()));
    // What an import has moved, or an erasure taken, it has found out by now.
    await Promise.all(this.nodes.map(({ flush }) => flush.stop()));
    const [store] = this.stores as [Store];
    const records = [...this.records.values()].filter((record) => this.isKept(record));
    const wanted = new Map<string, number>();
    for (const [viewer_id, of] of Map.groupBy(records, (record) => record.viewer_id)) {
      const seconds = new Set(of.flatMap((record) => [...watchedSeconds(record)]));
      wanted.set(viewer_id, seconds.size * tickMs);
    }
    for (const [viewer_id, ms] of this.importedMs)
      wanted.set(viewer_id, (wanted.get(viewer_id) ?? 0) + ms);
    const visitors = await this.rows<{ viewer_id: string }>('visitors');
    expect(new Map(visitors.map(({ viewer_id, watch_ms }) => [viewer_id, watch_ms]))).toEqual(
      wanted,
    );
    const sessions = await this.rows<{ record_id: number; external_id: string | null }>('sessions');
    const own = sessions.filter(({ external_id }) => external_id === null);
    expect(new Map(own.map(({ record_id, watch_ms }) => [record_id, watch_ms]))).toEqual(
      new Map(records.map((record) => [record.record_id, watchedSeconds(record).size * tickMs])),
    );
    await expectExactBlocks(store, this.channel_id);
  }

  /** A flush came through, now or again. */
  wrote(node: Node, flush: Flush): void {
    if (!flush.sessions) return;
    this.sent.push(structuredClone(flush));
    for (const { record_id } of flush.sessions) {
      const record = this.records.get(record_id);
      if (!record) continue;
      // A node that the page has left knows what was told until then.
      const known = record.node === node ? record.told.length : (record.left.get(node) ?? 0);
      record.written = Math.max(record.written, known);
    }
  }

  /** The rows are gone: whoever has the pages sends them away. */
  erasedAt(node: Node, visitor: PresentVisitor): void {
    if (node.visitors.get(visitor.viewer_id) === visitor) node.visitors.delete(visitor.viewer_id);
    for (const session of visitor.sessions) session.erased();
    for (const page of this.pages) if (page.session?.visitor === visitor) this.forget(page);
  }

  private async rows<Row>(table: string): Promise<(Row & { watch_ms: number })[]> {
    const [store] = this.stores as [Store];
    return await store.all(`SELECT * FROM ${table} WHERE channel_id = $1`, [this.channel_id]);
  }

  private isKept({ viewer_id, life }: SessionRecord): boolean {
    return life === (this.lives.get(viewer_id) ?? 0);
  }

  /** A page says the truth: it has played for a beat at most, or for half of that. */
  private report({ node, session, record, reports }: Page, share: number): void {
    if (!node || !session || !record) return;
    const last = record.told.findLast(({ what }) => what === 'report' || what === 'connected');
    const elapsed = Math.min(this.now - (last?.tick ?? this.now), 10);
    const played_ms = Math.floor(elapsed * share) * tickMs;
    session.report(this.at, { played_ms }, this.onAir);
    record.told.push({ tick: this.now, what: 'report', played_ms });
    reports.push({ at: this.now, played_ms });
    node.flush.mark(session);
  }

  private leave(page: Page): void {
    const { node, session, record } = page;
    if (!node || !session || !record) return;
    session.watch.closed(this.at, 'closed');
    record.told.push({ tick: this.now, what: 'closed', played_ms: 0 });
    record.left.set(node, record.told.length);
    node.flush.mark(session);
    page.node = undefined;
    page.session = undefined;
  }

  /** To another node, or the same, where it goes on with its session if that is found. */
  private async move(page: Page, node: Node): Promise<void> {
    this.leave(page);
    await this.come(page, node);
  }

  private async come(page: Page, node: Node): Promise<void> {
    if (page.session) return;
    const { viewer_id, record } = page;
    // A page that comes back to its node is found in memory, without all this.
    if (record?.node === node && !record.isLost) return this.goOnInMemory(page, node, record);
    const seq = record && (await this.seqOf(record.record_id));
    const resume = seq !== undefined && record && { record_id: record.record_id, session_seq: seq };
    // What this node has of it is older than what the node has that it comes from.
    for (const session of node.visitors.get(viewer_id)?.sessions ?? [])
      if (session.record_id === record?.record_id) session.erased();
    const [entered] = await node.store.perform(enterSessions, {
      channel_id: this.channel_id,
      held_by: 1 + this.nodes.indexOf(node),
      now: this.at,
      resumeWithinMs: presenceLimits.resumeWithinMs,
      entries: [{ ...entry(viewer_id, this.at), ...(resume && { resume }) }],
    });
    if (!entered) {
      page.record = undefined;
      return await this.come(page, node);
    }
    const known = node.visitors.get(viewer_id);
    if (known?.isBefore(entered)) this.erasedAt(node, known);
    const kept = node.visitors.get(viewer_id);
    const visitor = kept ?? new PresentVisitor({ viewer_id, author: '', nick: '' });
    node.visitors.set(viewer_id, visitor);
    visitor.entered(entered, Math.max(entered.visitor.credited_until, this.at));
    const session = new PresentSession({
      channel_id: this.channel_id,
      visitor,
      entered,
      instance: '',
      at: this.at,
    });
    visitor.sessions.push(session);
    page.node = node;
    page.session = session;
    if (entered.isResumed && record) this.goOn(page, session, record);
    else this.begin(page, node, entered.record_id);
  }

  private async goOnInMemory(page: Page, node: Node, record: SessionRecord): Promise<void> {
    const session = node.visitors
      .get(page.viewer_id)
      ?.sessions.find((one) => one.record_id === record.record_id && !one.isGone);
    if (!session) {
      page.record = undefined;
      return await this.come(page, node);
    }
    session.watch.resumed(this.at);
    record.told.push({ tick: this.now, what: 'connected', played_ms: 0 });
    page.node = node;
    page.session = session;
    node.flush.mark(session);
  }

  private begin(page: Page, node: Node, record_id: number): void {
    const { viewer_id } = page;
    const told = [{ tick: this.now, what: 'connected' as const, played_ms: 0 }];
    const life = this.lives.get(viewer_id) ?? 0;
    page.reports = [];
    page.record = {
      viewer_id,
      life,
      record_id,
      told,
      node,
      left: new Map(),
      written: 1,
      isLost: false,
    };
    this.records.set(record_id, page.record);
  }

  /** The page says again what it has said; all of it since the last flush. */
  private goOn(page: Page, session: PresentSession, record: SessionRecord): void {
    const kept = page.reports.filter(({ at }) => (this.now - at) * tickMs < 90_000);
    const said = {
      played_ms: page.reports.reduce((sum, { played_ms }) => sum + played_ms, 0),
      reports: kept.map(({ at, played_ms }) => [(this.now - at) * tickMs, played_ms] as const),
    };
    session.goOn(said, this.at, this.onAir);
    record.told.push({ tick: this.now, what: 'gone', played_ms: 0 });
    record.told.push({ tick: this.now, what: 'connected', played_ms: 0 });
    if (page.node) record.node = page.node;
    record.isLost = false;
    page.node?.flush.mark(session);
  }

  private async seqOf(record_id: number): Promise<number | undefined> {
    const rows = await this.rows<{ record_id: number; seq: number }>('sessions');
    return rows.find((row) => row.record_id === record_id)?.seq;
  }

  private async flushUnheard(node: Node): Promise<void> {
    node.fate = 'answer lost';
    await node.flush.flush();
    node.fate = 'written';
  }

  private reachAll(): void {
    for (const node of this.nodes) node.fate = 'written';
  }

  /** One that came through comes again, as late as it may be. */
  private async flushAgain(): Promise<void> {
    const old = this.sent[this.now % Math.max(1, this.sent.length)];
    if (old) await (this.stores[0] as Store).perform(creditAudience, old);
  }

  /** Memory is lost; pages of it may come back to another node, or to this one when it has started again. */
  private async kill(node: Node): Promise<void> {
    const reborn = new Node(node.store, this);
    node.isKilled = true;
    await node.flush.stop();
    this.nodes[this.nodes.indexOf(node)] = reborn;
    for (const page of this.pages) {
      if (page.node !== node) continue;
      page.node = undefined;
      page.session = undefined;
    }
    for (const record of this.records.values()) if (record.node === node) record.isLost = true;
  }

  private forget(page: Page): void {
    page.node = undefined;
    page.session = undefined;
    page.record = undefined;
  }

  /** A session of long ago, of one who may be there; rows are numbered anew. */
  private async import(viewer_id: string): Promise<void> {
    const n = ++this.imports;
    const past = { record_id: n, viewer_id, entered_at: startMs - n * 1_000_000, watch_ms: 70_000 };
    await bringSessions(this.stores[0] as Store, this.channel_id, [past]);
    this.importedMs.set(viewer_id, (this.importedMs.get(viewer_id) ?? 0) + past.watch_ms);
  }

  private async erase(viewer_id: string): Promise<void> {
    const { channel_id } = this;
    await (this.stores[0] as Store).perform(eraseViewer, { channel_id, viewer_id });
    this.lives.set(viewer_id, (this.lives.get(viewer_id) ?? 0) + 1);
    this.importedMs.delete(viewer_id);
  }
}

function watchedSeconds({ told, written, isLost }: SessionRecord): Set<number> {
  return watchedTicks(isLost ? told.slice(0, written) : told, air);
}

const startMs = Date.UTC(2026, 4, 4, 12);
const air = [{ tick: 0, isLive: true, isRestart: true }];
