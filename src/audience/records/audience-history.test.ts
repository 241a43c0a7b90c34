// Random histories of entering, crediting, erasing and importing, held against plain maps on both engines.
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AudienceModel, type Sums, type Watched } from '../../../test/support/audience-model.ts';
import { engines } from '../../../test/support/engines.ts';
import { bringSessions, expectExactBlocks } from '../../../test/support/past-sessions.ts';
import { oneSpan, spansMs } from '../../../test/support/some-show.ts';
import { entry, newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import {
  countShare,
  creditAudience,
  type Entered,
  enterSessions,
  eraseViewer,
  renameViewer,
} from './audience-store.ts';
import type { SessionRow } from './session.ts';
import type { VisitorRow } from './visitor.ts';

const resumeWithinMs = 30_000;

const sums: fc.Arbitrary<Sums> = fc.record({
  last_seen_at: fc.integer({ min: 950_000, max: 1_200_000 }),
  watch_ms: fc.constantFrom(0, 999, 1_000, 59_999, 60_000, 200_000),
  credited_until: fc.integer({ min: 950_000, max: 1_200_000 }),
  online_ms: fc.nat(200_000),
});

const second = 1_000;
const wholeSecond = (min: number, max: number) =>
  fc.integer({ min, max }).map((value) => value * second);

const watched: fc.Arbitrary<Watched> = fc.record({
  last_seen_at: fc.integer({ min: 950_000, max: 1_200_000 }),
  intervals: fc.array(
    fc
      .tuple(wholeSecond(950, 1_200), fc.constantFrom(1, 2, 10, 59, 60, 200))
      .map(([from, long]) => ({ from, to: from + long * second })),
    { maxLength: 3 },
  ),
  settle_until: fc.oneof(fc.constant(0), wholeSecond(950, 1_200)),
});

/** `held` is a row that the service has in memory, whichever. */
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('enter' as const),
      gapMs: fc.integer({ min: -5_000, max: 20_000 }),
      arrivals: fc.array(fc.record({ viewer: fc.nat(5), claims: fc.option(fc.nat(30)) }), {
        minLength: 1,
        maxLength: 6,
      }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('credit' as const),
      rows: fc.uniqueArray(fc.record({ held: fc.nat(30), session: sums, visitor: watched }), {
        selector: ({ held }) => held,
        maxLength: 8,
      }),
    }),
  },
  fc.record({ do: fc.constant('erase' as const), viewer: fc.nat(5) }),
  fc.record({ do: fc.constant('share' as const), viewer: fc.nat(5) }),
  fc.record({ do: fc.constant('rename' as const), held: fc.nat(30) }),
  fc.record({ do: fc.constant('import' as const), second: fc.integer({ min: 1, max: 900 }) }),
);
type StepOf<Do> = Extract<typeof step extends fc.Arbitrary<infer Step> ? Step : never, { do: Do }>;

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    afterAll(() => store.close());

    test('rows are what plain code makes of any history, and the blocks are exact', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
          const history = new History(store, await newChannel(store));
          for (const one of steps) {
            if (one.do === 'enter') await history.enter(one);
            else if (one.do === 'credit') await history.credit(one);
            else if (one.do === 'erase') await history.erase(one);
            else if (one.do === 'share') await history.share(one);
            else if (one.do === 'rename') await history.rename(one);
            else await history.import(one);
          }
          await history.expectTruth();
        }),
        { numRuns: 60 },
      );
    });
  });
}

/** A row's number as the service has it in memory, and by which numbering it was given. */
interface Place {
  seq: number;
  numbering: number;
}

/** A viewer from their first entry to their erasure; who comes again is another. */
interface HeldVisitor extends Place {
  viewer_id: string;
}

/** One channel's history, written to the store and to the model. */
class History {
  private readonly store: Store;
  private readonly channel_id: number;

  private readonly model = new AudienceModel();
  private readonly sessions = new Map<number, Place & { visitor: HeldVisitor }>();
  /** Those that were not erased. */
  private readonly visitors = new Map<string, HeldVisitor>();
  private now = 1_000_000;
  private imported = 0;

  constructor(store: Store, channel_id: number) {
    this.store = store;
    this.channel_id = channel_id;
  }

  async enter({ gapMs, arrivals }: StepOf<'enter'>): Promise<void> {
    this.now += gapMs;
    const { channel_id, now } = this;
    const seqs = await this.seqs();
    const given = arrivals.map(({ viewer, claims }) => {
      const record_id = this.recordAt(claims);
      const resume = record_id && { record_id, session_seq: seqs.get(record_id) ?? 0 };
      return { ...entry(`v${viewer}`, now), ...(resume && { resume }) };
    });
    const told = { channel_id, held_by: 1, now, resumeWithinMs, entries: given };
    const entered = await this.store.perform(enterSessions, told);
    const about = { at: now, withinMs: resumeWithinMs };
    const taken = new Set<number>();
    const goesOn = given.map(({ viewer_id, resume }) => {
      if (!resume || taken.has(resume.record_id)) return false;
      if (!this.model.mayResume(viewer_id, resume.record_id, about)) return false;
      taken.add(resume.record_id);
      return true;
    });
    // Who claims a session goes on with it, or does not enter.
    const wanted = given.map(({ resume }, at) => goesOn[at] || (resume ? undefined : false));
    expect(entered.map((one) => one?.isResumed)).toEqual(wanted);
    for (const [at, one] of entered.entries())
      if (one) this.entered(one, given[at]?.viewer_id ?? '');
  }

  private entered(one: Entered, viewer_id: string): void {
    const { record_id, session_seq, visitor_seq, numbering, isResumed } = one;
    if (!isResumed) this.model.enter(viewer_id, this.now, record_id);
    const visitor = this.visitors.get(viewer_id) ?? { viewer_id, seq: 0, numbering: 0 };
    Object.assign(visitor, { seq: visitor_seq, numbering });
    this.visitors.set(viewer_id, visitor);
    this.sessions.set(record_id, { seq: session_seq, numbering, visitor });
    const { spans, ...sums } = one.session;
    expect(this.model.sessions.get(record_id)).toMatchObject({ ...sums, viewer_id });
    expect(spansMs(spans)).toBe(sums.watch_ms);
    expect(this.model.visitors.get(viewer_id)).toMatchObject(one.visitor);
  }

  async credit({ rows }: StepOf<'credit'>): Promise<void> {
    const flushed = this.flushable(rows);
    const visitors = new Map(flushed.map(({ place, row }) => [place.visitor, row.visitor]));
    const places = [...flushed.map(({ place }) => place), ...visitors.keys()];
    const oldest = Math.min(...places.map(({ numbering }) => numbering));
    const { numbering, moved } = await this.store.perform(creditAudience, {
      channel_id: this.channel_id,
      numbering: places.length === 0 ? 0 : oldest,
      sessions: flushed.map(({ record_id, place, row }) => {
        const { seq, visitor } = place;
        const spans = oneSpan(row.session.watch_ms);
        return { ...row.session, record_id, seq, viewer_id: visitor.viewer_id, spans };
      }),
      visitors: Array.from(visitors, ([{ viewer_id, seq }, row]) => ({ ...row, viewer_id, seq })),
    });
    for (const { record_id, row } of flushed) this.model.credit(record_id, row.session);
    for (const [visitor, row] of visitors)
      if (this.visitors.get(visitor.viewer_id) === visitor)
        this.model.creditVisitor(visitor.viewer_id, row);
    for (const { record_id, seq } of moved?.sessions ?? [])
      Object.assign(this.sessions.get(record_id) ?? {}, { seq, numbering });
    for (const { viewer_id, seq } of moved?.visitors ?? [])
      Object.assign(this.visitors.get(viewer_id) ?? {}, { seq, numbering });
  }

  /** Each session once; of a viewer who was erased and came again, those of before or of after, never both. */
  private flushable(rows: StepOf<'credit'>['rows']) {
    const visitors = new Map<string, HeldVisitor>();
    const bySession = new Map(rows.map((row) => [this.recordAt(row.held), row]));
    return Array.from(bySession).flatMap(([record_id, row]) => {
      const place = this.sessions.get(record_id);
      if (!place) return [];
      const { visitor } = place;
      const taken = visitors.get(visitor.viewer_id) ?? visitor;
      visitors.set(visitor.viewer_id, taken);
      return taken === visitor ? [{ record_id, place, row }] : [];
    });
  }

  async erase({ viewer }: StepOf<'erase'>): Promise<void> {
    const viewer_id = `v${viewer}`;
    await this.store.perform(eraseViewer, { channel_id: this.channel_id, viewer_id });
    this.model.erase(viewer_id);
    this.visitors.delete(viewer_id);
  }

  async share({ viewer }: StepOf<'share'>): Promise<void> {
    const viewer_id = `v${viewer}`;
    await this.store.perform(countShare, { channel_id: this.channel_id, viewer_id, at: this.now });
    this.model.share(viewer_id);
  }

  async rename({ held }: StepOf<'rename'>): Promise<void> {
    const record_id = this.recordAt(held);
    const viewer_id = this.viewerAt(held);
    const nick = `renamed ${held}`;
    const { channel_id } = this;
    await this.store.perform(renameViewer, { channel_id, viewer_id, record_id, nick });
    this.model.rename(viewer_id, record_id, nick);
  }

  /** Somebody else's session of long ago, so that the rows after it are numbered anew. */
  async import({ second }: StepOf<'import'>): Promise<void> {
    const record_id = ++this.imported;
    const past = { record_id, viewer_id: `past ${record_id}`, entered_at: second * 1_000 };
    await bringSessions(this.store, this.channel_id, [{ ...past, watch_ms: 70_000 }]);
    const row = await this.store.one<{ last_entry_at: number }>(
      'SELECT last_entry_at FROM channel_audience WHERE channel_id = $1',
      [this.channel_id],
    );
    this.model.lastEntryAt = row?.last_entry_at ?? 0;
  }

  async expectTruth(): Promise<void> {
    const sessions = await this.rows<SessionRow>('sessions');
    const enteredAt = sessions.map(({ entered_at }) => entered_at);
    expect(enteredAt).toEqual(enteredAt.toSorted((a, b) => a - b));
    const live = sessions.filter(({ external_id }) => external_id === null);
    expect(live.map(({ record_id }) => record_id).sort()).toEqual(
      [...this.model.sessions.keys()].sort(),
    );
    for (const row of live) expect(row).toMatchObject(this.model.sessions.get(row.record_id) ?? {});
    for (const { spans, watch_ms, external_id } of sessions)
      expect(spans === null ? null : spansMs(spans)).toBe(external_id === null ? watch_ms : null);
    const visitors = await this.rows<VisitorRow>('visitors');
    const known = visitors.filter(({ viewer_id }) => viewer_id.startsWith('v'));
    expect(known.map(({ viewer_id }) => viewer_id).sort()).toEqual(
      [...this.model.visitors.keys()].sort(),
    );
    for (const row of known)
      expect(row).toMatchObject(this.model.visitors.get(row.viewer_id) ?? {});
    await expectExactBlocks(this.store, this.channel_id);
  }

  private async rows<Row>(table: 'sessions' | 'visitors'): Promise<Row[]> {
    return await this.store.all<Row>(`SELECT * FROM ${table} WHERE channel_id = $1 ORDER BY seq`, [
      this.channel_id,
    ]);
  }

  /** What pages would have been told last. */
  private async seqs(): Promise<Map<number, number>> {
    const rows = await this.rows<SessionRow>('sessions');
    return new Map(rows.map(({ record_id, seq }) => [record_id, seq]));
  }

  /** One of the sessions that ever were; 0 for none. */
  private recordAt(at: number | null): number {
    const all = [...this.sessions.keys()];
    return at === null ? 0 : (all[at % Math.max(1, all.length)] ?? 0);
  }

  private viewerAt(at: number): string {
    return this.sessions.get(this.recordAt(at))?.visitor.viewer_id ?? '';
  }
}
