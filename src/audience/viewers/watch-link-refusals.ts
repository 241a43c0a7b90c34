// Why a watch link names nobody: what is counted, and what it means to who makes such links.
import type { RefusalBook } from '../../base/peers/refusals.ts';

/** Whoever follows it still watches, as somebody whom nobody named. */
export const watchLinkRefusals = {
  unreadable:
    'Its uid, nick, phone or expires is missing, there twice, too long or not written as it should be',
  wrong: 'Its signature is of another secret, another channel or other values',
  expired: 'It was right, and has ended',
} as const;

export type WatchLinkReason = keyof typeof watchLinkRefusals;
export type WatchLinkBook = RefusalBook<WatchLinkReason>;
