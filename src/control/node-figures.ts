// What each node knows of itself alone: how many watch at it, and what waits there for S3; others ask over the links.
import { jsonCodec, linkTopic } from '../base/links/link-topic.ts';
import type { Talking } from '../base/links/links.ts';
import { JoinedWork } from '../base/turns/joined-work.ts';

export interface NodeFigures {
  viewers: number;
  /** Null where recordings stay on the disk. */
  spool: { waiting: number; away: boolean } | null;
}

const figures = linkTopic<never, null, NodeFigures>('figures', {
  question: jsonCodec(() => null),
  answer: jsonCodec(readFigures),
});

/** Of a node that takes longer nothing is known. */
const answeredWithinMs = 500;

export class FiguresOfNodes {
  private readonly links: Talking;
  private readonly own: () => NodeFigures;

  /** They are the same for everybody: however many ask, each node is asked once at a time. */
  private readonly asking = new JoinedWork(() => this.ask());

  constructor({ links, own }: { links: Talking; own(): NodeFigures }) {
    this.links = links;
    this.own = own;
    links.join(figures, { asked: () => own() });
  }

  /** By node, of this one and those that answer. */
  read(): Promise<ReadonlyMap<string, NodeFigures>> {
    return this.asking.run();
  }

  private async ask(): Promise<Map<string, NodeFigures>> {
    const { links } = this;
    const asked = links.linked.map(async (node) => {
      const answer = await links.ask(figures, node, null, answeredWithinMs).catch(() => undefined);
      return [node, answer] as const;
    });
    const known = new Map([[links.node, this.own()]]);
    for (const [node, answer] of await Promise.all(asked)) if (answer) known.set(node, answer);
    return known;
  }
}

function readFigures(value: unknown): NodeFigures {
  const { viewers, spool } = (value ?? {}) as Record<string, unknown>;
  const { waiting, away } = (spool ?? {}) as Record<string, unknown>;
  const isSpool = Number.isSafeInteger(waiting) && typeof away === 'boolean';
  if (!Number.isSafeInteger(viewers) || !(spool === null || isSpool))
    throw new Error('these are no figures of a node');
  return value as NodeFigures;
}
