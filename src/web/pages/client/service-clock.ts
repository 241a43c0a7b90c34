// The service's clock, as far as a page can know it: what it was when the page was made, and what has passed since.

interface Clocks {
  /** Only rises; on some machines it stands still while they sleep. */
  rising(): number;
  /** The machine's own: it may be wrong, and be set. */
  machine(): number;
}

const ownClocks: Clocks = { rising: () => performance.now(), machine: () => Date.now() };

/** Epoch milliseconds. Of both clocks the one that has gone further has neither slept nor been set back. */
export function serviceClock(now: number, { rising, machine } = ownClocks): () => number {
  const from = { rising: rising(), machine: machine() };
  return () => now + Math.max(rising() - from.rising, machine() - from.machine);
}
