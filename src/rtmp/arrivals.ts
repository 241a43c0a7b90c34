// Who may open another connection: each network so often, and all together; who comes more often is turned away at once.
import { Allowance, NetworkAllowances } from '../peers/allowance.ts';
import type { RtmpLimits } from './limits.ts';
import type { RtmpBook } from './refusals.ts';

export interface ArrivalsOptions {
  limits: Pick<RtmpLimits, 'networkArrivals' | 'arrivals' | 'crowdArrivals'>;
  /** Whether limits by network do not hold for this one. */
  isAllowed?: (network: string) => boolean;
  refusals: RtmpBook;
  /** Time that only passes. */
  monotonicMs: () => number;
  /** Of who is turned away: the system may keep its next ones out. */
  onRefused(network: string): void;
}

export class Arrivals {
  private readonly options: ArrivalsOptions;

  private readonly ofNetworks: NetworkAllowances;
  private readonly ofAll: Allowance;
  private readonly inCrowd: NetworkAllowances;

  constructor(options: ArrivalsOptions) {
    this.options = options;
    const { limits, isAllowed } = options;
    const exempt = isAllowed ? { isAllowed } : {};
    this.ofNetworks = new NetworkAllowances({ ...limits.networkArrivals, ...exempt });
    this.ofAll = new Allowance(limits.arrivals);
    this.inCrowd = new NetworkAllowances({ ...limits.crowdArrivals, ...exempt });
  }

  /** Whether a new connection of this network is taken. */
  take(network: string): boolean {
    const refusal = this.refusal(network, this.options.monotonicMs());
    if (!refusal) return true;
    this.options.refusals.note(refusal, network);
    this.options.onRefused(network);
    return false;
  }

  private refusal(network: string, at: number): 'connects' | 'crowd' | undefined {
    if (!this.ofNetworks.take(network, at)) return 'connects';
    return this.ofAll.take(at) || this.inCrowd.take(network, at) ? undefined : 'crowd';
  }
}
