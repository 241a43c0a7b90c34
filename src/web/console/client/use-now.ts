// The time of the service, again and again.
import { useEffect, useState } from 'preact/hooks';
import { useConsole } from './console-parts.ts';

export function useNow(everyMs: number): number {
  const { session } = useConsole();
  const [now, tick] = useState(() => session.now());
  useEffect(() => {
    const timer = setInterval(() => tick(session.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, session]);
  return now;
}
