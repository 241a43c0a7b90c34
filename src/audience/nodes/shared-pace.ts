// What viewers and networks have used of what they may do, told to every node: limits hold for a room, not for a node.

import { Counts } from '../../base/lib/counts.ts';
import { jsonCodec, linkTopic } from '../../base/links/link-topic.ts';
import type { Talking } from '../../base/links/links.ts';

/** So many, by whom. */
type Used = [whose: string, count: number][];

export interface UsedLines {
  channel_id: number;
  /** Lines, names and shares. */
  networks: Used;
  /** Lines and names. */
  viewers: Used;
}

/** Of one turn of the event loop. */
export interface UsedPace {
  /** New sessions, by network. */
  entries: Used;
  lines: UsedLines[];
}

const paces = linkTopic('paces', { message: jsonCodec(readUsed) });

/**
 * Who was let in or heard here is told to the others at once, and they count it as if it had been there. So a crowd on
 * three nodes has one allowance, wherever its pages are; what is used on two nodes in the same millisecond counts
 * afterwards, and is waited for the longer.
 */
export class SharedPace {
  private readonly links: Talking;

  private entries = new Counts<string>();
  private lines = new Map<number, { networks: Counts<string>; viewers: Counts<string> }>();
  private isAwaited = false;

  constructor(options: { links: Talking; onUsed(used: UsedPace): void }) {
    this.links = options.links;
    this.links.join(paces, { received: (_, used) => options.onUsed(used) });
  }

  entered(network: string): void {
    if (!this.isHeard) return;
    this.entries.add(network);
    this.tellLater();
  }

  /** `viewer_id`: where it counts for the viewer, too. */
  wrote(channel_id: number, { network, viewer_id }: { network: string; viewer_id?: string }): void {
    if (!this.isHeard) return;
    const known = this.lines.get(channel_id) ?? { networks: new Counts(), viewers: new Counts() };
    known.networks.add(network);
    if (viewer_id !== undefined) known.viewers.add(viewer_id);
    this.lines.set(channel_id, known);
    this.tellLater();
  }

  private get isHeard(): boolean {
    return this.links.linked.length > 0;
  }

  private tellLater(): void {
    if (this.isAwaited) return;
    this.isAwaited = true;
    setImmediate(() => this.tell());
  }

  private tell(): void {
    this.isAwaited = false;
    const lines = [...this.lines].map(([channel_id, { networks, viewers }]) => ({
      channel_id,
      networks: [...networks],
      viewers: [...viewers],
    }));
    this.links.sendAll(paces, { entries: [...this.entries], lines });
    this.entries = new Counts();
    this.lines = new Map();
  }
}

function readUsed(value: unknown): UsedPace {
  const { entries, lines } = (value ?? {}) as Record<string, unknown>;
  const areLines = (one: UsedLines) =>
    Number.isSafeInteger(one?.channel_id) && isUsed(one.networks) && isUsed(one.viewers);
  if (!isUsed(entries) || !Array.isArray(lines) || !lines.every(areLines))
    throw new Error('this is no use of a pace');
  return value as UsedPace;
}

function isUsed(value: unknown): boolean {
  const isOne = (one: unknown) =>
    Array.isArray(one) && typeof one[0] === 'string' && Number.isSafeInteger(one[1]) && one[1] > 0;
  return Array.isArray(value) && value.every(isOne);
}
