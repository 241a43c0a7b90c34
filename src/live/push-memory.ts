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
 * the same: this far beyond the bound whoever holds most is cut.
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

interface Account {
  readonly id: number;
  readonly pushes: Set<PushMemory>;
  bytes: number;
}

/** All pushes together. */
export class PushesMemory {
  readonly bounds: MemoryBounds;

  private readonly accounts = new Map<number, Account>();
  /** Of pushes on air, and of what is kept of others for a while. */
  bytes = 0;
  pushCount = 0;

  constructor(bounds: MemoryBounds) {
    this.bounds = bounds;
  }

  /** Why no push of the account can begin now. */
  refusal(account_id: number): MemoryReason | undefined {
    const { accountBytes, allBytes } = this.bounds;
    const held = this.accounts.get(account_id)?.bytes ?? 0;
    if (held > accountBytes) return 'account_memory';
    return this.bytes > allBytes ? 'all_memory' : undefined;
  }

  open(account_id: number): PushMemory {
    const known = this.accounts.get(account_id);
    const account: Account = known ?? { id: account_id, pushes: new Set(), bytes: 0 };
    this.accounts.set(account_id, account);
    return new PushMemory(this, account);
  }

  /** Nobody holds anything of it any more. */
  forget(account: Account): void {
    if (account.pushes.size === 0 && account.bytes === 0) this.accounts.delete(account.id);
  }

  get greediest(): Account | undefined {
    return mostOf(this.accounts.values());
  }
}

/** One push, from its beginning until nothing of it is held. */
export class PushMemory {
  private readonly all: PushesMemory;
  private readonly account: Account;

  private readonly reliefs: ((bytes: number) => void)[] = [];
  bytes = 0;

  constructor(all: PushesMemory, account: Account) {
    this.all = all;
    this.account = account;
    account.pushes.add(this);
    all.pushCount += 1;
  }

  /** `relieve`: lets go of so many bytes, if it can. */
  holder(relieve?: (bytes: number) => void): HeldBytes {
    if (relieve) this.reliefs.push(relieve);
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
    const overBytes = this.bytes - this.shareBytes();
    if (overBytes > 0) for (const relieve of this.reliefs) relieve(overBytes);
    if (this.bytes > pushBytes) return 'memory';
    if (account.bytes > goesOnFactor * accountBytes && this.isGreediest()) return 'account_memory';
    if (all.bytes <= goesOnFactor * allBytes || all.greediest !== account) return undefined;
    return this.isGreediest() ? 'all_memory' : undefined;
  }

  /** The push is over; what is kept of it goes on counting. */
  end(): void {
    const { all, account } = this;
    if (account.pushes.delete(this)) all.pushCount -= 1;
    all.forget(account);
  }

  /** What it may hold before its window shrinks: where others need memory too, as much as each of them. */
  private shareBytes(): number {
    const { all, account } = this;
    const { pushBytes, accountBytes, allBytes } = all.bounds;
    const ofAccount = account.bytes > accountBytes ? accountBytes / account.pushes.size : Infinity;
    const ofAll = all.bytes > allBytes ? allBytes / all.pushCount : Infinity;
    return Math.min(pushBytes, ofAccount, ofAll);
  }

  private isGreediest(): boolean {
    return mostOf(this.account.pushes) === this;
  }

  private add(bytes: number): void {
    this.bytes += bytes;
    this.account.bytes += bytes;
    this.all.bytes += bytes;
    if (this.bytes === 0) this.all.forget(this.account);
  }
}

function mostOf<T extends { bytes: number }>(all: Iterable<T>): T | undefined {
  let most: T | undefined;
  for (const one of all) if (!most || one.bytes > most.bytes) most = one;
  return most;
}
