// The time, again and again.
import { useEffect, useState } from 'preact/hooks';

export function useNow(everyMs: number): number {
  const [now, tick] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => tick(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
