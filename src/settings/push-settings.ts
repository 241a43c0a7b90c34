// Settings of what one push, channel or account may send, begin and hold.
import { type PushBounds, pushBounds } from '../stream/live/push-limits.ts';
import { byteCount, type SettingsOf, sizeText, whole } from './setting.ts';

export const pushSettings: SettingsOf<PushBounds> = {
  kbpsMax: {
    variable: 'PUSH_KBPS_MAX',
    default: String(pushBounds.kbpsMax),
    sentence:
      'Kilobits a second that a push may send, averaged over ten seconds; one that sends more is cut, and its encoder told why.',
    read: whole(100, 1_000_000),
  },
  speedMax: {
    variable: 'PUSH_SPEED_MAX',
    default: String(pushBounds.speedMax),
    sentence:
      'How many times faster than it plays a push may come, after its first minute; more than 1 for tests alone.',
    read: whole(1, 1_000),
  },
  packetsPerSecond: {
    variable: 'PUSH_PACKETS_PER_SECOND',
    default: String(pushBounds.packetsPerSecond),
    sentence:
      'Pictures and frames of sound that a push may send a second, and eight times as many at once.',
    read: whole(10, 1_000_000),
  },
  changesPerMinute: {
    variable: 'PUSH_CHANGES_PER_MINUTE',
    default: String(pushBounds.changesPerMinute),
    sentence:
      'Changes of resolution or sound that a push may make a minute, and a third more at once.',
    read: whole(1, 1_000_000),
  },
  segmentsPerMinute: {
    variable: 'PUSH_SEGMENTS_PER_MINUTE',
    default: String(pushBounds.segmentsPerMinute),
    sentence:
      'Segments that a push may be cut into a minute, half of them at once; more than time makes come of stamps that jump.',
    read: whole(60, 1_000_000),
  },
  pushesPerMinute: {
    variable: 'PUSHES_PER_MINUTE',
    default: String(pushBounds.pushesPerMinute),
    sentence:
      'Pushes that a channel may begin in a minute; one that comes back within `RECONNECT_MS` goes on and does not count.',
    read: whole(1, 10_000),
  },
  accountPushesPerMinute: {
    variable: 'ACCOUNT_PUSHES_PER_MINUTE',
    default: String(pushBounds.accountPushesPerMinute),
    sentence:
      'The same for all channels of an account together; more than the 250 pushes that it may have at once, for when all of them begin anew.',
    read: whole(1, 60_000),
  },
  pushBytes: {
    variable: 'PUSH_MEMORY',
    default: sizeText(pushBounds.pushBytes),
    sentence:
      'Memory that the media of one push may hold; beyond it players get a shorter window, and then the push is cut.',
    read: byteCount('8M'),
  },
  accountBytes: {
    variable: 'ACCOUNT_PUSH_MEMORY',
    default: sizeText(pushBounds.accountBytes),
    sentence:
      "Memory that the media of an account's pushes may hold together; beyond it what is kept of those that are over goes, and then none begins.",
    read: byteCount('8M'),
  },
  allBytes: {
    variable: 'ALL_PUSH_MEMORY',
    default: sizeText(pushBounds.allBytes),
    sentence:
      'Memory that the media of all pushes may hold; beyond it what is kept of those that are over goes, and then none begins. What players are sent takes as much again; for a machine of 2 GB.',
    read: byteCount('8M'),
  },
};
