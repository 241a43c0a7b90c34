// Writes what viewers have come to, every two seconds or, under load, less often, and keeps it while the database is away.
import { ApiError } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { monotonicMs } from '../../base/lib/time.ts';
import { JoinedWork } from '../../base/turns/joined-work.ts';
import { dearStep, nextTurn, TurnSlice } from '../../base/turns/turn-slice.ts';
import { presenceLimits } from '../protocol/page-limits.ts';
import { creditAudience, type Flush, flushRowsMax } from '../records/audience-store.ts';
import type { Moved } from '../records/credit-rows.ts';
import { type Interval, united } from '../records/stretches.ts';
import type { PresentSession, PresentVisitor } from './present.ts';

/** The last flush is tried so often, while the stop has time for it; what it cannot write is lost. */
const stopTries = 2;
const stopRetryMs = 500;

export interface AudienceFlushOptions {
  store: Store;
  log: Log;
  now: () => number;
  /** The one that only goes on. */
  clock?: () => number;
  everyMs?: number;
  /** Under load it waits so long at most. */
  everyMsMax?: number;
  /** All that other services on this database were told before is in it; not given where there are none. */
  othersFlushedUntil?: () => number;
  /** The rows of the visitor are no more: whoever has its pages sends them away. */
  onErased(channel_id: number, visitor: PresentVisitor): void;
}

/** Sums only grow and a row keeps the larger one, of visitors it keeps the union: what is written twice changes nothing. */
export class AudienceFlush {
  private readonly options: AudienceFlushOptions;

  /** Sessions whose sums have changed; each brings its visitor along. No more than are in memory anyway. */
  private dirty = new Set<PresentSession>();
  /** When the first of them has changed, and of those that are being written, by the clock that only goes on. */
  private dirtyFrom: number | undefined;
  private writingFrom: number | undefined;
  /** All that was counted before is written. */
  flushedUntil = 0;
  /** Since the start, for `/metrics`. */
  rowCount = 0;
  failureCount = 0;
  private readonly flushing = new JoinedWork(() => this.writeAll());
  private isAway = false;
  /** When the last one began that took all, how long the next waits, and whether the one under way takes only some. */
  private beganAt = Number.NEGATIVE_INFINITY;
  private waitMs: number;
  private isPartial = false;
  private readonly everyMs: number;
  private readonly clock: () => number;
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(options: AudienceFlushOptions) {
    this.options = options;
    this.everyMs = options.everyMs ?? presenceLimits.flushEveryMs;
    this.waitMs = this.everyMs;
    this.clock = options.clock ?? monotonicMs;
    this.timer = setInterval(() => this.tick(), this.everyMs);
  }

  mark(session: PresentSession): void {
    if (session.isGone) return;
    session.state = 'dirty';
    this.dirty.add(session);
    this.dirtyFrom ??= this.clock();
    // Two rows each. While the database is away, or slow, it is tried by the clock alone.
    const isWell = !this.isAway && this.waitMs <= this.everyMs;
    if (this.dirty.size * 2 >= presenceLimits.dirtyRowsMax && isWell) this.begin();
  }

  /** How long the oldest change has waited that no row has yet. */
  get lagMs(): number {
    const from = this.writingFrom ?? this.dirtyFrom;
    return from === undefined ? 0 : this.clock() - from;
  }

  /** Resolves when all that was there is written, or could not be: one that is under way does not take what came since. */
  async flush(): Promise<void> {
    await this.flushing.settled();
    await this.flushing.run();
  }

  /** One that is under way will do, unless it takes only some: what came since has its own turn. */
  private async begin(): Promise<void> {
    if (this.isPartial) await this.flushing.settled();
    await this.flushing.run();
  }

  /** Who has left may come back on another node within a moment, which reads the row: they do not wait. */
  private tick(): void {
    if (this.clock() - this.beganAt >= this.waitMs - this.everyMs / 2) {
      this.begin();
      return;
    }
    const hasLeft = this.dirty.values().some(({ connection }) => !connection);
    if (!hasLeft || this.writingFrom !== undefined) return;
    this.isPartial = true;
    this.flushing.run();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.flushing.settled();
    for (let tries = 0; tries < stopTries; tries += 1) {
      if (tries > 0) await Bun.sleep(stopRetryMs);
      await this.flush();
      if (this.dirty.size === 0) return;
    }
    const fields = { sessions: this.dirty.size };
    this.options.log.error('what viewers came to could not be written before the end', fields);
  }

  private async writeAll(): Promise<void> {
    if (this.isPartial) {
      const gone = [...this.dirty].filter(({ connection }) => !connection);
      this.dirty = this.dirty.difference(new Set(gone));
      await this.write(new Set(gone)).finally(() => {
        this.isPartial = false;
      });
      return;
    }
    const all = this.dirty;
    this.dirty = new Set();
    this.writingFrom = this.dirtyFrom;
    this.dirtyFrom = undefined;
    this.beganAt = this.clock();
    const takenAt = this.options.now();
    const isWhole = await this.write(all);
    const { everyMsMax = presenceLimits.flushEveryMsMax } = this.options;
    const restMs = (this.clock() - this.beganAt) * presenceLimits.flushRest;
    this.waitMs = Math.max(this.everyMs, Math.min(restMs, everyMsMax));
    if (isWhole) this.flushedUntil = takenAt;
    else this.dirtyFrom = this.writingFrom;
    this.writingFrom = undefined;
  }

  /** False where some could not be written; they stay dirty. */
  private async write(left: Set<PresentSession>): Promise<boolean> {
    const wasAway = this.isAway;
    this.isAway = false;
    const settleUntil = this.settleUntil;
    // All of them before the first is written, a viewer's tabs at one moment: one that reports meanwhile waits for the next.
    const chunks = await takenChunks(left, settleUntil);
    for (const chunk of chunks) {
      if (this.isAway) break;
      if (await this.written(chunk, wasAway))
        for (const session of chunk.sessions) left.delete(session);
    }
    if (wasAway && !this.isAway)
      this.options.log.info('what viewers have come to is written again');
    // Of a session that is gone nothing is left to be written.
    const unwritten = [...left].filter(({ isGone }) => !isGone);
    for (const session of unwritten) this.mark(session);
    return unwritten.length === 0;
  }

  /** What is older nobody brings any more, neither this service nor another. */
  private get settleUntil(): number {
    const others = this.options.othersFlushedUntil?.() ?? Number.POSITIVE_INFINITY;
    return Math.max(0, Math.min(this.flushedUntil, others) - presenceLimits.settledAfterMs);
  }

  private async written(chunk: TakenChunk, wasAway: boolean): Promise<boolean> {
    try {
      const { numbering, moved } = await this.options.store.perform(creditAudience, chunk.rows);
      if (moved) this.follow(chunk, numbering, moved);
      this.rowCount += chunk.sessions.length + chunk.visitors.length;
    } catch (error) {
      this.failureCount += 1;
      // Another error than this is of these rows alone, and must not keep the others waiting.
      this.isAway = error instanceof ApiError && error.kind === 'unavailable';
      if (!wasAway || !this.isAway)
        this.options.log.warn('what viewers have come to could not be written; it is kept', {
          error,
        });
      return false;
    }
    for (const [index, session] of chunk.sessions.entries()) {
      session.watch.wrote(chunk.rows.sessions[index]?.watch_ms ?? 0);
      // Those that have changed meanwhile stay dirty.
      if (session.state === 'writing') session.state = 'clean';
    }
    return true;
  }

  /** An import has numbered the rows anew; those that it does not name were erased. */
  private follow(chunk: Chunk, numbering: number, moved: Moved): void {
    for (const visitor of followed(chunk, numbering, moved))
      this.options.onErased(chunk.channel_id, visitor);
  }
}

/** Rows of one channel that are written together. */
interface Chunk {
  channel_id: number;
  sessions: PresentSession[];
  visitors: PresentVisitor[];
}

/** With what it has come to. */
interface TakenChunk extends Chunk {
  rows: Flush;
}

async function takenChunks(
  dirty: ReadonlySet<PresentSession>,
  settleUntil: number,
): Promise<TakenChunk[]> {
  const chunks: TakenChunk[] = [];
  let slice = new TurnSlice();
  for (const chunk of chunksOf(dirty)) {
    for (const session of chunk.sessions) session.state = 'writing';
    chunks.push({ ...chunk, rows: rowsOf(chunk, settleUntil) });
    if (!slice.isOver(dearStep)) continue;
    await nextTurn();
    slice = new TurnSlice();
  }
  return chunks;
}

/** A visitor is written with its sessions, so that a crash never leaves the one ahead of the other. */
function* chunksOf(dirty: ReadonlySet<PresentSession>): Generator<Chunk> {
  // Rows that stand near each other cost the database less.
  const inOrder = [...dirty].filter(({ isGone }) => !isGone).sort((a, b) => a.seq - b.seq);
  for (const [channel_id, rows] of Map.groupBy(inOrder, (session) => session.channel_id)) {
    let chunk: Chunk = { channel_id, sessions: [], visitors: [] };
    for (const [visitor, sessions] of Map.groupBy(rows, (session) => session.visitor)) {
      const rowCount = chunk.sessions.length + chunk.visitors.length;
      if (rowCount + sessions.length + 1 > flushRowsMax) {
        yield chunk;
        chunk = { channel_id, sessions: [], visitors: [] };
      }
      chunk.sessions.push(...sessions);
      chunk.visitors.push(visitor);
    }
    yield chunk;
  }
}

/** What the chunk has come to by now. */
function rowsOf({ channel_id, sessions, visitors }: Chunk, settleUntil: number): Flush {
  const seenAt = new Map<PresentVisitor, number>();
  const watched = new Map<PresentVisitor, Interval[]>(visitors.map((visitor) => [visitor, []]));
  const shows = new Map<number, number[]>();
  const sessionRows = sessions.map(({ seq, record_id, visitor, watch, enteredAt }) => {
    const { sums, unwritten } = watch;
    seenAt.set(visitor, Math.max(seenAt.get(visitor) ?? 0, sums.last_seen_at));
    watched.get(visitor)?.push(...unwritten);
    for (const show of new Set(unwritten.map((span) => span.show))) {
      const entered = shows.get(show);
      if (entered) entered.push(enteredAt);
      else shows.set(show, [enteredAt]);
    }
    const spans = sums.spans ?? '';
    return { seq, record_id, viewer_id: visitor.viewer_id, ...sums, spans };
  });
  const visitorRows = Array.from(watched, ([visitor, spans]) => {
    const { seq, viewer_id, aheadMs } = visitor;
    const intervals = united(spans).map(({ from, to }) => ({
      from: from + aheadMs,
      to: to + aheadMs,
    }));
    const settle_until = intervals.length > 0 ? settleUntil + aheadMs : 0;
    return { seq, viewer_id, last_seen_at: seenAt.get(visitor) ?? 0, intervals, settle_until };
  });
  // Rows by an older numbering than the channel's are found by their ids; that is right for newer ones too.
  const numbering = sessions.reduce(
    (least, one) => Math.min(least, one.numbering),
    Number.POSITIVE_INFINITY,
  );
  return {
    channel_id,
    numbering,
    sessions: sessionRows,
    visitors: visitorRows,
    shows: Array.from(shows, ([show, entered]) => ({ show, entered })),
  };
}

/** Gives sessions and visitors their new numbers; those that have no rows any more. */
function followed(
  { sessions, visitors }: Chunk,
  numbering: number,
  moved: Moved,
): Set<PresentVisitor> {
  const sessionSeqs = new Map(moved.sessions.map(({ record_id, seq }) => [record_id, seq]));
  const visitorRows = new Map(moved.visitors.map((row) => [row.viewer_id, row]));
  const erased = new Set<PresentVisitor>();
  for (const session of sessions) {
    const seq = sessionSeqs.get(session.record_id);
    session.numbering = numbering;
    if (seq !== undefined) session.seq = seq;
    else {
      session.erased();
      erased.add(session.visitor);
    }
  }
  for (const visitor of visitors) {
    const row = visitorRows.get(visitor.viewer_id);
    if (row) visitor.moved(row, numbering);
  }
  return erased;
}
