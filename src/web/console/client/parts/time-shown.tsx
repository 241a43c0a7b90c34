// An instant in the person's zone; the service's stands behind it, where it is another.
import { useTimes } from '../console-parts.ts';

export function TimeShown({
  at,
  now,
  isRelative,
}: {
  at: number;
  now: number;
  isRelative?: boolean;
}) {
  const times = useTimes();
  const there = times.inServiceZone(at);
  const text = isRelative ? times.relative(at, now) : times.short(at, now);
  const title = [isRelative ? times.short(at, now) : undefined, there].filter(Boolean).join(' · ');
  return (
    <time dateTime={new Date(at).toISOString()} title={title || undefined}>
      {text}
    </time>
  );
}
