// One connection to PostgreSQL: statements that are asked for together go in one message, each is prepared once.
import pg from 'pg';
import type { Value } from './sql.ts';

/** One statement and who waits for it. */
export interface Statement {
  readonly text: string;
  readonly params: readonly Value[];
  answered(answer: Answered): void;
  failed(error: Error): void;
  /** It was not run, as one before it in the same message has failed. */
  skipped(error: Error): void;
}

export interface Answered {
  rows: Row[];
  /** What the server says was done: `UPDATE 3`, `COMMIT`. */
  tag: string;
}

type Row = Record<string, unknown>;

export class PostgresConnection {
  private readonly client: pg.Client;

  private readonly prepared = new Map<string, Prepared>();
  private readonly toClose: string[] = [];
  private preparedCount = 0;
  private waiting: Statement[] = [];
  private isSending = false;

  /** Throws where the address cannot be read. `onBroken`: it has ended, though nobody asked for anything. */
  constructor(config: pg.ClientConfig, onBroken: () => void) {
    this.client = new pg.Client(config);
    // Without a listener it would end the process.
    this.client.on('error', onBroken);
  }

  async connect(): Promise<void> {
    await this.client.connect();
  }

  /**
   * What is asked for before the code that runs now gives way, or before the last message is answered, goes in one
   * message, in this order. It is one round trip, and ours and the server's cost of sending and waking up is paid once.
   * Behind one that fails the server runs none of the same message. Outside of a transaction only reads may go together:
   * the server undoes a message's writes with the first that fails.
   */
  ask(statement: Statement): void {
    this.waiting.push(statement);
    if (this.isSending) return;
    this.isSending = true;
    queueMicrotask(() => this.send());
  }

  /** How many are in the message that is about to be sent. */
  get gatheredCount(): number {
    return this.waiting.length;
  }

  /** The same for one that nobody shares. */
  query(text: string, params: readonly Value[] = []): Promise<Answered> {
    return new Promise((answered, failed) => {
      this.ask({ text, params, answered, failed, skipped: failed });
    });
  }

  async end(): Promise<void> {
    await this.client.end();
  }

  private send(): void {
    const statements = this.waiting;
    this.waiting = [];
    this.isSending = statements.length > 0;
    if (!this.isSending) return;
    const toClose = this.toClose.splice(0);
    this.client.query(
      new Message(statements, {
        toClose,
        prepare: (text) => this.prepare(text),
        forget: (text) => this.forget(text),
        onEnd: () => this.send(),
      }),
    );
  }

  private prepare(text: string): { prepared: Prepared; isNew: boolean } {
    const known = this.prepared.get(text);
    if (known) return { prepared: known, isNew: false };
    this.preparedCount += 1;
    const prepared = { name: `s${this.preparedCount}`, columns: [] };
    this.prepared.set(text, prepared);
    return { prepared, isNew: true };
  }

  /** Whether the server has it is not known: to close what it does not have is no error. */
  private forget(text: string): void {
    const prepared = this.prepared.get(text);
    if (!prepared) return;
    this.prepared.delete(text);
    this.toClose.push(prepared.name);
  }
}

interface Prepared {
  name: string;
  columns: Column[];
}

interface Column {
  name: string;
  /** Absent: the text is the value. */
  parse: ((text: string) => unknown) | undefined;
}

interface MessageParts {
  toClose: readonly string[];
  prepare(text: string): { prepared: Prepared; isNew: boolean };
  forget(text: string): void;
  onEnd(): void;
}

/** What PostgreSQL says of a statement whose tables have changed, or which it does not have. */
const staleCodes = ['0A000', '26000'];

/** Some statements up to one `Sync`, as `pg` sends and hands back what is no query of its own. */
class Message implements pg.Submittable {
  private readonly statements: readonly Statement[];
  private readonly parts: MessageParts;

  private readonly sent: { prepared: Prepared; isNew: boolean }[] = [];
  private readonly answers: (Answered | Error)[] = [];
  private rows: Row[] = [];
  private broken: Error | undefined;

  constructor(statements: readonly Statement[], parts: MessageParts) {
    this.statements = statements;
    this.parts = parts;
  }

  submit(connection: pg.Connection): void {
    const { stream } = connection;
    stream.cork();
    for (const name of this.parts.toClose) connection.close({ type: 'S', name }, true);
    for (const { text, params } of this.statements) {
      const { prepared, isNew } = this.parts.prepare(text);
      const { name } = prepared;
      this.sent.push({ prepared, isNew });
      if (isNew) connection.parse({ name, text, types: [] }, true);
      connection.bind({ statement: name, values: params.map(wireValue) } as pg.BindConfig, true);
      // Not of the statement: `pg` cannot read the types of more than 32,767 parameters.
      if (isNew) connection.describe({ type: 'P', name: '' }, true);
      connection.execute(null, true);
    }
    connection.sync();
    stream.uncork();
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    const sent = this.sent[this.answers.length];
    if (!sent) return;
    sent.prepared.columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: parserOf(dataTypeID),
    }));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.broken) return;
    const columns = this.sent[this.answers.length]?.prepared.columns ?? [];
    try {
      this.rows.push(rowOf(columns, fields));
    } catch (error) {
      this.broken = error as Error;
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.answers.push(this.broken ?? { rows: this.rows, tag: text });
    this.rows = [];
    this.broken = undefined;
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  handlePortalSuspended(): void {}

  /** Only now is it certain: what is no part of a transaction is committed by the `Sync`. */
  handleReadyForQuery(): void {
    this.parts.onEnd();
    for (const [at, statement] of this.statements.entries()) tell(statement, this.answers[at]);
  }

  /** Of the server, about the first statement that it has not answered; or the connection is gone. */
  handleError(error: Error): void {
    const isOfServer = error instanceof pg.DatabaseError;
    const count = this.answers.length;
    if (isOfServer) this.forgetFrom(count, error);
    this.parts.onEnd();
    for (const [at, statement] of this.statements.entries()) {
      // The commit of what was answered has failed, or nobody knows.
      if (!isOfServer || count === this.statements.length || at === count) statement.failed(error);
      else if (at > count) statement.skipped(error);
      else tell(statement, this.answers[at]);
    }
  }

  private forgetFrom(count: number, { code }: pg.DatabaseError): void {
    for (const [at, { text }] of this.statements.entries()) {
      const isStale = at === count && staleCodes.includes(code ?? '');
      if (isStale || (at >= count && this.sent[at]?.isNew)) this.parts.forget(text);
    }
  }
}

function tell(statement: Statement, answer: Answered | Error | undefined): void {
  if (!answer) statement.failed(new Error('the database has left out an answer'));
  else if (answer instanceof Error) statement.failed(answer);
  else statement.answered(answer);
}

function wireValue(value: Value): string | Buffer | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return value && Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

function rowOf(columns: readonly Column[], fields: readonly (string | null)[]): Row {
  const row: Row = {};
  for (let at = 0; at < columns.length; at++) {
    const { name, parse } = columns[at] as Column;
    const text = fields[at] as string | null;
    row[name] = text === null || !parse ? text : parse(text);
  }
  return row;
}

const oids = { int8: 20, int4: 23, text: 25, numeric: 1700 } as const;

function parserOf(oid: number): Column['parse'] {
  if (oid === oids.text) return undefined;
  if (oid === oids.int8 || oid === oids.int4 || oid === oids.numeric) return wholeNumber;
  return pg.types.getTypeParser(oid, 'text');
}

/** Whole numbers come as numbers; one too large to be exact is our bug, not a rounding. */
function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is no safe integer`);
  return value;
}
