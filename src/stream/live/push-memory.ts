// What pushes hold in memory: counted where it grows, bounded for a push, for an account and for all together.

export interface MemoryBounds {
  pushBytes: number;
  accountBytes: number;
  allBytes: number;
}

export const boundlessMemory: MemoryBounds = {
  pushBytes: Infinity,
  accountBytes: Infinity,
  allBytes: Infinity,
};

/**
 * Beyond an account's bound, or that of all, no push begins, and what is on air goes on. Its bit rates may rise all
 * the same: this far beyond the bound whoever holds most is ended, whether or not it is the one that sends.
 */
const goesOnFactor = 1.25;

export type MemoryReason = 'memory' | 'account_memory' | 'all_memory';

/** One place that holds bytes of a push. */
export interface HeldBytes {
  /** How many they are now. */
  set(bytes: number): void;
}

/** Where nobody counts. */
export const uncounted: HeldBytes = { set: () => {} };

/** How a holder gives bytes back. */
export interface Relief {
  /** Lets go of so many, or of as many as players can do without. */
  shrink(bytes: number): void;
  /** Lets go of all: the push is over. */
  letGo(): void;
}

interface Account {
  readonly id: number;
  /** On air, and those that are over and of which something is kept. */
  readonly pushes: Set<PushMemory>;
  /** The latter. */
  readonly ended: Set<PushMemory>;
  onAirCount: number;
  bytes: number;
}

/** All pushes together. */
export class PushesMemory {
  readonly bounds: MemoryBounds;

  private readonly accounts = new Map<number, Account>();
  /** Of pushes on air, and of what is kept of others for a while. */
  bytes = 0;
  /** All that pushes which are over held, and do not any more. */
  letGoBytes = 0;
  pushCount = 0;

  constructor(bounds: MemoryBounds) {
    this.bounds = bounds;
  }

  /** Why no push of the account can begin now, also when what is over has been let go. */
  refusal(account_id: number): MemoryReason | undefined {
    const { accountBytes, allBytes } = this.bounds;
    const account = this.accounts.get(account_id);
    if (account && account.bytes > accountBytes) letGoOfEnded(account);
    if (account && account.bytes > accountBytes) return 'account_memory';
    if (this.bytes > allBytes) this.letGoOfAllEnded();
    return this.bytes > allBytes ? 'all_memory' : undefined;
  }

  open(account_id: number): PushMemory {
    const known = this.accounts.get(account_id);
    const account: Account = known ?? {
      id: account_id,
      pushes: new Set(),
      ended: new Set(),
      onAirCount: 0,
      bytes: 0,
    };
    this.accounts.set(account_id, account);
    return new PushMemory(this, account);
  }

  /** Nobody holds anything of it any more. */
  forget(account: Account): void {
    if (account.pushes.size === 0) this.accounts.delete(account.id);
  }

  /** Those of the account that holds most. */
  get greediest(): Iterable<PushMemory> {
    return mostOf(this.accounts.values())?.pushes ?? [];
  }

  letGoOfAllEnded(): void {
    for (const account of this.accounts.values()) letGoOfEnded(account);
  }
}

/** One push, from its beginning until nothing of it is held. */
export class PushMemory {
  private readonly all: PushesMemory;
  private readonly account: Account;

  private readonly reliefs: Relief[] = [];
  bytes = 0;
  isOver = false;
  /** Ends the push, saying why. */
  onGivenUp: (reason: MemoryReason) => void = () => {};

  constructor(all: PushesMemory, account: Account) {
    this.all = all;
    this.account = account;
    account.pushes.add(this);
    account.onAirCount += 1;
    all.pushCount += 1;
  }

  holder(relief?: Relief): HeldBytes {
    if (relief) this.reliefs.push(relief);
    let held = 0;
    return {
      set: (bytes) => {
        if (bytes === held) return;
        this.add(bytes - held);
        held = bytes;
      },
    };
  }

  /** Makes room where it can; why the push cannot go on, where there is not enough. */
  overBound(): MemoryReason | undefined {
    const { all, account } = this;
    const { pushBytes, accountBytes, allBytes } = all.bounds;
    const fits = this.bytes <= pushBytes && account.bytes <= accountBytes && all.bytes <= allBytes;
    if (fits) return undefined;
    if (account.bytes > accountBytes) letGoOfEnded(account);
    if (all.bytes > allBytes) all.letGoOfAllEnded();
    const overBytes = this.bytes - this.shareBytes();
    if (overBytes > 0) for (const relief of this.reliefs) relief.shrink(overBytes);
    if (this.bytes > pushBytes) return 'memory';
    const isAccountOver = () => account.bytes > goesOnFactor * accountBytes;
    const isAllOver = () => all.bytes > goesOnFactor * allBytes;
    return (
      this.makeRoom('account_memory', isAccountOver, () => account.pushes) ??
      this.makeRoom('all_memory', isAllOver, () => all.greediest)
    );
  }

  /** Ends it and lets go of what it holds; what its recording has still to write goes when it is written. */
  giveUp(reason: MemoryReason): void {
    if (!this.isOver) this.onGivenUp(reason);
    this.letGo();
  }

  letGo(): void {
    for (const relief of this.reliefs) relief.letGo();
  }

  /** The push is over; what is kept of it goes on counting. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.account.ended.add(this);
    this.account.onAirCount -= 1;
    this.all.pushCount -= 1;
    this.forgetEmpty();
  }

  /** Ends whoever holds most, until there is room; the reason where that is this one, or nobody has anything to give. */
  private makeRoom(
    reason: MemoryReason,
    isOver: () => boolean,
    pushes: () => Iterable<PushMemory>,
  ): MemoryReason | undefined {
    while (isOver()) {
      const most = mostOf(pushes());
      if (!most || most === this) return reason;
      const heldBefore = most.bytes;
      most.giveUp(reason);
      if (most.bytes === heldBefore) return reason;
    }
    return undefined;
  }

  /** What it may hold before its window shrinks: where others need memory too, as much as each of them. */
  private shareBytes(): number {
    const { all, account } = this;
    const { pushBytes, accountBytes, allBytes } = all.bounds;
    const ofAccount = account.bytes > accountBytes ? accountBytes / account.onAirCount : Infinity;
    const ofAll = all.bytes > allBytes ? allBytes / all.pushCount : Infinity;
    return Math.min(pushBytes, ofAccount, ofAll);
  }

  private add(bytes: number): void {
    this.bytes += bytes;
    this.account.bytes += bytes;
    this.all.bytes += bytes;
    if (bytes < 0 && this.isOver) this.all.letGoBytes -= bytes;
    this.forgetEmpty();
  }

  private forgetEmpty(): void {
    if (!this.isOver || this.bytes > 0) return;
    this.account.pushes.delete(this);
    this.account.ended.delete(this);
    this.all.forget(this.account);
  }
}

/** A push that is over is kept for players who come late: where memory is short it goes first. */
function letGoOfEnded({ ended }: Account): void {
  for (const push of ended) push.letGo();
}

function mostOf<T extends { bytes: number }>(all: Iterable<T>): T | undefined {
  let most: T | undefined;
  for (const one of all) if (!most || one.bytes > most.bytes) most = one;
  return most;
}
