// Counts shows: their sessions are read piece by piece and held and counted in a thread of their own, so that nobody waits for it.
import { ApiError } from '../../base/api/errors.ts';
import { rowsPerPiece } from '../../base/api/pieces.ts';
import type { Store } from '../../base/db/sql.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import { FairPlaces } from '../../base/turns/fair-places.ts';
import type { SheetAnswer, SheetAsk } from './sheet-worker.ts';
import {
  firstMark,
  type MarkKind,
  type MarkPiece,
  type MarkPieceQuery,
  type MarkPlace,
  readMarkPiece,
} from './show-marks-store.ts';
import type { ShowMarks } from './show-report.ts';
import {
  type CountedFigures,
  type FoundShow,
  findSessions,
  keepFigures,
  type PieceQuery,
  readPiece,
  type Unplaced,
} from './show-report-store.ts';
import type { Person, SheetCount, SheetFilter } from './show-sheet.ts';

export interface ShowSheetsOptions {
  store: Store;
  /** Time that only passes. */
  monotonicMs: () => number;
}

/** What a show came to, or a part of its viewers. */
export interface ShowCount extends SheetCount {
  unplaced: Unplaced;
}

/** Of a show that is on: what is told of it is so old at most. */
const freshMs = 10_000;
/** Without an ask for so long the thread ends, and its sheets are read again when somebody asks. */
const idleMs = 120_000;

/** More shows are looked at within `idleMs` by nobody; one too many is read again. */
const sheetsMax = 1_000;

function newSheets(): RecentMap<number, Sheet> {
  return new RecentMap({ max: sheetsMax });
}

interface Sheet {
  name: string;
  changes: number;
  madeAt: number;
  unplaced: Promise<Unplaced>;
}

export class ShowSheets {
  private readonly options: ShowSheetsOptions;

  private thread: SheetThread | undefined;
  private idle: ReturnType<typeof setTimeout> | undefined;
  /** By show: what is known of the sheets that the thread holds, or held. */
  private sheets = newSheets();
  private nextName = 0;
  /** One is read at a time, accounts in turns: each is some hundred reads of the database. */
  private readonly turns = new FairPlaces({ placesMax: 1 });
  private isStopped = false;

  constructor(options: ShowSheetsOptions) {
    this.options = options;
  }

  /** What the show came to: as it was kept, or counted now, and then kept if it is over. */
  async figures(show: FoundShow, account_id: number): Promise<CountedFigures> {
    if (show.kept) return show.kept.figures;
    const { figures, unplaced } = await this.count(show, account_id, {});
    const counted = { ...figures, unplaced };
    if (show.end_at !== null)
      await this.keep(show, account_id, { figures: counted, isFrozen: false, mayBeOld: false });
    return counted;
  }

  /**
   * Its records will be removed: what it came to stays as it is. False where they were changed meanwhile and that
   * matters.
   */
  async freeze(
    show: FoundShow,
    account_id: number,
    { mayBeOld }: { mayBeOld: boolean },
  ): Promise<boolean> {
    if (show.kept?.isFrozen) return true;
    const figures = await this.figures(show, account_id);
    return await this.keep(show, account_id, { figures, isFrozen: true, mayBeOld });
  }

  /** Counts those whom the filter leaves. */
  async count(show: FoundShow, account_id: number, filter: SheetFilter): Promise<ShowCount> {
    return await this.ofSheet(show, account_id, async ({ name, unplaced }) => {
      const { count } = await this.ask({ ask: 'count', sheet: name, filter });
      return count && { ...count, unplaced: await unplaced };
    });
  }

  /** Each call gives the next of those whom the filter leaves; none when there are no more. */
  async people(
    show: FoundShow,
    account_id: number,
    filter: SheetFilter,
  ): Promise<() => Promise<Person[]>> {
    const ask = 'people';
    const limit = rowsPerPiece;
    const first = await this.ofSheet(show, account_id, async ({ name: sheet }) => {
      const { people } = await this.ask({ ask, sheet, filter, from: 0, limit });
      return people && { sheet, piece: people };
    });
    let { piece } = first;
    let isFirst = true;
    return async () => {
      if (isFirst) isFirst = false;
      else if (piece.next === undefined) return [];
      else {
        const { sheet } = first;
        const { people } = await this.ask({ ask, sheet, filter, from: piece.next, limit });
        // Of another sheet the numbers may be others.
        if (!people) throw new ApiError('unavailable', { message: 'The show was counted anew' });
        piece = people;
      }
      return piece.people;
    };
  }

  /** Lines of chat and shares of those whom the filter leaves, by minute of the report. */
  async marks(show: FoundShow, account_id: number, filter: SheetFilter): Promise<ShowMarks> {
    return await this.ofSheet(show, account_id, async ({ name }) => {
      const marked = (kind: MarkKind) =>
        this.marked(show, { account_id, sheet: name, filter, kind });
      const chat = await marked('chat');
      const shares = chat && (await marked('shares'));
      return shares && { chat, shares };
    });
  }

  private async marked(
    { channel_id, begin_at, end_at }: FoundShow,
    of: { account_id: number; sheet: string; filter: SheetFilter; kind: MarkKind },
  ): Promise<number[] | undefined> {
    const { account_id, kind, sheet, filter } = of;
    const counts: number[] = [];
    for (let behind: MarkPlace | undefined = firstMark(kind, begin_at); behind; ) {
      const query: MarkPieceQuery = { account_id, channel_id, end_at, kind, behind };
      const { marks, next }: MarkPiece = await this.options.store.perform(readMarkPiece, query);
      const { marked } = await this.ask({ ask: 'mark', sheet, filter, marks });
      if (!marked) return undefined;
      for (const [minute, count] of marked.entries())
        counts[minute] = (counts[minute] ?? 0) + count;
      behind = next;
    }
    return counts;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.idle);
    this.thread?.stop();
  }

  /** Asks a sheet of the show, which is made where it is not there. */
  private async ofSheet<T>(
    show: FoundShow,
    account_id: number,
    ask: (sheet: Sheet) => Promise<T | undefined>,
  ): Promise<T> {
    for (;;) {
      const sheet = this.sheetOf(show, account_id);
      await sheet.unplaced;
      const answer = await ask(sheet);
      if (answer !== undefined) return answer;
      // Others took its room, or the thread has ended.
      if (this.sheets.get(show.id) === sheet) this.sheets.delete(show.id);
    }
  }

  private async keep(
    { channel_id, begin_at, changes }: FoundShow,
    account_id: number,
    what: { figures: CountedFigures; isFrozen: boolean; mayBeOld: boolean },
  ): Promise<boolean> {
    const { store } = this.options;
    return await store.perform(keepFigures, { account_id, channel_id, begin_at, changes, ...what });
  }

  private sheetOf(show: FoundShow, account_id: number): Sheet {
    const at = this.options.monotonicMs();
    const known = this.sheets.get(show.id);
    const isFresh = known && show.end_at === null && at - known.madeAt < freshMs;
    if (known && (isFresh || known.changes === show.changes)) return known;
    const name = String(this.nextName++);
    const unplaced = this.inTurn(account_id, () => this.readOrDrop(show, account_id, name));
    const sheet = { name, changes: show.changes, madeAt: at, unplaced };
    unplaced.catch(() => {
      if (this.sheets.get(show.id) === sheet) this.sheets.delete(show.id);
    });
    this.sheets.set(show.id, sheet);
    return sheet;
  }

  private async inTurn(account_id: number, read: () => Promise<Unplaced>): Promise<Unplaced> {
    const unplaced = await this.turns.run({ whose: `account ${account_id}` }, read);
    // Nobody gives up a turn here.
    if (!unplaced) throw new Error('a sheet got no turn');
    return unplaced;
  }

  private async readOrDrop(show: FoundShow, account_id: number, sheet: string): Promise<Unplaced> {
    try {
      return await this.read(show, account_id, sheet);
    } catch (error) {
      // A thread that has ended holds nothing.
      await this.ask({ ask: 'drop', sheet }).catch(() => {});
      throw error;
    }
  }

  private async read(show: FoundShow, account_id: number, sheet: string): Promise<Unplaced> {
    const { store } = this.options;
    const { kept: _, videos: __, ...sought } = show;
    const { channel_id, begin_at } = show;
    const range = await store.perform(findSessions, { account_id, ...sought });
    const { first, before, longBefore, numbering } = range;
    await this.ask({ ask: 'begin', sheet, begin: begin_at });
    const unplaced = { sessions: 0, watch_ms: 0 };
    const read = async (query: Pick<PieceQuery, 'first' | 'before'>) => {
      const of = { account_id, channel_id, begin_at, numbering };
      const piece = await store.perform(readPiece, { ...of, ...query });
      unplaced.sessions += piece.unplaced.sessions;
      unplaced.watch_ms += piece.unplaced.watch_ms;
      await this.ask({ ask: 'add', sheet, rows: piece.rows });
      return piece.next;
    };
    for (const seq of longBefore) if (seq < first) await read({ first: seq, before: seq + 1 });
    for (let next: number | undefined = first; next !== undefined; )
      next = await read({ first: next, before });
    await this.ask({ ask: 'keep', sheet });
    return unplaced;
  }

  private ask(asked: Asked): Promise<SheetAnswer> {
    if (this.isStopped) return Promise.reject(new Error('the sheets are closed'));
    clearTimeout(this.idle);
    this.idle = setTimeout(() => this.rest(), idleMs).unref();
    this.thread ??= new SheetThread();
    return this.thread.ask(asked).catch((error) => {
      this.rest();
      throw error;
    });
  }

  /** Its memory goes with it. */
  private rest(): void {
    this.thread?.stop();
    this.thread = undefined;
    this.sheets = newSheets();
  }
}

type Asked = SheetAsk extends infer A ? (A extends unknown ? Omit<A, 'id'> : never) : never;

/** The thread as those who ask see it. */
class SheetThread {
  private readonly worker = new Worker(new URL('./sheet-worker.ts', import.meta.url).href);
  private readonly waiting = new Map<number, PromiseWithResolvers<SheetAnswer>>();
  private nextId = 0;

  constructor() {
    this.worker.onmessage = ({ data }: MessageEvent<SheetAnswer>) => {
      const waiting = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      waiting?.resolve(data);
    };
    this.worker.onerror = ({ message }) =>
      this.end(new Error(`the counting thread ended: ${message}`));
  }

  ask(asked: Asked): Promise<SheetAnswer> {
    const id = this.nextId++;
    const answer = Promise.withResolvers<SheetAnswer>();
    this.waiting.set(id, answer);
    this.worker.postMessage({ id, ...asked });
    return answer.promise;
  }

  stop(): void {
    this.end(new Error('the counting thread was stopped'));
  }

  private end(error: Error): void {
    this.worker.terminate();
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}
