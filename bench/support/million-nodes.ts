// Nodes of `bench million`: the memory, the flush and the census of a service each, with sockets that are only modelled.
import { AudienceFlush } from '../../src/audience/counting/audience-flush.ts';
import { OnAir } from '../../src/audience/counting/on-air.ts';
import { PresentSession, PresentVisitor } from '../../src/audience/counting/present.ts';
import { ViewerCensus } from '../../src/audience/nodes/viewer-census.ts';
import { presenceLimits } from '../../src/audience/protocol/page-limits.ts';
import {
  type Entered,
  type Entry,
  enterSessions,
} from '../../src/audience/records/audience-store.ts';
import type { Store } from '../../src/base/db/sql.ts';
import { startLog } from '../../src/base/lib/log.ts';
import { endlessShow } from '../../test/support/some-show.ts';
import type { ModelledLinks } from './million-links.ts';

/** When all of it begins: the clock of the simulation goes on from here. */
export const beginAt = Date.UTC(2026, 4, 1, 19, 30);

/** A clock that goes on when it is told to. */
export class BenchClock {
  at = beginAt;
}

/** One page of a viewer. */
export interface Page {
  channel_id: number;
  viewer: number;
}

/** What a service has in memory of those who watch by it. */
export class BenchNode {
  readonly store: Store;
  private readonly clock: BenchClock;
  private readonly heldBy: number;

  private readonly onAir: OnAir;
  private readonly rooms = new Map<number, Map<string, PresentVisitor>>();
  private readonly sessions: PresentSession[] = [];
  readonly flush: AudienceFlush;
  private readonly census: ViewerCensus;
  /** What it would show, by channel. */
  readonly shown = new Map<number, number | undefined>();

  constructor(given: { store: Store; clock: BenchClock; links: ModelledLinks; heldBy: number }) {
    const { store, clock, links, heldBy } = given;
    this.store = store;
    this.clock = clock;
    this.heldBy = heldBy;
    this.onAir = new OnAir(endlessShow(beginAt), beginAt);
    this.flush = new AudienceFlush({
      store,
      log: startLog('silent'),
      now: () => clock.at,
      // The bench says when.
      everyMs: 86_400_000,
      othersFlushedUntil: () => links.flushedUntil(this),
      onErased: () => {
        throw new Error('nobody was erased');
      },
    });
    this.census = new ViewerCensus({
      links: links.of(this, `node-${heldBy}`),
      channels: () => this.rooms.keys(),
      viewersIn: (channel_id) => this.rooms.get(channel_id)?.keys() ?? [],
      onCount: (channel_id, count) => this.shown.set(channel_id, count),
    });
  }

  get pageCount(): number {
    return this.sessions.length;
  }

  /** As an entrance writes them: of one channel, some together. */
  async enter(pages: readonly Page[]): Promise<void> {
    const [first] = pages;
    if (!first) return;
    const { channel_id } = first;
    const at = this.clock.at;
    const entries = pages.map(({ viewer }) => entryOf(viewer, at));
    const { resumeWithinMs } = presenceLimits;
    const given = { channel_id, held_by: this.heldBy, now: at, resumeWithinMs, entries };
    const entered = await this.store.perform(enterSessions, given);
    for (const [index, one] of entered.entries()) {
      if (!one) throw new Error('a new viewer did not enter');
      this.open(channel_id, entries[index]?.viewer_id ?? '', one);
    }
  }

  private open(channel_id: number, viewer_id: string, entered: Entered): void {
    const room = this.rooms.get(channel_id) ?? new Map<string, PresentVisitor>();
    this.rooms.set(channel_id, room);
    const known = room.get(viewer_id);
    const visitor = known ?? new PresentVisitor({ viewer_id, author: '', nick: '' });
    const { at } = this.clock;
    visitor.entered(entered, at);
    const session = new PresentSession({ channel_id, visitor, entered, instance: '', at });
    visitor.sessions.push(session);
    this.sessions.push(session);
    if (known) return;
    room.set(viewer_id, visitor);
    this.census.note(channel_id, viewer_id, true);
  }

  /** Every page says that it has played since its last report. */
  report(): void {
    const { at } = this.clock;
    const report = { played_ms: presenceLimits.beatMs, shown_at: at };
    for (const session of this.sessions) {
      session.report(at, report, this.onAir);
      this.flush.mark(session);
    }
  }

  /** It tells who came, or how many there are. */
  round(): void {
    this.census.round();
  }
}

export function viewerId(viewer: number): string {
  return `v-${((viewer * 2_654_435_761) % 4_294_967_296).toString(36).padStart(20, '0')}`;
}

function entryOf(viewer: number, at: number): Entry {
  return {
    viewer_id: viewerId(viewer),
    nick: `Viewer ${viewer}`,
    addr: '广东省深圳市',
    phone: '',
    device: viewer % 2 === 0 ? 'iPhone' : 'PC',
    browser: viewer % 2 === 0 ? 'WeChat' : 'Chrome',
    origin: 'example.com',
    ip: `203.${Math.floor(viewer / 65_536) % 256}.${Math.floor(viewer / 256) % 256}.${viewer % 256}`,
    at,
  };
}
