// Decides who may open another connection: each network so often, and all together so often; others are turned away at once.
import { Allowance, Allowances, type Rate } from './allowance.ts';
import type { RefusalBook } from './refusals.ts';

export interface ArrivalsOptions {
  limits: {
    readonly networkArrivals: Rate;
    readonly arrivals: Rate;
    /** Of one network while all together come too often. */
    readonly crowdArrivals: Rate;
    readonly turnArrivalsMax: number;
  };
  /** Whether limits by network do not hold for this one. */
  isAllowed?: (network: string) => boolean;
  refusals: RefusalBook<'connects' | 'crowd'>;
  /** Time that only passes. */
  monotonicMs: () => number;
  /** It comes too often, and is turned away: the system may keep its next ones out. */
  onOften(network: string): void;
  /** Most of what it may at once is used up. */
  onLast?(network: string): void;
  /** As many came as are taken in a turn: it ends when nobody comes any more. */
  onTurnFull(): void;
}

export class Arrivals {
  private readonly options: ArrivalsOptions;

  private readonly ofNetworks: Allowances;
  private readonly ofAll: Allowance;
  private readonly inCrowd: Allowances;
  private inTurn = 0;

  constructor(options: ArrivalsOptions) {
    this.options = options;
    const { limits, isAllowed } = options;
    const exempt = isAllowed ? { isAllowed } : {};
    this.ofNetworks = new Allowances({ ...limits.networkArrivals, ...exempt });
    this.ofAll = new Allowance(limits.arrivals);
    this.inCrowd = new Allowances({ ...limits.crowdArrivals, ...exempt });
  }

  /** Whether a new connection of this network is taken. */
  take(network: string): boolean {
    const { monotonicMs, onOften, onLast } = this.options;
    this.came();
    const at = monotonicMs();
    const isTaken = this.isTaken(network, at);
    if (!isTaken) onOften(network);
    else if (onLast && this.isAmongLast(network, at)) onLast(network);
    return isTaken;
  }

  /** The same of one whose connection a proxy has opened: the system, which sees the proxy's, cannot keep it out. */
  takeBehindProxy(network: string): boolean {
    return this.isTaken(network, this.options.monotonicMs());
  }

  /** One is there, and nobody knows yet whose it is. */
  came(): void {
    if (this.inTurn === 0)
      setImmediate(() => {
        this.inTurn = 0;
      });
    this.inTurn += 1;
    if (this.inTurn === this.options.limits.turnArrivalsMax) this.options.onTurnFull();
  }

  private isAmongLast(network: string, at: number): boolean {
    const last = this.options.limits.networkArrivals.atOnce / 5;
    return this.ofNetworks.waitMs(network, at, last) > 0;
  }

  private isTaken(network: string, at: number): boolean {
    const refusal = this.refusal(network, at);
    if (refusal) this.options.refusals.note(refusal, network);
    return !refusal;
  }

  private refusal(network: string, at: number): 'connects' | 'crowd' | undefined {
    if (!this.ofNetworks.take(network, at)) return 'connects';
    return this.ofAll.take(at) || this.inCrowd.take(network, at) ? undefined : 'crowd';
  }
}
