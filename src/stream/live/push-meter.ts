// Measures what a push does and holds against what it may, and says when it cannot go on.
import { Allowance } from '../../base/peers/allowance.ts';
import { MediaError } from '../formats/packet.ts';
import { boundlessRates, type PushRates } from './push-limits.ts';
import { boundlessMemory, PushesMemory, type PushMemory } from './push-memory.ts';
import { type PushBook, type PushReason, pushRefusals } from './push-refusals.ts';

/** The push is over a bound, and is cut or not let in; the sentence is for the encoder. */
export class PushCut extends MediaError {
  constructor(reason: PushReason) {
    super(pushRefusals[reason]);
  }
}

export interface PushMetersOptions {
  rates: PushRates;
  memory: PushesMemory;
  /** Time that only passes. */
  monotonicMs: () => number;
  refusals?: PushBook;
}

interface Whose {
  id: number;
  account_id: number;
}

/** A meter for every push, and one memory for all of them. */
export class PushMeters {
  private readonly options: PushMetersOptions;

  constructor(options: PushMetersOptions) {
    this.options = options;
  }

  /** Throws PushCut where there is no memory for another. */
  open(channel: Whose): PushMeter {
    const { memory } = this.options;
    const meter = new PushMeter(this.options, channel);
    const reason = memory.refusal(channel.account_id);
    if (reason) {
      meter.end();
      throw meter.refused(reason);
    }
    return meter;
  }
}

/** For a stream that nobody bounds. */
export function boundlessMeter(): PushMeter {
  const memory = new PushesMemory(boundlessMemory);
  const monotonicMs = () => performance.now();
  return new PushMeter({ rates: boundlessRates, memory, monotonicMs }, { id: 0, account_id: 0 });
}

/**
 * Media over a bound counts all the same, so that a push that comes back at once is still over it. Bytes, packets and
 * changes are refused as they come. Segments are made of what came before, so the next packet is refused for them.
 */
export class PushMeter {
  /** Counts what the push holds in memory, by holder. */
  readonly memory: PushMemory;
  private readonly options: PushMetersOptions;
  private readonly whose: Whose;

  private readonly bytes: Allowance;
  private readonly packets: Allowance;
  private readonly changes: Allowance;
  private readonly segments: Allowance;
  private readonly mediaMs: Allowance;
  /** When the last message came: a look at the clock a message is enough. */
  private at: number;
  private latestMs = 0;
  private over: PushReason | undefined;
  /** What it was cut for last. */
  private cutFor: RateReason | undefined;
  /** Ends the push for good, because its memory is needed; the sentence is for the encoder. */
  onGivenUp: (sentence: string) => void = () => {};

  constructor(options: PushMetersOptions, whose: Whose) {
    const { rates, memory, monotonicMs } = options;
    this.options = options;
    this.whose = whose;
    this.memory = memory.open(whose.account_id);
    this.memory.onGivenUp = (reason) => this.onGivenUp(this.refused(reason).message);
    this.bytes = new Allowance(rates.bytes);
    this.packets = new Allowance(rates.packets);
    this.changes = new Allowance(rates.changes);
    this.segments = new Allowance(rates.segments);
    this.mediaMs = new Allowance(rates.mediaMs);
    this.at = monotonicMs();
  }

  /** When the last message came, of a clock that only passes. */
  get heardAt(): number {
    return this.at;
  }

  /** Of the same clock. */
  get nowAt(): number {
    return this.options.monotonicMs();
  }

  /** A message of so many bytes came. */
  arrived(bytes: number): void {
    this.at = this.options.monotonicMs();
    if (!this.bytes.spend(this.at, bytes)) throw this.refused('rate');
  }

  /** A picture or a sound is to be taken. */
  packet(): void {
    if (this.over !== undefined) this.checkRates();
    if (!this.packets.spend(this.at)) throw this.refused('packets');
    const reason = this.memory.overBound();
    if (!reason) return;
    this.memory.giveUp(reason);
    throw new PushCut(reason);
  }

  /** A track's parameters are other than before. */
  changed(): void {
    if (!this.changes.spend(this.at)) throw this.refused('changes');
  }

  /** A segment began, at this place of the push's timeline. */
  segment(startMs: number): void {
    const newMs = Math.max(0, startMs - this.latestMs);
    this.latestMs += newMs;
    if (!this.mediaMs.spend(this.at, newMs)) this.over = 'speed';
    if (!this.segments.spend(this.at)) this.over = 'segments';
  }

  /**
   * Another connection wants to go on with the push; throws where it is still over a bound. One that was cut waits
   * for half of that allowance: let in sooner it would be cut again at once, and its owner never read why.
   */
  goOn(): void {
    this.at = this.options.monotonicMs();
    const { at, cutFor } = this;
    if (cutFor) {
      const name = rateOf[cutFor];
      const half = this.options.rates[name].atOnce / 2;
      if (this.allowances[name].waitMs(at, half) > 0) throw this.refused(cutFor);
    }
    this.cutFor = undefined;
    this.checkRates();
  }

  /** The push is over; what is kept of it is still counted. */
  end(): void {
    this.memory.end();
  }

  /** Counts that it was refused, and why. */
  refused(reason: PushReason): PushCut {
    if (isRate(reason)) this.cutFor = reason;
    const { id, account_id } = this.whose;
    const who = reason === 'account_memory' ? `account ${account_id}` : `channel ${id}`;
    this.options.refusals?.note(reason, who);
    return new PushCut(reason);
  }

  private checkRates(): void {
    const { at, allowances } = this;
    this.over = undefined;
    for (const [reason, name] of Object.entries(rateOf) as [RateReason, keyof PushRates][])
      if (allowances[name].isOverspent(at)) throw this.refused(reason);
  }

  private get allowances(): Record<keyof PushRates, Allowance> {
    const { bytes, packets, changes, segments, mediaMs } = this;
    return { bytes, packets, changes, segments, mediaMs };
  }
}

/** Which allowance each reason means. */
const rateOf = {
  rate: 'bytes',
  packets: 'packets',
  changes: 'changes',
  segments: 'segments',
  speed: 'mediaMs',
} as const satisfies Partial<Record<PushReason, keyof PushRates>>;

type RateReason = keyof typeof rateOf;

function isRate(reason: PushReason): reason is RateReason {
  return reason in rateOf;
}
