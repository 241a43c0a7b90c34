// PostgreSQL through `pg`: our own bounded checkout, named statements, a deadline on every call.
import pg from 'pg';
import { ApiError, unavailable } from '../lib/errors.ts';
import { monotonicMs } from '../lib/time.ts';
import type { Operation, Sql, Store, Value } from './sql.ts';

interface PostgresStoreOptions {
  url: string;
  /** Connections at most. */
  size: number;
  /** A call that the database has not answered by then is refused and its connection dropped. */
  deadlineMs: number;
  /** A statement waits this long at most for another's lock; without it, until the deadline. */
  lockWithinMs?: number;
}

/** A server that does not answer a new connection by then is not there. */
const connectWithinMs = 10_000;
/** A server that has not taken its leave of a closed connection by then is not waited for. */
const leaveWithinMs = 2_000;
/** Calls that wait for a connection before new ones are refused. */
const waitingMax = 10_000;
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
  const reading = async <T>(work: (sql: Sql) => Promise<T>): Promise<T> => {
    try {
      return await forReads.with(work);
    } catch (error) {
      if (!isLostConnection(error)) throw asCallerSees(error);
    }
    return await forReads.with(work).catch((error) => {
      throw asCallerSees(error);
    });
  };

  const perform = async <Input, Output>(
    { kind, run }: Operation<Input, Output>,
    input: Input,
  ): Promise<Output> => {
    const checkout = kind === 'read' ? forReads : forWrites;
    const begin = kind === 'read' ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'BEGIN';
    for (let attempt = 1; ; attempt++) {
      try {
        const output = await checkout.with((sql) => transaction(sql, begin, () => run(sql, input)));
        if (kind !== 'read') trouble = undefined;
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
    dialect: 'postgres',
    all: (text, params) => reading(async (sql) => await sql.all(text, params)),
    one: (text, params) => reading(async (sql) => await sql.one(text, params)),
    run: (text, params) => forWrites.with(async (sql) => await sql.run(text, params)),
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
interface Turn {
  /** By `monotonicMs`. */
  deadlineAt: number;
  /** Its caller has been told that the deadline is over. */
  late: boolean;
  /** Gives it a connection, or wakes it to open one. */
  hand(client: pg.Client | undefined): void;
  refuse(error: Error): void;
}

/** Our own pool: bounded, first come first served, and a broken connection is never handed out again. */
class Checkout {
  private readonly options: PostgresStoreOptions;

  private readonly idle: pg.Client[] = [];
  private readonly waiting = new Set<Turn>();
  private readonly leaving = new Set<Promise<void>>();
  private open = 0;
  private isClosed = false;
  private readonly allDropped = Promise.withResolvers<void>();

  constructor(options: PostgresStoreOptions) {
    this.options = options;
  }

  /** Runs `work` on one connection of its own, within the deadline. */
  async with<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const { deadlineMs } = this.options;
    const late = Promise.withResolvers<never>();
    const turn: Turn = {
      deadlineAt: monotonicMs() + deadlineMs,
      late: false,
      hand: () => {},
      refuse: () => {},
    };
    let client: pg.Client | undefined;
    const timer = setTimeout(() => {
      turn.late = true;
      this.waiting.delete(turn);
      late.reject(unavailable('The database did not answer in time; try again'));
    }, deadlineMs);
    try {
      const taking = this.take(turn);
      client = await Promise.race([taking, late.promise]).catch((error) => {
        taking.then(
          (unused) => this.giveBack(unused),
          () => {},
        );
        throw error;
      });
      const result = await Promise.race([work(sqlOn(client)), late.promise]);
      this.giveBack(client);
      return result;
    } catch (error) {
      // What is still running on it must not meet the next caller's statements.
      if (client) {
        if (turn.late || isLostConnection(error)) this.drop(client);
        else this.giveBack(client);
      }
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Who waits is refused, who is served is waited for; resolves when every connection is gone. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const turn of this.waiting) turn.refuse(closedError());
    this.waiting.clear();
    for (const client of this.idle.splice(0)) this.drop(client);
    if (this.open === 0) this.allDropped.resolve();
    await this.allDropped.promise;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, leaveWithinMs);
    await Promise.race([Promise.all(this.leaving), late.promise]);
    clearTimeout(timer);
  }

  private async take(turn: Turn): Promise<pg.Client> {
    for (;;) {
      if (this.isClosed) throw closedError();
      const idle = this.idle.pop();
      if (idle) return idle;
      if (this.open < this.options.size) return await this.connect();
      if (this.waiting.size >= waitingMax)
        throw unavailable('Too many calls wait for the database');
      const handed = await new Promise<pg.Client | undefined>((hand, refuse) => {
        this.waiting.add(Object.assign(turn, { hand, refuse }));
      });
      if (handed) return handed;
    }
  }

  private async connect(): Promise<pg.Client> {
    this.open += 1;
    try {
      // Throws where the address cannot be read.
      const client = newClient(this.options);
      // An idle connection that breaks says so here; without a listener it would end the process.
      client.on('error', () => this.forget(client));
      await client.connect();
      return client;
    } catch (error) {
      this.left();
      throw unavailable('The database cannot be reached', error);
    }
  }

  private giveBack(client: pg.Client): void {
    if (this.isClosed) this.drop(client);
    else if (!this.wakeNext(client)) this.idle.push(client);
  }

  /** Whether anyone waited who still has time; the others are about to leave by themselves. */
  private wakeNext(client?: pg.Client): boolean {
    const now = monotonicMs();
    for (const turn of this.waiting) {
      if (turn.deadlineAt <= now) continue;
      this.waiting.delete(turn);
      turn.hand(client);
      return true;
    }
    return false;
  }

  private forget(client: pg.Client): void {
    const at = this.idle.indexOf(client);
    if (at < 0) return;
    this.idle.splice(at, 1);
    this.drop(client);
  }

  private drop(client: pg.Client): void {
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
    if (!this.isClosed) this.wakeNext();
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
