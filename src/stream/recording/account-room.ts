// How much room the recordings, pictures and captions of each account take, and whether it may take more.
import { ApiError } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import type { KeptRoom } from '../../library/access/kept-room.ts';
import { videoCopies } from '../../library/videos/video.ts';
import { accountBytes } from './recording-store.ts';

export interface AccountRoomOptions {
  /** For the recordings, pictures and captions of one account; 0: no bound. */
  bytesMax: number;
  /** The name of this service; recordings lie on its disk. */
  node: string;
  /** Whether those on other nodes' disks count: they are on their way into the bucket, which is one for all. */
  ofAllNodes?: boolean;
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
  /** Of pictures and captions, when last looked, and of those that were kept since. */
  keptBytes: number;
  /** Resolves when the last of these that came is kept, or is not. */
  lastKept: Promise<unknown>;
  lookedAt: number;
  isOver: boolean;
}

/** Videos go only by their age, which is looked at every minute. */
const lookEveryMs = 10_000;
/** At the very border every video that goes would make room for a short one. */
const roomAgainFactor = 0.9;

/** All that it takes, and so much more of a video. */
function bytesOf(use: Use, moreBytes = 0): number {
  let bytes = use.storedBytes + moreBytes;
  for (const recording of use.growing) bytes += recording.bytes;
  return videoCopies * bytes + use.keptBytes;
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
    use.isOver = bytesOf(use) >= bytesMax * (use.isOver ? roomAgainFactor : 1);
    return !use.isOver;
  }

  /** Whether so much more finds room beside all that grows; asked before it is promised, so it is looked. */
  async hasRoomFor(account_id: number, bytes: number): Promise<boolean> {
    const { bytesMax } = this.options;
    if (bytesMax === 0) return true;
    const use = this.useOf(account_id);
    await this.look(account_id, use);
    return bytesOf(use, bytes) <= bytesMax;
  }

  /** One after the other, so that each finds what those before it take; few come at once, as uploads have places. */
  readonly keptRoom: KeptRoom = async ({ account_id, bytes }, keep) => {
    const { bytesMax } = this.options;
    if (bytesMax === 0) return await keep();
    const use = this.useOf(account_id);
    const kept = use.lastKept.then(async () => {
      await this.look(account_id, use);
      if (bytes > 0 && bytesOf(use) + bytes > bytesMax) throw new ApiError('noRoom');
      const answer = await keep();
      use.keptBytes += bytes;
      return answer;
    });
    use.lastKept = kept.catch(() => {});
    return await kept;
  };

  begun(account_id: number, recording: Growing): void {
    this.useOf(account_id).growing.add(recording);
  }

  /** Its bytes count on until the next look finds its video. */
  ended(account_id: number, recording: Growing): void {
    const use = this.useOf(account_id);
    if (use.growing.delete(recording)) use.storedBytes += recording.bytes;
  }

  /** Another node goes on with it, and counts it. */
  left(account_id: number, recording: Growing): void {
    this.useOf(account_id).growing.delete(recording);
  }

  private useOf(account_id: number): Use {
    const known = this.uses.get(account_id);
    if (known) return known;
    const use = {
      storedBytes: 0,
      growing: new Set<Growing>(),
      keptBytes: 0,
      lastKept: Promise.resolve(),
      lookedAt: -Infinity,
      isOver: false,
    };
    this.uses.set(account_id, use);
    return use;
  }

  /** Nobody waits for it: a push begins with what was known. */
  private refreshFromDatabase(account_id: number, use: Use): void {
    const { now, log } = this.options;
    use.lookedAt = now();
    this.look(account_id, use).catch((error) =>
      log.warn('it is unknown how much an account has recorded', { account_id, error }),
    );
  }

  private async look(account_id: number, use: Use): Promise<void> {
    const { store, node, ofAllNodes = false } = this.options;
    const asked = { account_id, node: ofAllNodes ? undefined : node };
    const { videos, kept } = await store.perform(accountBytes, asked);
    use.storedBytes = videos;
    use.keptBytes = kept;
  }
}
