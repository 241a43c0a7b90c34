// What callers of a service were told of everything they made, held against its database after a kill -9.
import type { AuditVia } from '../../src/library/audit/audit-note.ts';
import type { AuditedOperation } from '../../src/library/audit/audit-operations.ts';
import { asking, type DatabaseSettings } from '../../test/support/snapshot.ts';

export const thingKinds = ['channel', 'video', 'token', 'invitation', 'manager'] as const;
export type ThingKind = (typeof thingKinds)[number];

/** As it was last told. */
export interface Thing {
  kind: ThingKind;
  id: number;
  name: string;
  /** Not deleted, not revoked, not withdrawn. */
  isThere: boolean;
  /** Of a channel's page. */
  footer: string;
}

/** What its row in the audit log says. */
export interface NotedWrite {
  via: AuditVia;
  operation: AuditedOperation;
  /** Empty where the row names nothing. */
  kind: ThingKind | '';
  /** Undefined where it makes something, which has the name. */
  id: number | undefined;
  name?: string;
}

/** A call whose answer has not come: done, if the log has its row; then this is what it did. */
export interface Doubt extends NotedWrite {
  /** It was answered, without the id of what it made. */
  isAnswered?: boolean;
  done(id: number): void;
}

/** What a call is about; the piece that makes an upload whole is in no doubt, as it may have no row after a kill. */
export type Asked = AuditedOperation | 'lastPiece';

/** A row of the log, as the book counts it. */
interface LogRow {
  key: string;
  target_id: number;
  target_name: string;
}

export class ConsoleBook {
  private readonly things = new Map<string, Thing>();
  /** Rows that the log must have, by what they tell. */
  private readonly noted = new Map<string, number>();
  private readonly doubts = new Set<Doubt>();
  /** Clips whose answers never came: each may have become one video, and without a row. */
  private readonly doubtfulClips = new Set<string>();
  private awaited: { asked: Asked; resolve(): void } | undefined;
  readonly counts = { acknowledged: 0, unanswered: 0, doneUnanswered: 0 };

  /** Resolves when such a call is about to be sent. */
  next(asked: Asked): Promise<void> {
    const next = Promise.withResolvers<void>();
    this.awaited = { asked, resolve: next.resolve };
    return next.promise;
  }

  asks(asked: Asked): void {
    if (this.awaited?.asked === asked) this.awaited.resolve();
  }

  /** Before a call is sent; `answered` or a look into the log ends the doubt. */
  doubt(doubt: Doubt): Doubt {
    this.asks(doubt.operation);
    this.doubts.add(doubt);
    return doubt;
  }

  answered(doubt: Doubt, id: number): void {
    this.settle(doubt, id);
    this.counts.acknowledged += 1;
  }

  /** Something that must be noted, done by somebody who was answered. */
  note(write: NotedWrite, id: number): void {
    const key = keyOf(write, id);
    this.noted.set(key, (this.noted.get(key) ?? 0) + 1);
  }

  /** It was refused, so nothing may have been done. */
  refused(doubt: Doubt): void {
    this.doubts.delete(doubt);
  }

  made(thing: Omit<Thing, 'isThere' | 'footer'>): Thing {
    const whole = { footer: '', ...thing, isThere: true };
    this.things.set(`${thing.kind} ${thing.id}`, whole);
    return whole;
  }

  find(kind: ThingKind, id: number): Thing | undefined {
    return this.things.get(`${kind} ${id}`);
  }

  /** What there is before anybody is watched, by the first start, counts as told. */
  async begin(settings: DatabaseSettings): Promise<void> {
    for (const { key } of await readLog(settings))
      this.noted.set(key, (this.noted.get(key) ?? 0) + 1);
    for (const kind of thingKinds)
      for (const [id, row] of await readThings(settings, kind))
        this.things.set(`${kind} ${id}`, { kind, id, ...row });
  }

  /** Ends every doubt by the log, then names all that is not as it was told. */
  async problems(settings: DatabaseSettings): Promise<string[]> {
    const rows = await readLog(settings);
    const lost: string[] = [];
    for (const doubt of [...this.doubts])
      if (!this.endDoubt(doubt, rows) && doubt.isAnswered)
        lost.push(`${doubt.operation} of ${doubt.name} was answered and has no row`);
    return [
      ...lost,
      ...this.logProblems(rows),
      ...(await this.thingProblems(settings)),
      ...(await this.clipProblems(settings)),
    ];
  }

  /** Whether it was done. One transaction: where the row is, the write is. */
  private endDoubt(doubt: Doubt, rows: readonly LogRow[]): boolean {
    this.counts.unanswered += 1;
    if (doubt.operation === 'makeClip' && doubt.name !== undefined)
      this.doubtfulClips.add(doubt.name);
    const told = rows.filter(
      ({ key, target_id, target_name }) =>
        key === keyOf(doubt, target_id) &&
        (doubt.id === undefined ? target_name === doubt.name : target_id === doubt.id),
    );
    const [row] = told;
    if (!row || told.length <= (this.noted.get(row.key) ?? 0)) {
      this.refused(doubt);
      return false;
    }
    this.settle(doubt, row.target_id);
    this.counts.doneUnanswered += 1;
    return true;
  }

  private settle(doubt: Doubt, id: number): void {
    this.doubts.delete(doubt);
    this.note(doubt, id);
    doubt.done(id);
  }

  private logProblems(rows: readonly LogRow[]): string[] {
    const found = new Map<string, number>();
    for (const { key } of rows) found.set(key, (found.get(key) ?? 0) + 1);
    const isLastPiece = (key: string) => key.startsWith(lastPieces);
    const beginningsOf = (key: string) => this.noted.get(key.replace(lastPieces, beginnings)) ?? 0;
    return [...new Set([...found.keys(), ...this.noted.keys()])]
      .filter((key) =>
        isLastPiece(key)
          ? (found.get(key) ?? 0) > beginningsOf(key)
          : found.get(key) !== this.noted.get(key),
      )
      .map((key) => `the log has ${found.get(key)} rows of ${key}, not ${this.noted.get(key)}`);
  }

  private async thingProblems(settings: DatabaseSettings): Promise<string[]> {
    const problems: string[] = [];
    for (const kind of thingKinds) {
      const rows = await readThings(settings, kind);
      for (const thing of this.things.values()) {
        if (thing.kind !== kind) continue;
        const row = rows.get(thing.id);
        const now = row ? textOf(row) : 'not there';
        const isGone = !row && !thing.isThere && goes.has(kind);
        if (now !== textOf(thing) && !isGone)
          problems.push(`${kind} ${thing.id} was told to be ${textOf(thing)}, and is ${now}`);
      }
      // Videos come of pushes and uploads, too; whose they are is judged there.
      if (kind === 'video') continue;
      for (const [id, row] of rows)
        if (!this.find(kind, id)) problems.push(`nobody made ${kind} ${id}, ${textOf(row)}`);
    }
    return problems;
  }

  private async clipProblems(settings: DatabaseSettings): Promise<string[]> {
    if (this.doubtfulClips.size === 0) return [];
    const rows = await asking(settings, (ask) =>
      ask('SELECT name FROM videos GROUP BY name HAVING COUNT(*) > 1'),
    );
    return rows
      .map(({ name }) => String(name))
      .filter((name) => this.doubtfulClips.has(name))
      .map((name) => `the clip ${name} was made twice`);
  }
}

/** Of an upload at most one: a kill between its last byte and its row leaves none. */
const lastPieces: AuditedOperation = 'continueUpload';
const beginnings: AuditedOperation = 'beginUpload';

/** Of these the row goes with them. */
const goes: ReadonlySet<ThingKind> = new Set(['invitation', 'manager']);

function textOf({ name, isThere, footer }: Pick<Thing, 'name' | 'isThere' | 'footer'>): string {
  return JSON.stringify({ name, isThere, footer });
}

function keyOf({ via, operation, kind }: NotedWrite, id: number): string {
  return `${operation} by the ${via} of ${kind} ${id}`;
}

async function readLog(settings: DatabaseSettings): Promise<LogRow[]> {
  const rows = await asking(settings, (ask) => ask('SELECT * FROM audit_log ORDER BY id'));
  return rows.map((row) => ({
    key: `${row['operation']} by the ${row['via']} of ${row['target_kind']} ${row['target_id']}`,
    target_id: Number(row['target_id']),
    target_name: String(row['target_name']),
  }));
}

const queries: Record<ThingKind, string> = {
  channel: 'SELECT id, name, page, deleted_at AS ended FROM channels',
  video: 'SELECT id, name, deleted_at AS ended FROM videos',
  token: 'SELECT id, name, revoked_at AS ended FROM tokens',
  invitation: "SELECT id, name, used_at AS ended FROM console_links WHERE purpose = 'invite'",
  manager: 'SELECT id, username AS name, NULL AS ended FROM managers',
};

async function readThings(
  settings: DatabaseSettings,
  kind: ThingKind,
): Promise<Map<number, Pick<Thing, 'name' | 'isThere' | 'footer'>>> {
  const rows = await asking(settings, (ask) => ask(queries[kind]));
  return new Map(
    rows.map(({ id, name, page, ended }) => [
      Number(id),
      {
        name: String(name),
        isThere: ended === null,
        footer: String(JSON.parse(String(page ?? '{}')).footer ?? ''),
      },
    ]),
  );
}
