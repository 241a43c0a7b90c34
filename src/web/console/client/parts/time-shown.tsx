// An instant in the person's zone; the service's stands behind it, where it is another, or beside it where it matters.
import { useTimes } from '../console-parts.ts';

export function TimeShown({
  at,
  now,
  isRelative,
  isBoth,
}: {
  at: number;
  now: number;
  isRelative?: boolean;
  /** Others are told this time: the service's is to be read, too. */
  isBoth?: boolean;
}) {
  const times = useTimes();
  const there = times.inServiceZone(at);
  const text = isRelative ? times.relative(at, now) : times.short(at, now);
  const title = [isRelative ? times.short(at, now) : undefined, there].filter(Boolean).join(' · ');
  return (
    <time dateTime={new Date(at).toISOString()} title={title || undefined}>
      {text}
      {isBoth && <TimeThere at={at} />}
    </time>
  );
}

/** Nothing where the clocks agree. */
export function TimeThere({ at }: { at: number }) {
  const there = useTimes().there(at);
  if (!there) return null;
  return (
    <span class="time-there soft small-text">
      {' '}
      {there.time} {there.zone}
    </span>
  );
}
