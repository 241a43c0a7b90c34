// Judges a recording by the numbers of its pictures: what was sent is there, once and in order, but for what may lack.

/** From one number to another, both included. */
export interface Numbers {
  from: number;
  to: number;
}

/** Pictures that may be missing, and why. */
export interface MayLack extends Numbers {
  why: string;
}

export interface RecordedHistory {
  /** What each connection of the encoder has sent, in order. */
  sent: readonly Numbers[];
  /** All that the videos of the channel have, in their order. */
  found: readonly number[];
  mayLack: readonly MayLack[];
}

export function recordingProblems({ sent, found, mayLack }: RecordedHistory): string[] {
  const problems: string[] = [];
  for (const [at, number] of found.entries()) {
    const before = found[at - 1] ?? Number.NEGATIVE_INFINITY;
    if (number === before) problems.push(`picture ${number} is recorded twice`);
    if (number < before) problems.push(`picture ${number} is recorded behind ${before}`);
    if (!sent.some(({ from, to }) => from <= number && number <= to))
      problems.push(`picture ${number} is recorded and was not sent`);
  }
  for (const { from, to } of lackingOf(sent, found)) {
    const isAllowed = mayLack.some((one) => one.from <= from && to <= one.to);
    if (!isAllowed) problems.push(`pictures ${from} to ${to} were sent and are not recorded`);
  }
  return problems;
}

/** What was sent and is not there, stretch by stretch; none goes over the end of a connection. */
export function lackingOf(sent: readonly Numbers[], found: readonly number[]): Numbers[] {
  const known = new Set(found);
  const lacking: Numbers[] = [];
  for (const { from, to } of sent) {
    let last: Numbers | undefined;
    for (let number = from; number <= to; number++) {
      if (known.has(number)) last = undefined;
      else if (last) last.to = number;
      else {
        last = { from: number, to: number };
        lacking.push(last);
      }
    }
  }
  return lacking;
}
