// A number that moves: every digit as wide as the others, so that nothing beside it jumps.
import { useTimes } from '../console-parts.ts';

/** Undefined or null: it is not known. */
export function MovingNumber({ value }: { value: number | null | undefined }) {
  const times = useTimes();
  return (
    <span class="number">{value === null || value === undefined ? '–' : times.count(value)}</span>
  );
}
