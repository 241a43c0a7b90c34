// Who was refused what, counted from the start and remembered for a while: what an operator is shown.
import type { Log } from '../lib/log.ts';
import { RecentMap } from '../lib/recent-map.ts';
import { SpacedLine } from '../lib/spaced-line.ts';

/** One kind of peer's refusals, by its own reasons. */
export interface RefusalBook<Reason extends string> {
  /** `who`: the network, or where an account or a channel has a limit, that. */
  note(reason: Reason, who: string, count?: number): void;
}

/** The same peer refused for the same reason, again and again. */
export interface Refusal {
  /** What kind of peer or work: http, rtmp, page, watch_link, sign_in, push, job, recording, database. */
  kind: string;
  reason: string;
  /** What the reason means: a sentence about who was refused, without a full stop; behind it the settings that decide. */
  sentence: string;
  who: string;
  count: number;
  first_at: number;
  last_at: number;
}

/** An operator asks who is being refused now. */
const keptMs = 600_000;
/** Different ones that are remembered; beyond it the one that has been quiet longest is forgotten. */
const keptMax = 1_000;

export class Refusals {
  private readonly options: { now: () => number; log: Log };

  private readonly counted = new Map<string, Record<string, number>>();
  private readonly kept = new RecentMap<string, Refusal>({ max: keptMax });

  constructor(options: { now: () => number; log: Log }) {
    this.options = options;
  }

  /** `sentences`: what each reason means. A kind has one book. */
  book<const Reason extends string>(
    kind: string,
    sentences: Readonly<Record<Reason, string>>,
  ): RefusalBook<Reason> {
    const reasons = Object.keys(sentences) as Reason[];
    const counts = Object.fromEntries(reasons.map((reason) => [reason, 0]));
    this.counted.set(kind, counts);
    const lines = new Map(reasons.map((reason) => [reason, new SpacedLine()]));
    return {
      note: (reason, who, more = 1) => {
        counts[reason] = (counts[reason] ?? 0) + more;
        const at = this.options.now();
        const sentence = sentences[reason];
        this.keep({ kind, reason, sentence, who, count: more, first_at: at, last_at: at });
        const count = lines.get(reason)?.due(at, more);
        if (count) this.options.log.warn('refused', { kind, reason, sentence, who, count });
      },
    };
  }

  /** Since the start, by kind and reason. */
  get counts(): ReadonlyMap<string, Readonly<Record<string, number>>> {
    return this.counted;
  }

  /** Those of the last minutes. */
  recent(): Refusal[] {
    const from = this.options.now() - keptMs;
    this.kept.forgetWhile(({ last_at }) => last_at < from);
    return [...this.kept.values()];
  }

  private keep(refusal: Refusal): void {
    const { kind, reason, who, count, last_at } = refusal;
    const key = `${kind} ${reason} ${who}`;
    const known = this.kept.peek(key);
    this.kept.set(key, known ? { ...known, count: known.count + count, last_at } : refusal);
  }
}
