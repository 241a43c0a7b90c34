// PostgreSQL through `pg`: our own bounded checkout, named statements, a deadline on every call.
import pg from 'pg';
import { ApiError, unavailable } from '../api/errors.ts';
import { monotonicMs } from '../lib/time.ts';
import { FairLines, type InLine } from '../turns/fair-lines.ts';
import { Holders } from './holders.ts';
import { type Asked, asked, lateError } from './late.ts';
import { appendOutbox, type OnAppended, withOutbox } from './outbox.ts';
import type { Operation, OutboxEntry, Sql, Store, Value } from './sql.ts';
import { checkRoom, groupOf, type OnRefused, service } from './whose.ts';

interface PostgresStoreOptions {
  url: string;
  /** Connections at most. */
  size: number;
  /** A call that the database has not answered by then is refused and its connection dropped. */
  deadlineMs: number;
  /** A statement waits this long at most for another's lock; without it, until the deadline. */
  lockWithinMs?: number;
  onRefused?: OnRefused | undefined;
  onAppended?: OnAppended | undefined;
}

/** A server that does not answer a new connection by then is not there. */
const connectWithinMs = 10_000;
/** A server that has not taken its leave of a closed connection by then is not waited for. */
const leaveWithinMs = 2_000;
/** A transaction that lost against another (deadlock, serialization) starts over this often. */
const triesMax = 3;

export function startPostgresStore(options: PostgresStoreOptions): Store {
  // Writes that wait for a lock hold their connections until the deadline; reads have others.
  const writesMax = Math.ceil(options.size / 2);
  const forWrites = new Checkout({ ...options, size: writesMax });
  const forReads =
    options.size === 1 ? forWrites : new Checkout({ ...options, size: options.size - writesMax });
  let trouble: string | undefined;

  /** Point reads may be sent again: a connection that died while idle is no caller's concern. */
  const reading = async <T>(whose: string, work: (sql: Sql) => Promise<T>): Promise<T> => {
    try {
      return await forReads.with(whose, work);
    } catch (error) {
      if (!isLostConnection(error)) throw asCallerSees(error);
    }
    return await forReads.with(whose, work).catch((error) => {
      throw asCallerSees(error);
    });
  };
  const pointsOf = (whose: string): Sql => ({
    dialect: 'postgres',
    all: (text, params) => reading(whose, async (sql) => await sql.all(text, params)),
    one: (text, params) => reading(whose, async (sql) => await sql.one(text, params)),
    run: (text, params) => forWrites.with(whose, async (sql) => await sql.run(text, params)),
  });

  const perform = async <Input, Output>(
    { kind, whose, run, end }: Operation<Input, Output>,
    input: Input,
  ): Promise<Output> => {
    const caller = whose(input);
    const checkout = kind === 'read' ? forReads : forWrites;
    const begin = kind === 'read' ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'BEGIN';
    for (let attempt = 1; ; attempt++) {
      try {
        const { output, appendedTo } = await checkout.with(caller, (sql) =>
          transaction(sql, begin, async () => {
            const entries: OutboxEntry[] = [];
            const made = await run(kind === 'read' ? sql : withOutbox(sql, entries), input);
            const output = end ? await end(sql, made) : made;
            return { output, appendedTo: await appendOutbox(sql, entries) };
          }),
        );
        if (kind !== 'read') trouble = undefined;
        if (appendedTo.length > 0) options.onAppended?.(appendedTo);
        return output;
      } catch (error) {
        if (isLostRace(error) && attempt < triesMax) continue;
        const told = asCallerSees(error);
        if (kind !== 'read' && told instanceof ApiError && told.kind === 'unavailable')
          trouble = told.message;
        throw told;
      }
    }
  };

  return {
    ...pointsOf(service),
    for: pointsOf,
    perform,
    version: () => undefined,
    trouble: () => trouble,
    close: async () => {
      await Promise.all([forReads.close(), forWrites.close()]);
    },
  };
}

/** Commits what `work` did; after any error nothing of it stays. */
async function transaction<T>(sql: Sql, begin: string, work: () => Promise<T>): Promise<T> {
  await sql.run(begin);
  try {
    const result = await work();
    await sql.run('COMMIT');
    return result;
  } catch (error) {
    if (!isLostConnection(error)) await sql.run('ROLLBACK');
    throw error;
  }
}

/** One call's place in the line for a connection. */
interface Turn extends InLine, Asked {
  /** By `monotonicMs`. */
  deadlineAt: number;
  /** Its caller has been told that the deadline is over. */
  late: boolean;
  /** Gives it a connection, which may have to be opened first. */
  hand(client: pg.Client | Promise<pg.Client>): void;
  refuse(error: Error): void;
}

/** Our own pool: bounded, accounts served in turns, and a broken connection is never handed out again. */
class Checkout {
  private readonly options: PostgresStoreOptions;

  private readonly idle: pg.Client[] = [];
  private readonly waiting = new FairLines<Turn>(groupOf);
  private readonly holders: Holders;
  private readonly leaving = new Set<Promise<void>>();
  private open = 0;
  private isClosed = false;
  private readonly allDropped = Promise.withResolvers<void>();

  constructor(options: PostgresStoreOptions) {
    this.options = options;
    this.holders = new Holders(options.size);
  }

  /** Runs `work` on one connection of its own, within the deadline. */
  async with<T>(whose: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    const { deadlineMs } = this.options;
    const late = Promise.withResolvers<never>();
    const turn: Turn = {
      ...asked(whose, { waiting: this.waiting, holders: this.holders }),
      deadlineAt: monotonicMs() + deadlineMs,
      late: false,
      hand: () => {},
      refuse: () => {},
    };
    let client: pg.Client | undefined;
    const timer = setTimeout(() => {
      turn.late = true;
      this.waiting.remove(turn);
      late.reject(lateError(turn, this.options.onRefused));
    }, deadlineMs);
    try {
      const taking = this.take(turn);
      client = await Promise.race([taking, late.promise]).catch((error) => {
        taking.then(
          (unused) => this.giveBack(unused, turn),
          () => {},
        );
        throw error;
      });
      const result = await Promise.race([work(sqlOn(client)), late.promise]);
      this.giveBack(client, turn);
      return result;
    } catch (error) {
      // A statement that still runs on it must not meet the next caller's.
      if (client) {
        if (turn.late || isLostConnection(error)) this.drop(client, turn);
        else this.giveBack(client, turn);
      }
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Refuses the callers that wait, and waits for those that are served; resolves when every connection is gone. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const turn of this.waiting.takeUpTo(this.waiting.size)) turn.refuse(closedError());
    for (const client of this.idle.splice(0)) this.drop(client);
    if (this.open === 0) this.allDropped.resolve();
    await this.allDropped.promise;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, leaveWithinMs);
    await Promise.race([Promise.all(this.leaving), late.promise]);
    clearTimeout(timer);
  }

  private async take(turn: Turn): Promise<pg.Client> {
    if (this.isClosed) throw closedError();
    const { onRefused } = this.options;
    checkRoom(this.waiting, { whose: turn.whose, onRefused });
    return await new Promise((hand, refuse) => {
      this.waiting.add(Object.assign(turn, { hand, refuse }));
      this.serve();
    });
  }

  /** Hands out what is free to whoever's turn it is; who has no time left is about to leave by itself. */
  private serve(): void {
    const { size } = this.options;
    while (this.idle.length > 0 || this.open < size) {
      const turn = this.waiting.take((group) => this.holders.mayHold(group));
      if (!turn) return;
      if (turn.deadlineAt <= monotonicMs()) continue;
      this.holders.add(groupOf(turn.whose));
      turn.hand(this.idle.pop() ?? this.connect(turn));
    }
  }

  private async connect(turn: Turn): Promise<pg.Client> {
    this.open += 1;
    try {
      // Throws where the address cannot be read.
      const client = newClient(this.options);
      // An idle connection that breaks says so here; without a listener it would end the process.
      client.on('error', () => this.forget(client));
      await client.connect();
      return client;
    } catch (error) {
      this.holders.remove(groupOf(turn.whose));
      this.left();
      throw unavailable('The database cannot be reached', error);
    }
  }

  private giveBack(client: pg.Client, turn: Turn): void {
    if (this.isClosed) this.drop(client, turn);
    else {
      this.holders.remove(groupOf(turn.whose));
      this.idle.push(client);
      this.serve();
    }
  }

  private forget(client: pg.Client): void {
    const at = this.idle.indexOf(client);
    if (at < 0) return;
    this.idle.splice(at, 1);
    this.drop(client);
  }

  /** `turn`: whose call had it. */
  private drop(client: pg.Client, turn?: Turn): void {
    if (turn) this.holders.remove(groupOf(turn.whose));
    const leaving: Promise<void> = client
      .end()
      .catch(() => {})
      .then(() => {
        this.leaving.delete(leaving);
      });
    this.leaving.add(leaving);
    this.left();
  }

  /** A connection is gone: one who waits may open another. */
  private left(): void {
    this.open -= 1;
    if (!this.isClosed) this.serve();
    else if (this.open === 0) this.allDropped.resolve();
  }
}

function closedError(): ApiError {
  return unavailable('The database has been closed');
}

function newClient({ url, deadlineMs, lockWithinMs }: PostgresStoreOptions): pg.Client {
  return new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: Math.min(deadlineMs, connectWithinMs),
    statement_timeout: deadlineMs,
    ...(lockWithinMs !== undefined && { lock_timeout: lockWithinMs }),
    keepAlive: true,
    application_name: 'footlight',
    types: { getTypeParser: typeParser },
  });
}

function sqlOn(client: pg.Client): Sql {
  const query = (text: string, params: readonly Value[] = []) =>
    client.query({ name: statementName(text), text, values: params as Value[] });
  return {
    dialect: 'postgres',
    all: async (text, params) => (await query(text, params)).rows,
    one: async (text, params) => (await query(text, params)).rows[0],
    run: async (text, params) => (await query(text, params)).rowCount ?? 0,
  };
}

/** Statement names are at most 63 bytes; the same text must have the same name. */
function statementName(text: string): string {
  return Bun.hash(text).toString(36);
}

const int8Oid = 20;
const numericOid = 1700;

/** Whole numbers come as numbers; one too large to be exact is our bug, not a rounding. */
function typeParser(oid: number, format?: 'text' | 'binary') {
  if (oid !== int8Oid && oid !== numericOid) return pg.types.getTypeParser(oid, format as 'text');
  return (text: string) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is no safe integer`);
    return value;
  };
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : '';
}

function isLostRace(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error));
}

/** The server went away or said it is going: class 08, 57P01 to 57P03, or the socket's own errors. */
function isLostConnection(error: unknown): boolean {
  const code = codeOf(error);
  if (/^(08|57P0)/.test(code) || /^E[A-Z]+$/.test(code)) return true;
  return (
    error instanceof Error &&
    /Connection terminated|not queryable|Client was closed/.test(error.message)
  );
}

const notNow: Record<string, string> = {
  '53': 'The database has run out of room or connections',
  '55': 'The database is locked; try again',
  '57': 'The database did not answer in time; try again',
  '58': 'The database cannot reach its disk',
};

/** What the caller is told: not now, or that the error is ours. */
function asCallerSees(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  if (isLostConnection(error))
    return unavailable('The connection to the database was lost; try again', error);
  if (isLostRace(error)) return unavailable('The database is busy; try again', error);
  const sentence = notNow[codeOf(error).slice(0, 2)];
  return sentence === undefined ? error : unavailable(sentence, error);
}
