// How much of what all share one may have.

/** Half of what the others leave: whoever comes later still finds some, and who is alone has half. */
export function shareOf(all: number, others: number): number {
  return Math.ceil((all - others) / 2);
}
