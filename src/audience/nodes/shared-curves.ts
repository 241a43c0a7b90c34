// The curve of a show's viewers over all nodes: each has noted the room's count while somebody watched there.
import type { Asking } from '../../base/links/asking.ts';
import { jsonCodec, linkTopic } from '../../base/links/link-topic.ts';

/** The most in each step from the show's beginning on; none where nobody was there to note it. */
export interface NotedCurve {
  stepMs: number;
  peak: number;
  steps: readonly number[];
}

export interface AskedCurve {
  channel_id: number;
  /** Of which show: when it began. */
  begin: number;
}

const curves = linkTopic('curves', {
  question: jsonCodec(readAsked),
  answer: jsonCodec(readCurve),
});

/** A host sees the curve of those that answer by then. */
const askedWithinMs = 2_000;

export class SharedCurves {
  private readonly asking: Asking;

  /** `noted`: what this node has of a show; undefined where that is nothing. */
  constructor(options: {
    asking: Asking;
    noted(asked: AskedCurve): NotedCurve | undefined;
  }) {
    this.asking = options.asking;
    this.asking.links.join(curves, { asked: (_, asked) => options.noted(asked) ?? null });
  }

  /** What the other nodes have noted of a show. */
  async elsewhere(question: AskedCurve, whose: string): Promise<NotedCurve | undefined> {
    const order = { question, whose, withinMs: askedWithinMs };
    const answers = await this.asking.all(curves, order);
    return joinedCurves([...answers.values()].filter((one) => one !== null));
  }
}

/** Every node notes the count over all of them, as far as it knows: so of each step the largest is right. */
export function joinedCurves(noted: readonly NotedCurve[]): NotedCurve | undefined {
  if (noted.length === 0) return undefined;
  const stepMs = Math.max(...noted.map((one) => one.stepMs));
  const steps: number[] = [];
  for (const one of noted) {
    // Steps are doubled as a show becomes longer, so the longer ones hold whole shorter ones.
    const inOne = stepMs / one.stepMs;
    for (const [at, count] of one.steps.entries()) {
      const step = Math.floor(at / inOne);
      steps[step] = Math.max(steps[step] ?? 0, count);
    }
  }
  return { stepMs, peak: Math.max(...noted.map(({ peak }) => peak)), steps };
}

function readAsked(value: unknown): AskedCurve {
  const { channel_id, begin } = (value ?? {}) as Record<string, unknown>;
  if (!Number.isSafeInteger(channel_id) || !Number.isSafeInteger(begin))
    throw new Error('this asks for no curve');
  return value as AskedCurve;
}

function readCurve(value: unknown): NotedCurve | null {
  if (value === null) return null;
  const { stepMs, peak, steps } = (value ?? {}) as Record<string, unknown>;
  const isCount = (one: unknown) => Number.isSafeInteger(one) && (one as number) >= 0;
  const areSteps = Array.isArray(steps) && steps.every(isCount);
  if (!isCount(stepMs) || stepMs === 0 || !isCount(peak) || !areSteps)
    throw new Error('this is no curve');
  return value as NotedCurve;
}
