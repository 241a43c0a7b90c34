// PostgreSQL through `pg`: operations are transactions, point reads go together, what was lost for the moment is tried again.
import { ApiError } from '../api/errors.ts';
import { appendOutbox, type OnAppended, withOutbox } from './outbox.ts';
import { Checkout, type CheckoutOptions } from './postgres-checkout.ts';
import type { Answered, PostgresConnection } from './postgres-connection.ts';
import { asCallerSees, isLostConnection, isLostRace } from './postgres-errors.ts';
import type { Operation, OutboxEntry, Sql, Store, Value } from './sql.ts';
import { service } from './whose.ts';

interface PostgresStoreOptions extends CheckoutOptions {
  onAppended?: OnAppended | undefined;
}

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
  const reading = async (whose: string, text: string, params?: readonly Value[]) => {
    try {
      return (await forReads.read(whose, text, params)).rows;
    } catch (error) {
      if (!isLostConnection(error)) throw asCallerSees(error);
    }
    try {
      return (await forReads.read(whose, text, params)).rows;
    } catch (error) {
      throw asCallerSees(error);
    }
  };
  const pointsOf = (whose: string): Sql => ({
    dialect: 'postgres',
    all: async <Row>(text: string, params?: readonly Value[]) =>
      (await reading(whose, text, params)) as Row[],
    one: async <Row>(text: string, params?: readonly Value[]) =>
      (await reading(whose, text, params))[0] as Row | undefined,
    run: (text, params) =>
      forWrites.with(whose, async (connection) => changedBy(await connection.query(text, params))),
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
        const { output, appendedTo } = await checkout.with(caller, (connection) =>
          transaction(connection, begin, async (sql, commit) => {
            const entries: OutboxEntry[] = [];
            const made = await run(kind === 'read' ? sql : withOutbox(sql, entries), input);
            // Asked for together: one message, in this order.
            const [output, appendedTo] = await Promise.all([
              end ? end(sql, made) : made,
              appendOutbox(sql, entries),
              commit(),
            ]);
            return { output, appendedTo };
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

/**
 * Commits what `work` did; after any error nothing of it stays. `BEGIN` is not waited for: it goes along with the first
 * statement. So may the `COMMIT` with the last ones: where one of those fails, the server does not come to it.
 */
async function transaction<T>(
  connection: PostgresConnection,
  begin: string,
  work: (sql: Sql, commit: () => Promise<void>) => Promise<T>,
): Promise<T> {
  let isOver = false;
  const query = (text: string, params?: readonly Value[]) => {
    if (isOver) throw new Error(`behind the end of its transaction: ${text}`);
    return connection.query(text, params);
  };
  const commit = async () => {
    const committing = query('COMMIT');
    isOver = true;
    const { tag } = await committing;
    // As it says of what has failed before.
    if (tag !== 'COMMIT') throw new Error(`the database has ended a transaction with ${tag}`);
  };
  try {
    const begun = query(begin);
    const [result] = await Promise.all([work(sqlOf(query), commit), begun]);
    return result;
  } catch (error) {
    // Whatever else of it goes on must not be done outside of it.
    isOver = true;
    if (!isLostConnection(error)) await connection.query('ROLLBACK');
    throw error;
  }
}

type Query = (text: string, params?: readonly Value[]) => Promise<Answered>;

function sqlOf(query: Query): Sql {
  return {
    dialect: 'postgres',
    all: async <Row>(text: string, params?: readonly Value[]) =>
      (await query(text, params)).rows as Row[],
    one: async <Row>(text: string, params?: readonly Value[]) =>
      (await query(text, params)).rows[0] as Row | undefined,
    run: async (text, params) => changedBy(await query(text, params)),
  };
}

/** Of `INSERT 0 3` it is 3. */
function changedBy({ tag }: Answered): number {
  return Number(/\d+$/.exec(tag)?.[0] ?? 0);
}
