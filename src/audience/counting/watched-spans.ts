// What a session has watched so far, as spans: joined where they go on, bounded in their number, never in their length.
import { type Span, spanText } from '../records/span.ts';

/**
 * Reports are whole milliseconds that a network holds up, so there is often a little time between two; and a player
 * that catches up plays faster than the clock. Within this the time went on, and the picture.
 */
const jumpMsMin = 1_000;
/** A pause, or a stall, every half minute for two hours. Written with every flush, so there must be an end. */
const spansMax = 256;

export class WatchedSpans {
  private readonly spans: Span[];

  constructor(known: readonly Span[]) {
    this.spans = [...known];
  }

  /** The last so many milliseconds of them, the latest first. */
  last(lastMs: number): Pick<Span, 'show' | 'from' | 'to'>[] {
    const parts = [];
    let leftMs = lastMs;
    for (let i = this.spans.length - 1; leftMs > 0; i--) {
      const span = this.spans[i];
      if (!span) break;
      const { show, from, to } = span;
      parts.push({ show, from: Math.max(from, to - leftMs), to });
      leftMs -= to - from;
    }
    return parts;
  }

  get text(): string {
    return spanText(this.spans);
  }

  /** It begins no earlier than the last one ended. */
  add(span: Span): void {
    const last = this.spans.at(-1);
    // Its length is added: the time between is left out, and adds up until it is a gap.
    if (last && goesOn(last, span)) last.to += span.to - span.from;
    else this.spans.push({ ...span });
    if (this.spans.length > spansMax) this.joinNearest();
  }

  /** Of two neighbours the second is moved to the end of the first: when it was is off by a little, how long it was by nothing. */
  private joinNearest(): void {
    const { spans } = this;
    let nearest = 1;
    let leastMs = Number.POSITIVE_INFINITY;
    for (const [i, { show, from }] of spans.entries()) {
      const before = spans[i - 1];
      if (before?.show !== show || from - before.to >= leastMs) continue;
      leastMs = from - before.to;
      nearest = i;
    }
    const [joined] = spans.splice(nearest, 1);
    const before = spans[nearest - 1];
    if (joined && before) before.to += joined.to - joined.from;
  }
}

function goesOn(last: Span, next: Span): boolean {
  const gapMs = next.from - last.to;
  const jumpMs = next.position - last.position - (last.to - last.from);
  return next.show === last.show && gapMs < jumpMsMin && Math.abs(jumpMs) < jumpMsMin;
}
