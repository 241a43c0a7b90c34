// The audit log: who did what, when and from where, written with the very write it tells of.
import { type Target, type TargetKind, targetKinds } from '../../base/api/audited.ts';
import type { KnownCaller } from '../../base/api/caller.ts';
import type { Call } from '../../base/api/endpoint.ts';
import type { AnyRoute } from '../../base/api/route.ts';
import type { Operation, Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import type { AuditNote, Who } from './audit-note.ts';
import { groupOfOperation } from './audit-operations.ts';
import { addNote, type NotedCall, type NotedOutcome, noteRefusedSignIn } from './audit-store.ts';

/** `audit.noted` over the operations that the store knows. */
export type Noted = Operation<NotedCall, NotedOutcome>;

export interface AuditOptions {
  store: Store;
  noted: Noted;
  now: () => number;
  log: Log;
}

/** The log as the HTTP edge writes it. */
export class Audit {
  private readonly options: AuditOptions;

  constructor(options: AuditOptions) {
    this.options = options;
  }

  /** The trail of one call of an operation that is audited. */
  trail(entry: AnyRoute, call: AuditedCall): Trail {
    const { caller, params, body } = call;
    // Else it is a file, or comes piece by piece.
    const given = entry.body ? ((body ?? {}) as Record<string, unknown>) : {};
    const fields = Object.keys(given).filter((name) => given[name] !== undefined);
    const note: AuditNote = {
      at: this.options.now(),
      via: caller && !caller.session ? 'interface' : 'console',
      account_id: caller?.account_id,
      who: caller && whoOf(caller),
      operation: entry.operationId,
      group: groupOfOperation(entry.operationId),
      target: targetIn(params as Record<string, unknown>),
      of_channel: numberOf((params as Record<string, unknown>)['channel_id']),
      fields,
      told: toldOf(entry.told ?? [], given),
      address: call.address(),
    };
    return new Trail(this.options, note);
  }

  /** Nobody waits for it: the time an answer takes must not tell whether somebody has that name. */
  refusedSignIn(person_id: number, address: string): void {
    const { store, now, log } = this.options;
    store.perform(noteRefusedSignIn, { person_id, address, at: now() }).catch((error) => {
      log.warn('the audit log lacks a sign-in that was refused', { person_id, error });
    });
  }
}

type AuditedCall = Pick<
  Call<unknown, unknown, unknown, KnownCaller | undefined>,
  'caller' | 'params' | 'body' | 'address'
>;

export interface TrailOptions {
  store: Store;
  noted: Noted;
  /** A read takes people's data along, and is noted as a write is. */
  isRead?: boolean;
  /** Of the row: what is asked for may be done long after. Without this it has the time of the note. */
  now?: () => number;
}

/** What leads from one request, or one command, to its row. */
export class Trail {
  private readonly options: TrailOptions;
  private readonly note: AuditNote;

  private hasPerformed = false;
  private isUnderWay = false;
  private isWritten = false;

  constructor(options: TrailOptions, note: AuditNote) {
    this.options = options;
    this.note = note;
  }

  /** The store for this call: the first write that changes something takes the row into its transaction. */
  get store(): Store {
    const { store } = this.options;
    const perform = <Input, Output>(operation: Operation<Input, Output>, input: Input) =>
      this.isToNote(operation)
        ? this.performNoted(operation, input)
        : store.perform(operation, input);
    return { ...store, perform };
  }

  /** What a log line may say of it. */
  get told(): { at: number; account_id: number | undefined } {
    const { at, account_id } = this.note;
    return { at, account_id };
  }

  /** Writes the row where no operation has taken it along, of somebody who is known. */
  async end(): Promise<void> {
    if (this.hasPerformed) return;
    if (this.note.account_id === undefined && this.note.via !== 'command') return;
    await this.options.store.perform(addNote, this.note);
  }

  private isToNote({ kind, tells }: Pick<Operation<never, never>, 'kind' | 'tells'>): boolean {
    const isKind = kind === 'write' || (kind === 'read' && this.options.isRead === true);
    return isKind && !tells?.isAside && !this.isWritten && !this.isUnderWay;
  }

  private async performNoted<Input, Output>(
    operation: Operation<Input, Output>,
    input: Input,
  ): Promise<Output> {
    const { store, noted, now } = this.options;
    const { name } = operation;
    this.isUnderWay = true;
    try {
      const note = JSON.stringify({ ...this.note, ...(now && { at: now() }) });
      const call = { name, input, whose: operation.whose(input), note };
      const { output, isWritten } = await store.perform(noted, call);
      this.hasPerformed = true;
      this.isWritten = isWritten;
      return output as Output;
    } finally {
      this.isUnderWay = false;
    }
  }
}

function whoOf(caller: KnownCaller): Who {
  const { session, token_id, name, manager_id, manager_username } = caller;
  return { person_id: session?.person_id ?? 0, token_id, name, manager_id, manager_username };
}

/** The last of the path's parameters that names something: of a session of a person the session. */
function targetIn(params: Record<string, unknown>): Target | undefined {
  const targets = Object.entries(params).flatMap(([name, value]) => {
    const kind = kindOf(name);
    return kind && typeof value === 'number' ? [{ kind, id: value }] : [];
  });
  return targets.at(-1);
}

/** Of `channel_id` it is `channel`. */
function kindOf(param: string): TargetKind | undefined {
  return targetKinds.find((kind) => param === `${kind}_id`);
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function toldOf(names: readonly string[], given: Record<string, unknown>): Record<string, string> {
  const values = names.flatMap((name) => {
    const value = given[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(values);
}
