// How much of the disk the recordings of each account take, and whether it may take more.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { videoCopies } from '../../library/videos/video.ts';
import { recordedBytes } from './recording-store.ts';

export interface AccountRoomOptions {
  /** For the recordings of one account; 0: no bound. */
  bytesMax: number;
  /** The name of this service; recordings lie on its disk. */
  node: string;
  store: Store;
  now: () => number;
  log: Log;
}

/** A recording that grows, or an upload. */
export interface Growing {
  readonly bytes: number;
}

interface Use {
  /** Of videos as they were pushed, when last looked, and of what has ended since. */
  storedBytes: number;
  growing: Set<Growing>;
  lookedAt: number;
  isOver: boolean;
}

/** Videos go only by their age, which is looked at every minute. */
const lookEveryMs = 10_000;
/** At the very border every video that goes would make room for a short one. */
const roomAgainFactor = 0.9;

function bytesOf({ storedBytes, growing }: Use): number {
  let bytes = storedBytes;
  for (const recording of growing) bytes += recording.bytes;
  return bytes;
}

/** Asked for every segment, so what is known is kept; only accounts that have pushed are in memory. */
export class AccountRoom {
  private readonly options: AccountRoomOptions;

  private readonly uses = new Map<number, Use>();

  constructor(options: AccountRoomOptions) {
    this.options = options;
  }

  hasRoom(account_id: number): boolean {
    const { bytesMax, now } = this.options;
    if (bytesMax === 0) return true;
    const use = this.useOf(account_id);
    if (now() - use.lookedAt >= lookEveryMs) this.refreshFromDatabase(account_id, use);
    use.isOver = videoCopies * bytesOf(use) >= bytesMax * (use.isOver ? roomAgainFactor : 1);
    return !use.isOver;
  }

  /** Whether so much more finds room beside all that grows; asked before it is promised, so it is looked. */
  async hasRoomFor(account_id: number, bytes: number): Promise<boolean> {
    const { bytesMax, store, node } = this.options;
    if (bytesMax === 0) return true;
    const use = this.useOf(account_id);
    use.storedBytes = await store.perform(recordedBytes, { account_id, node });
    return videoCopies * (bytesOf(use) + bytes) <= bytesMax;
  }

  begun(account_id: number, recording: Growing): void {
    this.useOf(account_id).growing.add(recording);
  }

  /** Its bytes count on until the next look finds its video. */
  ended(account_id: number, recording: Growing): void {
    const use = this.useOf(account_id);
    if (use.growing.delete(recording)) use.storedBytes += recording.bytes;
  }

  private useOf(account_id: number): Use {
    const known = this.uses.get(account_id);
    if (known) return known;
    const use = { storedBytes: 0, growing: new Set<Growing>(), lookedAt: -Infinity, isOver: false };
    this.uses.set(account_id, use);
    return use;
  }

  /** Nobody waits for it: a push begins with what was known. */
  private refreshFromDatabase(account_id: number, use: Use): void {
    const { store, node, now, log } = this.options;
    use.lookedAt = now();
    store.perform(recordedBytes, { account_id, node }).then(
      (bytes) => {
        use.storedBytes = bytes;
      },
      (error) => log.warn('it is unknown how much an account has recorded', { account_id, error }),
    );
  }
}
