// The connections to PostgreSQL: our own bounded checkout, accounts in turns, a deadline on every call.
import type pg from 'pg';
import { type ApiError, unavailable } from '../api/errors.ts';
import { monotonicMs } from '../lib/time.ts';
import { FairLines, type InLine } from '../turns/fair-lines.ts';
import { Holders } from './holders.ts';
import { type Asked, asked, lateError } from './late.ts';
import { type Answered, PostgresConnection, type Statement } from './postgres-connection.ts';
import { isLostConnection } from './postgres-errors.ts';
import type { Value } from './sql.ts';
import { checkRoom, groupOf, type OnRefused } from './whose.ts';

export interface CheckoutOptions {
  url: string;
  /** Connections at most. */
  size: number;
  /** A call that the database has not answered by then is refused and its connection dropped. */
  deadlineMs: number;
  /** A statement waits this long at most for another's lock; without it, until the deadline. */
  lockWithinMs?: number;
  onRefused?: OnRefused | undefined;
}

/** A server that does not answer a new connection by then is not there. */
const connectWithinMs = 10_000;
/** A server that has not taken its leave of a closed connection by then is not waited for. */
const leaveWithinMs = 2_000;
/** One call's place in the line for a connection. */
interface Turn extends InLine, Asked {
  /** By `monotonicMs`. */
  deadlineAt: number;
  /** Its caller has been told that the deadline is over. */
  late: boolean;
  /** Of a point read, which may go along with another's. */
  statement?: Statement;
  /** Gives it a connection, which may have to be opened first. */
  hand(connection: PostgresConnection | Promise<PostgresConnection>): void;
  refuse(error: Error): void;
}

/** Point reads in one message at most: a message costs each a small part then, and the last waits for few. */
const readsTogetherMax = 16;

/** Our own pool: bounded, accounts served in turns, and a broken connection is never handed out again. */
export class Checkout {
  private readonly options: CheckoutOptions;

  private readonly idle: PostgresConnection[] = [];
  private readonly waiting = new FairLines<Turn>(groupOf);
  private readonly holders: Holders;
  private readonly leaving = new Set<Promise<void>>();
  /** The point read that was begun last, and what it is read on: another of the same line may still go along. */
  private begun: { whose: string; connection: PostgresConnection } | undefined;
  private open = 0;
  private isClosed = false;
  private readonly allDropped = Promise.withResolvers<void>();

  constructor(options: CheckoutOptions) {
    this.options = options;
    this.holders = new Holders(options.size);
  }

  /** Runs `work` on one connection of its own, within the deadline. */
  async with<T>(whose: string, work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const { deadlineMs } = this.options;
    const late = Promise.withResolvers<never>();
    const turn: Turn = {
      ...asked(whose, { waiting: this.waiting, holders: this.holders }),
      deadlineAt: monotonicMs() + deadlineMs,
      late: false,
      hand: () => {},
      refuse: () => {},
    };
    let connection: PostgresConnection | undefined;
    const timer = setTimeout(() => {
      turn.late = true;
      this.waiting.remove(turn);
      late.reject(lateError(turn, this.options.onRefused));
    }, deadlineMs);
    try {
      const taking = this.take(turn);
      connection = await Promise.race([taking, late.promise]).catch((error) => {
        taking.then(
          (unused) => this.giveBack(unused, turn),
          () => {},
        );
        throw error;
      });
      const result = await Promise.race([work(connection), late.promise]);
      this.giveBack(connection, turn);
      return result;
    } catch (error) {
      // A statement that still runs on it must not meet the next caller's.
      if (connection) {
        if (turn.late || isLostConnection(error)) this.drop(connection, turn);
        else this.giveBack(connection, turn);
      }
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * A point read, within the deadline. While all who wait are of the same line, those behind it go along in its message:
   * nobody but their own account or network waits for them.
   */
  read(
    whose: string,
    text: string,
    params: readonly Value[] = [],
    deadlineAt = monotonicMs() + this.options.deadlineMs,
  ): Promise<Answered> {
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    const together = this.aboutToBeSent(whose);
    let connection: PostgresConnection | undefined;
    const over = (error?: Error) => {
      clearTimeout(timer);
      if (!connection || turn.late) return;
      if (isLostConnection(error)) this.drop(connection, turn);
      else this.giveBack(connection, turn);
    };
    const failed = (error: Error) => {
      over(error);
      reject(error);
    };
    const statement: Statement = {
      text,
      params,
      answered: (answer) => {
        over();
        resolve(answer);
      },
      failed,
      skipped: () => {
        over();
        resolve(this.read(whose, text, params, deadlineAt));
      },
    };
    const { isBehindOwn } = asked(whose, { waiting: this.waiting, holders: this.holders });
    const turn: Turn = {
      whose,
      isBehindOwn: isBehindOwn && !together,
      deadlineAt,
      late: false,
      statement,
      hand: async (handed) => {
        try {
          const given = handed instanceof PostgresConnection ? handed : await handed;
          if (turn.late) this.giveBack(given, turn);
          else {
            connection = given;
            for (const one of [statement, ...this.behind(turn)]) given.ask(one);
            this.begun = { whose, connection: given };
          }
        } catch (error) {
          failed(error as Error);
        }
      },
      refuse: failed,
    };
    const timer = setTimeout(() => {
      turn.late = true;
      this.waiting.remove(turn);
      reject(lateError(turn, this.options.onRefused));
      // It still runs, and must not meet the next caller's. Those that went along came behind it, and find it lost.
      if (connection) this.drop(connection, turn);
    }, deadlineAt - monotonicMs());
    if (together) together.ask(statement);
    else {
      try {
        this.wait(turn);
      } catch (error) {
        failed(error as Error);
      }
    }
    return promise;
  }

  /** Refuses the callers that wait, and waits for those that are served; resolves when every connection is gone. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const turn of this.waiting.takeUpTo(this.waiting.size)) turn.refuse(closedError());
    for (const connection of this.idle.splice(0)) this.drop(connection);
    if (this.open === 0) this.allDropped.resolve();
    await this.allDropped.promise;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, leaveWithinMs);
    await Promise.race([Promise.all(this.leaving), late.promise]);
    clearTimeout(timer);
  }

  private async take(turn: Turn): Promise<PostgresConnection> {
    return await new Promise((hand, refuse) => {
      this.wait(Object.assign(turn, { hand, refuse }));
    });
  }

  private wait(turn: Turn): void {
    if (this.isClosed) throw closedError();
    const { onRefused } = this.options;
    checkRoom(this.waiting, { whose: turn.whose, onRefused });
    this.waiting.add(turn);
    this.serve();
  }

  /** Point reads of the same line that go along with one, where nobody else waits. */
  private behind({ whose }: Turn): Statement[] {
    const found: Statement[] = [];
    while (found.length < readsTogetherMax - 1) {
      const next = this.waiting.oldest;
      if (!next?.statement || this.waiting.size > this.waiting.waitingOf(whose)) break;
      this.waiting.remove(next);
      if (next.deadlineAt > monotonicMs()) found.push(next.statement);
    }
    return found;
  }

  /** A message of the same line that one more may go along in, where nobody waits. */
  private aboutToBeSent(whose: string): PostgresConnection | undefined {
    const { begun } = this;
    if (begun?.whose !== whose || this.waiting.size > 0 || this.isClosed) return undefined;
    const { gatheredCount } = begun.connection;
    return gatheredCount > 0 && gatheredCount < readsTogetherMax ? begun.connection : undefined;
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

  private async connect(turn: Turn): Promise<PostgresConnection> {
    this.open += 1;
    try {
      // Throws where the address cannot be read.
      const connection = new PostgresConnection(configOf(this.options), () =>
        this.forget(connection),
      );
      await connection.connect();
      return connection;
    } catch (error) {
      this.holders.remove(groupOf(turn.whose));
      this.left();
      throw unavailable('The database cannot be reached', error);
    }
  }

  private giveBack(connection: PostgresConnection, turn: Turn): void {
    if (this.begun?.connection === connection) this.begun = undefined;
    if (this.isClosed) this.drop(connection, turn);
    else {
      this.holders.remove(groupOf(turn.whose));
      this.idle.push(connection);
      this.serve();
    }
  }

  private forget(connection: PostgresConnection): void {
    const at = this.idle.indexOf(connection);
    if (at < 0) return;
    this.idle.splice(at, 1);
    this.drop(connection);
  }

  /** `turn`: whose call had it. */
  private drop(connection: PostgresConnection, turn?: Turn): void {
    if (turn) this.holders.remove(groupOf(turn.whose));
    if (this.begun?.connection === connection) this.begun = undefined;
    const leaving: Promise<void> = connection
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

function configOf({ url, deadlineMs, lockWithinMs }: CheckoutOptions): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: Math.min(deadlineMs, connectWithinMs),
    statement_timeout: deadlineMs,
    ...(lockWithinMs !== undefined && { lock_timeout: lockWithinMs }),
    keepAlive: true,
    application_name: 'footlight',
  };
}
