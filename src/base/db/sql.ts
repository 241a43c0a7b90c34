// What SQL runs on, on either engine, and the named operations that are made of it.
import type { Tells } from '../api/audited.ts';
import { ofService } from './whose.ts';

export type Dialect = 'sqlite' | 'postgres';

export type Value = string | number | null | Uint8Array;

/** SQLite answers at once, PostgreSQL later; callers await either way. */
export type Soon<T> = T | Promise<T>;

/** One thing that happened, as the outbox takes it. */
export interface OutboxEntry {
  account_id: number;
  /** Each feed of an account has an order of its own. */
  feed: number;
  type: string;
  channel_id: number;
  /** Of the channel then; 0 for none. */
  manager_id: number;
  /** As JSON. */
  data: string;
}

/** Statements are written once, with `$1` parameters; each engine keeps them prepared by their text. */
export interface Sql {
  readonly dialect: Dialect;
  all<Row>(text: string, params?: readonly Value[]): Soon<Row[]>;
  one<Row>(text: string, params?: readonly Value[]): Soon<Row | undefined>;
  /** How many rows it changed. */
  run(text: string, params?: readonly Value[]): Soon<number>;
  /**
   * Within a write, and nowhere else: takes note of what it has brought about. It is written behind all else of the
   * transaction (`outbox.ts`), and not at all where that is undone.
   */
  happened?(entry: OutboxEntry): void;
}

/**
 * A function that runs whole in one transaction: in the writer or reader worker on SQLite, on one
 * checked-out connection on PostgreSQL. Its name carries it to the worker; input and output are plain data.
 */
export interface Operation<Input, Output> {
  readonly name: string;
  /** `flush` is a write that lets those of callers go first, though not for ever. */
  readonly kind: 'read' | 'write' | 'flush';
  /** Behind whose calls it waits; `whose.ts` has the words. */
  whose(input: Input): string;
  run(sql: Sql, input: Input): Promise<Output>;
  /**
   * The end of it, with what came of it; its answer is what this returns. It comes behind the other writes that share
   * the commit: within what is undone alone, SQLite keeps a copy of every page that is touched, each time. Where it
   * fails, nothing of that commit is done.
   */
  end?(sql: Sql, output: Output): Promise<Output>;
  /** What the audit log is told of it beyond who asked for what. */
  readonly tells?: Tells<Input, Output>;
}

/** The same operation, with what the audit log is told of it. */
export function telling<Input, Output>(
  tells: Tells<Input, Output>,
  operation: Operation<Input, Output>,
): Operation<Input, Output> {
  return { ...operation, tells };
}

/** The same operation, with an end behind the others of its commit. */
export function ending<Input, Output>(
  operation: Operation<Input, Output>,
  end: (sql: Sql, output: Output) => Promise<Output>,
): Operation<Input, Output> {
  return { ...operation, end };
}

type Run<Input, Output> = (sql: Sql, input: Input) => Promise<Output>;
type Whose<Input> = (input: Input) => string;

/** Without a word of whose it is, a call is the service's own. */
interface Declare {
  <Input, Output>(name: string, run: Run<Input, Output>): Operation<Input, Output>;
  <Input, Output>(
    name: string,
    whose: Whose<Input>,
    run: Run<Input, Output>,
  ): Operation<Input, Output>;
}

function declare(kind: AnyOperation['kind']): Declare {
  return <Input, Output>(
    name: string,
    ...given: [Run<Input, Output>] | [Whose<Input>, Run<Input, Output>]
  ): Operation<Input, Output> => {
    const [whose, run] = given.length === 2 ? given : [ofService, ...given];
    return { name, kind, whose, run };
  };
}

export const write = declare('write');

export const flush = declare('flush');

/** A read too long for the main thread, or one whose statements must see one state of the database. */
export const read = declare('read');

/** Operations with their types forgotten, as the worker looks them up. */
export type AnyOperation = Operation<never, unknown>;

/** The database as the service and the command line use it. */
export interface Store extends Sql {
  /** The same for callers: each waits behind its own (`whose.ts`). Otherwise point reads are the service's own. */
  for(whose: string): Sql;
  perform<Input, Output>(operation: Operation<Input, Output>, input: Input): Promise<Output>;
  /** Changes whenever anything in the database has changed; undefined where asking costs a round trip. */
  version(): number | undefined;
  /** Why writes fail now, or undefined while they succeed. */
  trouble(): string | undefined;
  close(): Promise<void>;
}

/** `($1, $2), ($3, $4)`: the parameters of `rows` rows of `columns` columns, from `$first` on. */
export function placeholders(rows: number, columns: number, first = 1): string {
  const row = (r: number) =>
    Array.from({ length: columns }, (_, c) => `$${first + r * columns + c}`).join(', ');
  return Array.from({ length: rows }, (_, r) => `(${row(r)})`).join(', ');
}

/** A condition alone, or one with a `?` for each of its values; where one is undefined, it is left out. */
export type Condition =
  | string
  | undefined
  | readonly [text: string, ...values: (Value | undefined)[]];

/** `WHERE a = $1 AND b` from conditions, with the parameters and the numbers of those that may follow. */
export function where(conditions: readonly Condition[]) {
  const params: Value[] = [];
  const texts: string[] = [];
  for (const condition of conditions) {
    if (condition === undefined) continue;
    if (typeof condition === 'string') texts.push(condition);
    else {
      const [text, ...values] = condition;
      if (!values.every((value) => value !== undefined)) continue;
      texts.push(text.replace(/\?/g, () => `$${params.push(values.shift() ?? null)}`));
    }
  }
  return { text: `WHERE ${texts.join(' AND ')}`, params, next: params.length + 1 };
}

/**
 * `LIMIT $n OFFSET $m`. SQLite prepares a statement anew whenever a bare parameter is bound to LIMIT,
 * which costs more than reading thirty rows; a cast keeps the statement.
 */
export function limitFrom(next: number): string {
  return `LIMIT CAST($${next} AS BIGINT) OFFSET CAST($${next + 1} AS BIGINT)`;
}
