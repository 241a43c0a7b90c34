// What the connections of one server have together: places, turns, look-ups, and a bound of what they keep.
import { FairPlaces } from '../../base/turns/fair-places.ts';
import { Turns } from '../../base/turns/turns.ts';
import { BytesInAll } from './backlog.ts';
import { ReadPace } from './read-pace.ts';
import { type RtmpLimits, rtmpLimits } from './rtmp-limits.ts';
import type { RtmpBook } from './rtmp-refusals.ts';
import { SendTurns } from './send-turns.ts';
import { Strangers } from './strangers.ts';
import { UnreadBytes } from './unread-bytes.ts';

export interface Shared {
  strangers: Strangers;
  /** Those who are being let go, until they have read why. */
  lingering: Strangers;
  lookUps: FairPlaces;
  /** Of the event loop: publishers have theirs, strangers and players share another. */
  publisherTurns: Turns;
  strangerTurns: Turns;
  sendTurns: SendTurns;
  keptInAll: BytesInAll;
  unread: UnreadBytes;
  pace: ReadPace;
  refusals: RtmpBook;
  limits: RtmpLimits;
}

export interface SharedOptions {
  refusals: RtmpBook;
  /** Whether limits by network do not hold for this one. */
  isAllowed?: (network: string) => boolean;
  limits?: Partial<RtmpLimits>;
}

export function openShared({ refusals, isAllowed, limits: given }: SharedOptions): Shared {
  const limits = { ...rtmpLimits, ...given };
  const exempt = isAllowed ? { isAllowed } : {};
  const sharing = (placesMax: number) => ({ placesMax, ...exempt });
  return {
    strangers: new Strangers(sharing(limits.strangersMax)),
    lingering: new Strangers(sharing(limits.lingeringMax)),
    lookUps: new FairPlaces(sharing(limits.lookUpsMax)),
    publisherTurns: new Turns({ turnMs: limits.publisherTurnMs }),
    strangerTurns: new Turns({ turnMs: limits.strangerTurnMs, restMs: limits.strangerRestMs }),
    sendTurns: new SendTurns({ turnMs: limits.sendTurnMs }),
    keptInAll: new BytesInAll(limits.earlyBytesInAllMax),
    unread: new UnreadBytes({ bytesMax: limits.unreadBytesInAllMax, ...exempt }),
    pace: new ReadPace(),
    refusals,
    limits,
  };
}
