// The last answer stays on the page while the next one is asked for, so that nothing jumps.
import { useRef } from 'preact/hooks';

/** Of another key nothing is kept. */
export function useKept<T>(value: T | undefined, key: string | number): T | undefined {
  const kept = useRef<{ key: string | number; value: T } | undefined>(undefined);
  if (value !== undefined) kept.current = { key, value };
  return kept.current?.key === key ? kept.current.value : undefined;
}
