// Every bound on what one push may do and hold in one place, each with its reason.
import type { Rate } from '../../base/peers/allowance.ts';

/** What one push, channel or account may send, begin and hold: settings, and these are their defaults. */
export const pushBounds = Object.freeze({
  // What pieces may hold follows from it: a segment of two seconds has 10 MB.
  kbpsMax: 40_000,
  // Times faster than it plays.
  speedMax: 1,
  // 120 pictures and 94 frames of sound are the most that encoders make; eight seconds of what is let in at once.
  packetsPerSecond: 500,
  // OBS never changes its parameters within a push. Phones do with the line and when they are turned: a few times
  // in the first seconds, so twenty at once, then seldom. One each target duration makes no more segments than time
  // does.
  changesPerMinute: 15,
  // Time makes one in 1.8 s at most. Holes make more: two pictures a second without sound are a segment each. A
  // segment costs a sync of the disk and a line of the index, and has a part at least, of which time makes five a
  // second. Half a minute's worth at once.
  segmentsPerMinute: 240,
  // Pushes that a channel may begin: each is a playlist, a recording and jobs.
  pushesPerMinute: 12,
  // And all channels of an account together: more than the 250 pushes that it may have on air, for when all begin anew.
  accountPushesPerMinute: 300,
  // Memory of their media, for a machine of 2 GB: what players are sent takes as much again.
  pushBytes: 128 * 1_048_576,
  accountBytes: 384 * 1_048_576,
  allBytes: 512 * 1_048_576,
});

export type PushBounds = Readonly<Record<keyof typeof pushBounds, number>>;

/** How often, each with room for what honest encoders do at once. */
export interface PushRates {
  bytes: Rate;
  packets: Rate;
  changes: Rate;
  segments: Rate;
  mediaMs: Rate;
}

/** As often as `pushBounds` says. */
export function pushRates(bounds: PushBounds): PushRates {
  const { kbpsMax, packetsPerSecond, changesPerMinute, segmentsPerMinute, speedMax } = bounds;
  return {
    // Ten seconds of it at once: what an encoder sends after its line stood still. At least two key frames of the
    // largest size.
    bytes: { atOnce: Math.max(1_250 * kbpsMax, 8_388_608), everyMs: 8 / kbpsMax },
    packets: { atOnce: 8 * packetsPerSecond, everyMs: 1_000 / (packetsPerSecond * speedMax) },
    changes: {
      atOnce: (4 * changesPerMinute) / 3,
      everyMs: 60_000 / (changesPerMinute * speedMax),
    },
    segments: { atOnce: segmentsPerMinute / 2, everyMs: 60_000 / (segmentsPerMinute * speedMax) },
    // What an encoder has gathered, or a relay begins with, is well below a minute; clocks differ by far less than
    // a tenth.
    mediaMs: { atOnce: 60_000, everyMs: 1 / (1.1 * speedMax) },
  };
}

/** For tests and tools that have no push of a stranger's. */
export const boundlessRates: PushRates = {
  bytes: { atOnce: Infinity, everyMs: 1 },
  packets: { atOnce: Infinity, everyMs: 1 },
  changes: { atOnce: Infinity, everyMs: 1 },
  segments: { atOnce: Infinity, everyMs: 1 },
  mediaMs: { atOnce: Infinity, everyMs: 1 },
};

/** How what a push may hold is divided, and how long its pieces are. */
export const pushLimits = Object.freeze({
  // An encoder's default may be 10 s between key frames; beyond this who joins waits for the next one.
  lastGopMs: 12_000,
  lastGopBytes: 16 * 1_048_576,
  // Twelve seconds of the fastest push.
  lastGopPackets: 6_000,
  // What comes before it is clear which tracks there are: a second of the fastest push. It is packaged in one step, and
  // memory that was never used costs a millisecond for each of these, and three times over.
  startBytes: 6 * 1_048_576,
  // A part of 200 ms at 50 Mbps has 1.3 MB; one has room for the largest picture. Stamps that stand still must not fill
  // the memory.
  partBytes: 5 * 1_048_576,
  // Two seconds of the fastest push. A player gets it whole, in one copy: half a millisecond for each of these.
  segmentBytes: 12 * 1_048_576,
  // Segments of a quarter of a second fill the twelve seconds of a playlist; honest ones are seven.
  windowSegments: 48,
  // What is left of a window that must shrink: plain players begin three whole segments before the end.
  windowSegmentsMin: 3,
  // Sixteen hours of segments of 1.8 s; a playlist of them has 3 MB.
  recordingSegments: 32_768,
  // A disk this far behind does not catch up, so the recording ends there.
  recordingQueueBytes: 32 * 1_048_576,
  // What a packet costs beside its bytes, however small it is.
  packetBytes: 256,
});
