// A time of the interface's text, as the person reads it; a word where there is none.
import { useTimes } from '../console-parts.ts';
import { useNow } from '../use-now.ts';
import { TimeShown } from './time-shown.tsx';

export function When({
  text,
  never,
  isRelative,
}: {
  text: string;
  never?: string;
  isRelative?: boolean;
}) {
  const times = useTimes();
  const now = useNow(30_000);
  const at = times.instant(text);
  if (at === undefined) return <span class="soft">{never ?? '–'}</span>;
  return <TimeShown at={at} now={now} isRelative={isRelative ?? false} />;
}
