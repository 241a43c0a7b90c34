// What `/metrics` counts of refusals, as tests of strangers read it.

/** By `kind reason`, those that are above zero. */
export function refusalCounts(metrics: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [, kind, reason, count] of metrics.matchAll(
    /^footlight_refusals_total\{kind="(\w+)",reason="(\w+)"\} ([1-9]\d*)$/gm,
  ))
    counts[`${kind} ${reason}`] = Number(count);
  return counts;
}
