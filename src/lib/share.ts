// How much of what all share one may have.

/**
 * Half of what the others leave. Who comes second gets half of what the first has left, and so on: whoever comes still
 * finds a place, and a venue behind one address has half of the machine while nobody else wants it.
 */
export function shareOf(all: number, others: number): number {
  return Math.ceil((all - others) / 2);
}
