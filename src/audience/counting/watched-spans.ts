// What a session has watched so far, as spans: joined where they go on, bounded in their number, never in their length.
import { type Span, spanBytes } from '../records/span.ts';

/**
 * A network holds a report up, and a player that catches up plays faster than the clock. Within this the picture
 * went on; what is known of a span's picture is never further off.
 */
const jumpMsMin = 1_000;
/** A pause, or a stall, every half minute for two hours. Written with every flush, so there must be an end. */
const spansMax = 256;

export class WatchedSpans {
  private readonly spans: Span[];

  constructor(known: readonly Span[]) {
    this.spans = [...known];
  }

  /** The show that was watched last, by its beginning. */
  get lastShow(): number | undefined {
    return this.spans.at(-1)?.show;
  }

  get bytes(): Uint8Array {
    return spanBytes(this.spans);
  }

  /** It begins no earlier than the last one ended. */
  add(span: Span): void {
    const last = this.spans.at(-1);
    if (last && goesOn(last, span)) last.to = span.to;
    else this.spans.push({ ...span });
    if (this.spans.length > spansMax) this.joinNearest();
  }

  /** Of two neighbours the second is moved to the end of the first: when it was is off by the least, how long it was by nothing. */
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
  const jumpMs = next.position - last.position - (next.from - last.from);
  return next.show === last.show && next.from === last.to && Math.abs(jumpMs) < jumpMsMin;
}
