// Who had a push when, and who named what of it: written down by the database itself, and judged.
import type pg from 'pg';
import { heldUpMs } from '../machine-pace.ts';
import type { Absence } from './shown-history.ts';

/** A change of a push's row, or a segment that was named, in the order in which they were made. */
export type PushEvent =
  | {
      kind: 'push';
      at: number;
      channel_id: number;
      push: string;
      epoch: number;
      node: string;
      state: string;
    }
  | {
      kind: 'segment';
      at: number;
      recording: string;
      epoch: number;
      sequence: number;
      key: string;
    };

export type Holding = Extract<PushEvent, { kind: 'push' }>;

/** From now on every change is noted, in the transaction that makes it. */
export async function notePushes(client: pg.Client): Promise<void> {
  await client.query(`
    CREATE SCHEMA trial;
    CREATE TABLE trial.noted (n BIGSERIAL PRIMARY KEY, at BIGINT NOT NULL, what JSONB NOT NULL);
    CREATE FUNCTION trial.note() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO trial.noted (at, what) VALUES (
          floor(extract(epoch FROM clock_timestamp()) * 1000),
          to_jsonb(NEW) || jsonb_build_object('kind', TG_ARGV[0]));
        RETURN NEW;
      END $$;
    CREATE TRIGGER noted_pushes AFTER INSERT ON pushes
      FOR EACH ROW EXECUTE FUNCTION trial.note('push');
    CREATE TRIGGER noted_changes AFTER UPDATE ON pushes FOR EACH ROW
      WHEN ((OLD.push, OLD.epoch, OLD.node, OLD.state) IS DISTINCT FROM
        (NEW.push, NEW.epoch, NEW.node, NEW.state))
      EXECUTE FUNCTION trial.note('push');
    CREATE TRIGGER noted_segments AFTER INSERT OR UPDATE ON segments
      FOR EACH ROW EXECUTE FUNCTION trial.note('segment');`);
}

export async function pushHistory(client: pg.Client): Promise<PushEvent[]> {
  const { rows } = await client.query('SELECT at, what FROM trial.noted ORDER BY n');
  return rows.map(({ at, what }) =>
    what.kind === 'push'
      ? { ...what, at: Number(at) }
      : { ...what, recording: what.push, at: Number(at) },
  );
}

export function holdingsOf(history: readonly PushEvent[], channel_id: number): Holding[] {
  return history.filter(
    (event): event is Holding => event.kind === 'push' && event.channel_id === channel_id,
  );
}

/** One writer per epoch, epochs that rise, and segments that stand in the order of their epochs, each named once. */
export function pushProblems(history: readonly PushEvent[]): string[] {
  const holdings = history.filter((event) => event.kind === 'push');
  const segments = history.filter((event) => event.kind === 'segment');
  return [
    ...[...Map.groupBy(holdings, ({ channel_id }) => channel_id).values()].flatMap(holderProblems),
    ...[...Map.groupBy(segments, ({ recording }) => recording).values()].flatMap(orderProblems),
  ];
}

function holderProblems(holdings: readonly Holding[]): string[] {
  const problems: string[] = [];
  const holders = new Map<number, Holding>();
  let last: Holding | undefined;
  for (const one of holdings) {
    // Nobody has it yet.
    if (one.epoch === 0) continue;
    const holder = holders.get(one.epoch);
    if (holder && (holder.node !== one.node || holder.push !== one.push))
      problems.push(`epoch ${one.epoch} is of ${holder.node}, and of ${one.node}`);
    holders.set(one.epoch, one);
    if (last && one.epoch < last.epoch)
      problems.push(`epoch ${one.epoch} of ${one.node} comes after ${last.epoch}`);
    last = one;
  }
  return problems;
}

type Named = Extract<PushEvent, { kind: 'segment' }>;

function orderProblems(segments: readonly Named[]): string[] {
  const problems: string[] = [];
  const bySequence = new Map<number, Named>();
  for (const one of segments) {
    const known = bySequence.get(one.sequence);
    if (known && known.key !== one.key)
      problems.push(`segment ${one.sequence} is ${known.key}, and ${one.key}`);
    bySequence.set(one.sequence, one);
  }
  const inOrder = [...bySequence.values()].toSorted((a, b) => a.sequence - b.sequence);
  for (const [at, one] of inOrder.entries()) {
    const before = inOrder[at - 1];
    if (before && before.epoch > one.epoch)
      problems.push(
        `segment ${one.sequence} of epoch ${one.epoch} stands behind ${before.sequence} of ${before.epoch}`,
      );
  }
  return problems;
}

/** That an address shows nothing is believed for a second, in which a push may begin. */
const believedMs = 1_000 + heldUpMs;
/** A holder shows the end before its row says so. */
const writtenMs = 1_000 + heldUpMs;

/** Players take it for the end: nobody is told that nothing is on while a push is on air, or may come back. */
export function absenceProblems(
  holdings: readonly Holding[],
  absences: readonly Absence[],
): string[] {
  return absences.flatMap(({ node, run, askedAt, at }) => {
    const since = askedAt - believedMs;
    const before = holdings.findLast((one) => one.at <= since);
    const meanwhile = holdings.filter((one) => one.at > since && one.at <= at + writtenMs);
    const isOff = !before || [before, ...meanwhile].some(({ state }) => state === 'ended');
    if (isOff) return [];
    const when = `at ${new Date(at).toISOString()} after ${at - askedAt} ms`;
    return [
      `${node}, run ${run}: nothing is on any more, it says ${when}; epoch ${before.epoch} is ${before.state}`,
    ];
  });
}
