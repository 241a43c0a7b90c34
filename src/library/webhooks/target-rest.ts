// When the next try is: rests that grow, never all at the same moment, never longer than the bound.
import { webhookLimits } from './webhook-limits.ts';

/** Of each rest the last quarter is left to chance. */
const jitter = 0.25;

/** After `failures` failed tries in a row; `random` is 0 to 1. */
export function backOffMs(failures: number, random: number): number {
  const { backOffMs: rests } = webhookLimits;
  const rest = rests[Math.min(Math.max(failures, 1), rests.length) - 1] ?? 0;
  return Math.round(rest * (1 - jitter * random));
}

/** Only these say when to come again; a date or a number of seconds, at most the bound; undefined without one. */
export function askedRestMs(
  answer: { status: number; headers: readonly (readonly [string, string])[] },
  now: number,
): number | undefined {
  if (answer.status !== 429 && answer.status !== 503) return undefined;
  const text = answer.headers.find(([name]) => name === 'retry-after')?.[1] ?? '';
  const rest = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  if (!Number.isFinite(rest)) return undefined;
  return Math.min(Math.max(rest, 0), webhookLimits.backOffMaxMs);
}
