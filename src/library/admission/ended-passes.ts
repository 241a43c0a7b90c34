// Holders whose passes were taken back one by one, within what was said of who may watch.
import type { StoredAdmission } from './admission.ts';
import { admissionLimits } from './admission-limits.ts';

/** When none of a holder's passes is good any more, in epoch seconds; undefined where others may still be made. */
export type Until = number | undefined;

/** Their passes are worth nothing any more; undefined where they would be too many to be compared one by one. */
export function withEnded(
  rule: StoredAdmission,
  holders: readonly string[],
  { until, now }: { until: Until; now: number },
): StoredAdmission | undefined {
  const kept = withoutExpired(rule, now);
  const ended = [...new Set([...kept.ended, ...holders])];
  if (ended.length > admissionLimits.endedMax) return undefined;
  const added = until === undefined ? [] : holders.map((holder) => [holder, until] as const);
  const forGood = until === undefined ? holders : [];
  return withUntil(
    { ...kept, ended },
    { ...kept.ended_until, ...Object.fromEntries(added) },
    forGood,
  );
}

/** They may come in again. */
export function withoutEnded(rule: StoredAdmission, holders: ReadonlySet<string>): StoredAdmission {
  const ended = rule.ended.filter((holder) => !holders.has(holder));
  return withUntil({ ...rule, ended }, rule.ended_until ?? {}, []);
}

/** What has expired besides needs no comparing, and is told to nobody. */
export function withoutExpired(rule: StoredAdmission, now: number): StoredAdmission {
  const { ended_until = {} } = rule;
  const isOver = (holder: string) =>
    (ended_until[holder] ?? Number.POSITIVE_INFINITY) * 1_000 <= now;
  const ended = rule.ended.filter((holder) => !isOver(holder));
  return withUntil({ ...rule, ended }, ended_until, []);
}

/** Of those who are still named, but for those whose passes are ended for good. */
function withUntil(
  { ended_until: _, ...rule }: StoredAdmission,
  until: Readonly<Record<string, number>>,
  forGood: readonly string[],
): StoredAdmission {
  const named = Object.entries(until).filter(
    ([holder]) => rule.ended.includes(holder) && !forGood.includes(holder),
  );
  return named.length === 0 ? rule : { ...rule, ended_until: Object.fromEntries(named) };
}
