// How much may be written in a room: by one viewer, by one network, and before pages were told of it.
import { Allowance, Allowances, type Rate } from '../../base/peers/allowance.ts';
import type { Peers } from '../../base/peers/peers.ts';
import { Share } from '../../base/turns/share.ts';
import type { PresentVisitor } from '../counting/present.ts';
import { perMinute } from '../protocol/page-limits.ts';
import type { PageReason } from '../protocol/page-refusals.ts';
import { type ChatBounds, linesOf } from './chat-limits.ts';

export interface ChatPaceOptions extends ChatBounds {
  peers: Pick<Peers, 'isAllowed'>;
  /** Something was written: other nodes count it, too. */
  onWrote?(by: WrittenBy): void;
}

export interface WrittenBy {
  network: string;
  /** Where it counts for the viewer, too. */
  viewer_id?: string;
}

export class ChatPace {
  /** Places of what is being written or waits to be told: a crowd's flood uses up the crowd's share. */
  private readonly places: Share;
  private readonly ofNetworks: Allowances;
  private readonly lines: Rate;
  private readonly onWrote: ChatPaceOptions['onWrote'];

  /** Of those who have written something, as long as they are there. */
  private readonly ofVisitors = new WeakMap<PresentVisitor, Allowance>();

  constructor(options: ChatPaceOptions) {
    const { messagesPerNetwork, chatWaitingMax, peers } = options;
    const { isAllowed } = peers;
    this.places = new Share({ placesMax: chatWaitingMax, isAllowed });
    this.ofNetworks = new Allowances({ ...perMinute(messagesPerNetwork), isAllowed });
    this.lines = linesOf(options);
    this.onWrote = options.onWrote;
  }

  /** Counts one more, unless it may not be written now: then why. */
  takeOrRefuse(
    { visitor, network }: { visitor: PresentVisitor; network: string },
    at: number,
  ): PageReason | undefined {
    // The place is asked first, as that costs the writer nothing.
    if (!this.hasPlace(network)) return 'chat';
    if (!this.ofVisitor(visitor).take(at)) return 'pace';
    if (!this.ofNetworks.take(network, at)) return 'messages';
    this.onWrote?.({ network, viewer_id: visitor.viewer_id });
    return undefined;
  }

  /** Whether another line of the network would still be read before the next ones come. */
  hasPlace(network: string): boolean {
    return this.places.refusal(network) === undefined;
  }

  /** The place is taken until what is given back is called. */
  takePlace(network: string): () => void {
    this.places.take(network);
    return () => this.places.leave(network);
  }

  /** Whether the network may write or share something more; then that is counted. */
  mayWrite(network: string, at: number): boolean {
    const mayWrite = this.ofNetworks.take(network, at);
    if (mayWrite) this.onWrote?.({ network });
    return mayWrite;
  }

  /** So many were written on another node. */
  wroteElsewhere(by: { network: string } | { visitor: PresentVisitor }, at: number, count: number) {
    if ('network' in by) this.ofNetworks.spend(by.network, at, count);
    else this.ofVisitor(by.visitor).spendElsewhere(at, count);
  }

  private ofVisitor(visitor: PresentVisitor): Allowance {
    const known = this.ofVisitors.get(visitor);
    if (known) return known;
    const allowance = new Allowance(this.lines);
    this.ofVisitors.set(visitor, allowance);
    return allowance;
  }
}
