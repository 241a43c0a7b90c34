// A channel, two viewers and their pages: it plays steps through src/presence and writes down what happened.
import { expect } from 'bun:test';
import { OnAir } from '../../src/audience/counting/on-air.ts';
import { type SessionSums, WatchSession } from '../../src/audience/counting/watch-session.ts';
import { presenceLimits } from '../../src/audience/protocol/page-limits.ts';
import { readSpans, spanText } from '../../src/audience/records/span.ts';
import {
  type Interval,
  type VisitorTime,
  withCovered,
} from '../../src/audience/records/stretches.ts';
import type { Show } from '../../src/stream/live/show.ts';
import { type Air, type Told, tickMs, ticks, watchedTicks } from './audience-judge.ts';
import { endlessShow } from './some-show.ts';

/** What happens after a wait, mostly to one page. */
export interface Step {
  waitTicks: number;
  page: number;
  action:
    | ('report' | 'all report' | 'all watch a minute')
    | ('message' | 'close' | 'fall silent' | 'enter' | 'crowd out' | 'resume' | 'all resume')
    | ('go live' | 'end' | 'clock goes back' | 'forget viewer')
    | ('flush' | 'flush again' | 'crash');
  /** How much a report claims, true or not. */
  played: 'all' | 'half' | 'tenfold' | 'endless' | 'none' | 'negative' | 'NaN' | 'replay';
  /** How far the machine's clock is set forward while the service is down; below 0 it is set back. */
  clockTicks: number;
}

interface Page {
  viewer: Viewer;
  enteredTick: number;
  enteredAt: number;
  /** Undefined after a crash, until it comes back. */
  session: WatchSession | undefined;
  isConnected: boolean;
  told: Told[];
  sums: SessionSums;
  /** Its row, and how much of what it told is in it. */
  row: SessionSums;
  rowTold: number;
}

interface Viewer {
  watchedMs: number;
  /** The seconds that its sessions were credited. */
  credited: Set<number>;
  row: VisitorTime;
  /** How far that is ahead of the service clock. */
  aheadMs: number;
  /** All that was ever flushed of it, to be said again. */
  flushed: Interval[];
  /** What is in the row: its seconds by the judge, and by what its sessions were credited. */
  rowTicks: Set<number>;
  rowCredited: Set<number>;
}

const startMs = 1_800_000_000_000;
const pagesShown = 5;

export class AudienceWorld {
  readonly air: Air[] = [];
  /** Also those that were left. */
  readonly pages: Page[] = [];
  readonly viewers: Viewer[] = [];

  private readonly shown = new Map<number, Page>();
  private now = 0;
  private clockTicks = 0;
  private crashTick = 0;
  /** By the clock of this run: all from before is written. */
  private flushedAt = 0;
  private lastEntryAt = 0;
  private onAir: OnAir;
  private show: Show | undefined;

  constructor(isLive: boolean) {
    this.onAir = this.startedOnAir(isLive);
    for (let n = 0; n < 2; n++) {
      const { at } = this;
      this.viewers.push({
        watchedMs: 0,
        credited: new Set(),
        row: {
          watch_ms: 0,
          credited_until: at,
          settled_until: 0,
          stretch_from: at,
          stretches: null,
        },
        aheadMs: 0,
        flushed: [],
        rowTicks: new Set(),
        rowCredited: new Set(),
      });
    }
    for (let n = 0; n < pagesShown; n++) this.enter(n);
  }

  play(step: Step): void {
    this.now += step.waitTicks;
    this.act(step);
    this.check();
  }

  /** What its row would have after a flush. */
  time(viewer: Viewer): VisitorTime {
    return withCovered(viewer.row, { intervals: this.unwritten(viewer), settleUntil: 0 });
  }

  private unwritten(viewer: Viewer): Interval[] {
    const { aheadMs } = viewer;
    return this.pages
      .filter((page) => page.viewer === viewer)
      .flatMap(({ session }) => session?.unwritten ?? [])
      .map(({ from, to }) => ({ from: from + aheadMs, to: to + aheadMs }));
  }

  /** All that a viewer's pages watched, but of what lies before a crash only what was written. */
  coveredTicks(viewer: Viewer): Set<number> {
    const watched = this.pages
      .filter((page) => page.viewer === viewer)
      .flatMap((page) => [...watchedTicks(page.told, this.air)]);
    return new Set([...viewer.rowTicks, ...watched.filter((tick) => tick >= this.crashTick)]);
  }

  /** The service clock. */
  private get at(): number {
    return startMs + (this.now + this.clockTicks) * tickMs;
  }

  /** What the service clock calls so since it was last started; the machine's may have been set anew before. */
  private tickOf(at: number): number {
    return (at - startMs) / tickMs - this.clockTicks;
  }

  private act({ action, page: n, played, clockTicks }: Step): void {
    const page = this.shown.get(n) as Page;
    if (action === 'report') this.report(page, played);
    if (action === 'all report') for (const one of this.shown.values()) this.report(one, played);
    if (action === 'all watch a minute') this.watchMinute();
    if (action === 'message') this.hear(page);
    if (action === 'close' || action === 'fall silent') this.close(page, action);
    if (action === 'resume') this.resume(page);
    if (action === 'all resume') for (const one of this.shown.values()) this.resume(one);
    if (action === 'enter') this.enter(n);
    if (action === 'crowd out') this.crowdOut(n);
    if (action === 'go live' || action === 'end') this.live(action === 'go live');
    if (action === 'clock goes back') this.goBack(page);
    if (action === 'forget viewer') this.forget(page.viewer);
    if (action === 'flush') this.flush();
    if (action === 'flush again') this.flushAgain();
    if (action === 'crash') this.crash(clockTicks);
  }

  /** No sum falls; watching is within being online, and that within the wall's time and within the row's own. */
  private check(): void {
    for (const page of this.pages) {
      const sums = page.session?.sums ?? page.row;
      expectGrown(page.sums, sums);
      page.sums = sums;
      expect(sums.watch_ms).toBeLessThanOrEqual(sums.online_ms);
      expect(sums.online_ms).toBeLessThanOrEqual((this.now - page.enteredTick) * tickMs);
      expect(sums.online_ms).toBeLessThanOrEqual(sums.last_seen_at - page.enteredAt);
      expect(sums.credited_until).toBeLessThanOrEqual(sums.last_seen_at);
      expectSpans(sums);
    }
    for (const viewer of this.viewers) {
      const { watch_ms } = this.time(viewer);
      expect(watch_ms).toBeGreaterThanOrEqual(viewer.watchedMs);
      expect(watch_ms).toBeLessThanOrEqual(this.now * tickMs);
      expect(watch_ms).toBeLessThanOrEqual(viewer.credited.size * tickMs);
      viewer.watchedMs = watch_ms;
    }
  }

  private startedOnAir(isLive: boolean): OnAir {
    this.air.push({ tick: this.now, isLive, isRestart: true });
    this.show = isLive ? endlessShow(this.at) : undefined;
    return new OnAir(this.show, this.at);
  }

  /** The judge hears nothing of a page that is not connected; the code may be told anyway. */
  private tell(page: Page, what: Told['what'], played_ms = 0): void {
    if (!page.isConnected && what !== 'connected') return;
    page.told.push({ tick: this.now, what, played_ms });
    page.isConnected = what !== 'closed' && what !== 'gone';
  }

  private report(page: Page, how: Step['played']): void {
    const before = page.told.findLast(({ what }) => what === 'report' || what === 'connected');
    const sinceMs = (this.now - (before?.tick ?? this.now)) * tickMs;
    const played_ms = {
      all: sinceMs,
      half: Math.floor(sinceMs / 2 / tickMs) * tickMs,
      tenfold: sinceMs * 10,
      endless: Number.POSITIVE_INFINITY,
      none: 0,
      negative: -sinceMs,
      NaN: Number.NaN,
      replay: before?.played_ms ?? 0,
    }[how];
    const shown_at = {
      all: undefined,
      half: this.at - 3_000,
      tenfold: this.at + 86_400_000,
      endless: Number.MAX_SAFE_INTEGER,
      none: 0,
      negative: -1,
      NaN: undefined,
      replay: this.at - 60_000,
    }[how];
    const credits = page.session?.report(this.at, { played_ms, shown_at }, this.onAir) ?? [];
    for (const { from, to } of credits)
      for (let at = from; at < to; at += tickMs) page.viewer.credited.add(this.tickOf(at));
    this.tell(page, 'report', played_ms);
  }

  /** Every page beats as it should, one after the other, where it is still connected. */
  private watchMinute(): void {
    for (let n = 0; n < 6; n++) {
      for (const page of this.shown.values()) {
        this.now += ticks(10) / pagesShown;
        this.report(page, 'all');
      }
    }
  }

  private hear(page: Page): void {
    page.session?.heard(this.at);
    this.tell(page, 'message');
  }

  private close(page: Page, how: 'close' | 'fall silent'): void {
    page.session?.closed(this.at, how === 'close' ? 'closed' : 'silent');
    this.tell(page, how === 'close' ? 'closed' : 'gone');
  }

  private resume(page: Page): void {
    if (page.session) page.session.resumed(this.at);
    else page.session = new WatchSession(page.row, this.at);
    this.tell(page, 'connected');
  }

  /** A page is loaded in the place of another, which is heard of no more. */
  private enter(n: number): void {
    const before = this.shown.get(n);
    if (before) this.close(before, 'fall silent');
    // As the store does it: entry order never goes back, whatever the clock does.
    const entered_at = Math.max(this.at, this.lastEntryAt);
    this.lastEntryAt = entered_at;
    const sums = { online_ms: 0, watch_ms: 0, credited_until: this.at, last_seen_at: entered_at };
    const row = { ...sums, spans: spanText([]) };
    const page: Page = {
      viewer: this.viewers[n < 3 ? 0 : 1] as Viewer,
      enteredTick: this.now,
      enteredAt: entered_at,
      session: new WatchSession(row, this.at),
      isConnected: false,
      told: [],
      sums: row,
      row,
      rowTold: 1,
    };
    this.tell(page, 'connected');
    this.pages.push(page);
    this.shown.set(n, page);
  }

  /** One page more than its viewer may have: the one that has been silent longest makes room. It may come back. */
  private crowdOut(n: number): void {
    const { viewer } = this.shown.get(n) as Page;
    const heardTick = ({ told }: Page) => told.at(-1)?.tick ?? 0;
    const [silent] = [...this.shown.values()]
      .filter((page) => page.viewer === viewer && page.isConnected)
      .sort((a, b) => heardTick(a) - heardTick(b));
    if (silent) this.close(silent, 'close');
    this.enter(n);
  }

  private live(isLive: boolean): void {
    this.show = isLive ? (this.show ?? endlessShow(this.at)) : undefined;
    this.onAir.live(this.show, this.at);
    if (this.air.at(-1)?.isLive !== isLive)
      this.air.push({ tick: this.now, isLive, isRestart: false });
  }

  /** A time before the last one heard adds nothing. */
  private goBack({ session, isConnected, told }: Page): void {
    const last = told.at(-1);
    if (!session || !isConnected || !last) return;
    const before = session.sums;
    const at = this.at - (this.now - last.tick) * tickMs - 1;
    session.heard(at);
    const report = { played_ms: Number.POSITIVE_INFINITY };
    expect(session.report(at, report, this.onAir)).toEqual([]);
    expect(session.sums).toEqual(before);
  }

  /** A viewer of whom no page is connected may be dropped and read again when all is written: nothing is lost by it. */
  private forget(viewer: Viewer): void {
    if (this.pages.some((page) => page.viewer === viewer && page.isConnected)) return;
    this.flush();
    viewer.aheadMs = Math.max(0, viewer.row.credited_until - this.at);
  }

  /** Sessions and visitors are written in one transaction. */
  private flush(): void {
    for (const viewer of this.viewers) {
      const intervals = this.unwritten(viewer);
      const settled = this.flushedAt + viewer.aheadMs - presenceLimits.settledAfterMs;
      const settleUntil = intervals.length > 0 ? settled : 0;
      const row = withCovered(viewer.row, { intervals, settleUntil });
      expect(row.credited_until).toBeGreaterThanOrEqual(viewer.row.credited_until);
      viewer.row = row;
      viewer.flushed.push(...intervals);
      viewer.rowTicks = this.coveredTicks(viewer);
      viewer.rowCredited = new Set(viewer.credited);
    }
    for (const page of this.pages) {
      if (!page.session) continue;
      page.row = page.session.sums;
      page.session.wrote(page.row.watch_ms);
      page.rowTold = page.told.length;
    }
    this.flushedAt = this.at;
  }

  /** All that was ever written comes once more, the last first. */
  private flushAgain(): void {
    for (const { row, flushed } of this.viewers) {
      const intervals = flushed.toReversed();
      expect(withCovered(row, { intervals, settleUntil: 0 })).toEqual(row);
    }
  }

  /** Memory is lost, the rows are not; the machine's clock may be another afterwards. */
  private crash(clockTicks: number): void {
    for (const page of this.pages) {
      page.session = undefined;
      page.isConnected = false;
      page.sums = page.row;
      page.told.splice(page.rowTold++, page.told.length, gone(this.now));
    }
    this.crashTick = this.now;
    this.flushedAt = 0;
    this.clockTicks += clockTicks;
    for (const viewer of this.viewers) {
      viewer.aheadMs = Math.max(0, viewer.row.credited_until - this.at);
      viewer.watchedMs = viewer.row.watch_ms;
      viewer.credited = new Set(viewer.rowCredited);
    }
    this.onAir = this.startedOnAir(this.air.at(-1)?.isLive ?? false);
  }
}

function expectGrown(before: SessionSums, after: SessionSums): void {
  expect(after.online_ms).toBeGreaterThanOrEqual(before.online_ms);
  expect(after.watch_ms).toBeGreaterThanOrEqual(before.watch_ms);
  expect(after.credited_until).toBeGreaterThanOrEqual(before.credited_until);
  expect(after.last_seen_at).toBeGreaterThanOrEqual(before.last_seen_at);
}

/** They come to what was watched, and those of a show rise from its beginning on; where the clock was set back, shows do not. */
function expectSpans({ spans, watch_ms }: SessionSums): void {
  const all = readSpans(spans ?? '');
  expect(all.reduce((sum, { from, to }) => sum + to - from, 0)).toBe(watch_ms);
  const ends = new Map<number, number>();
  for (const { show, from, to, position } of all) {
    expect(from).toBeGreaterThanOrEqual(ends.get(show) ?? show);
    expect(to).toBeGreaterThan(from);
    expect(position).toBeGreaterThanOrEqual(0);
    ends.set(show, to);
  }
}

function gone(tick: number): Told {
  return { tick, what: 'gone', played_ms: 0 };
}
