// Counts the bytes that peers are sent and do not read, by network; each network may leave its share.
import { Share, type ShareOptions } from '../../base/turns/share.ts';
import type { HeldBytes } from '../live/push-memory.ts';

/** So little anybody may leave; it is not counted, as nearly every batch waits for a moment. */
export const fewUnreadBytes = 65_536;

export interface UnreadBytesOptions extends Pick<ShareOptions, 'isAllowed'> {
  bytesMax: number;
}

export class UnreadBytes {
  private readonly share: Share;

  constructor({ bytesMax, ...options }: UnreadBytesOptions) {
    this.share = new Share({ placesMax: bytesMax, ...options });
  }

  /** Of all. */
  get bytes(): number {
    return this.share.taken;
  }

  /** Whether the network has its share, or all is taken: who has left more than a little gets no more. */
  isFull(network: string): boolean {
    return this.share.refusal(network) !== undefined;
  }

  /** One connection's part of it. */
  holder(network: string): HeldBytes {
    const { share } = this;
    let held = 0;
    return {
      set: (bytes) => {
        const counted = bytes > fewUnreadBytes ? bytes : 0;
        if (counted > held) share.take(network, counted - held);
        else if (counted < held) share.leave(network, held - counted);
        held = counted;
      },
    };
  }
}
