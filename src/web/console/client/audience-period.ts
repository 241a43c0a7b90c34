// The period that visits are looked at for: some days up to today, or from a day to a day, as it stands in the address.
import type { Times } from './times.ts';

/** By what it is called in the address: how many days up to today. */
export const dayPeriods = { today: 1, '7d': 7, '30d': 30 } as const;
export type DayPeriod = keyof typeof dayPeriods;

export type AudiencePeriod =
  | { kind: 'all' }
  | { kind: DayPeriod }
  /** Days as `2026-05-01`, the last one included; empty for no such end. */
  | { kind: 'between'; from: string; to: string };

export const wholePeriod: AudiencePeriod = { kind: 'all' };

export function readPeriod(query: URLSearchParams): AudiencePeriod {
  const asked = query.get('period');
  const kind = (Object.keys(dayPeriods) as DayPeriod[]).find((one) => one === asked);
  if (kind) return { kind };
  const [from, to] = [dayIn(query.get('from')), dayIn(query.get('to'))];
  return from !== '' || to !== '' || asked === 'between'
    ? { kind: 'between', from, to }
    : wholePeriod;
}

function dayIn(text: string | null): string {
  return text !== null && /^\d{4}-\d\d-\d\d$/.test(text) ? text : '';
}

export function writePeriod(period: AudiencePeriod, query: URLSearchParams): void {
  if (period.kind === 'all') return;
  const days = period.kind === 'between' ? { from: period.from, to: period.to } : {};
  const given = Object.entries(days).filter(([, day]) => day !== '');
  // Of no day: the fields are there, and nothing is in them yet.
  if (given.length === 0) query.set('period', period.kind);
  for (const [name, day] of given) query.set(name, day);
}

/** As the interface has it: its own two fields, in the service's zone; days are those of the person. */
export function periodTimes(
  period: AudiencePeriod,
  times: Times,
  now: number,
): { start_time?: string; end_time?: string } {
  if (period.kind === 'all') return {};
  if (period.kind !== 'between') {
    const first = times.daySpan(times.day(now, dayPeriods[period.kind] - 1));
    return first ? { start_time: times.text(first.from) } : {};
  }
  const [first, last] = [times.daySpan(period.from), times.daySpan(period.to)];
  return {
    ...(first && { start_time: times.text(first.from) }),
    // The interface's end has its whole second.
    ...(last && { end_time: times.text(last.before - 1_000) }),
  };
}
