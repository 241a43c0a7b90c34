// Every bound on what one push may do and hold in one place, each with its reason.
import type { Rate } from '../peers/allowance.ts';

/** How often, each with room for what honest encoders do at once. */
export interface PushRates {
  bytes: Rate;
  packets: Rate;
  changes: Rate;
  segments: Rate;
  mediaMs: Rate;
}

export interface PushRateSettings {
  kbpsMax: number;
  /** Times faster than it plays. */
  speedMax: number;
}

export function pushRates({ kbpsMax, speedMax }: PushRateSettings): PushRates {
  return {
    // Ten seconds of it at once: what an encoder sends after its line stood still. At least two key frames of the
    // largest size.
    bytes: { atOnce: Math.max(1_250 * kbpsMax, 8_388_608), everyMs: 8 / kbpsMax },
    // 120 pictures and 94 frames of sound a second are the most that encoders make; ten seconds of them at once.
    packets: { atOnce: 4_000, everyMs: 2 / speedMax },
    // OBS never changes its parameters within a push. Phones do with the line and when they are turned: a few times
    // in the first seconds, then seldom. One each target duration makes no more segments than time does.
    changes: { atOnce: 20, everyMs: 4_000 / speedMax },
    // Time makes one in 1.8 s at most. Holes make more: two pictures a second without sound are a segment each. A
    // segment costs a sync of the disk and a line of the index, and has a part at least, of which time makes five a
    // second.
    segments: { atOnce: 120, everyMs: 250 / speedMax },
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

export const pushBounds = Object.freeze({
  // An encoder's default may be 10 s between key frames; beyond this who joins waits for the next one.
  lastGopMs: 12_000,
  lastGopBytes: 16 * 1_048_576,
  // Twelve seconds of the fastest push.
  lastGopPackets: 6_000,
  // What comes before it is clear which tracks there are: a second of media.
  startBytes: 16 * 1_048_576,
  // A part of 200 ms at 50 Mbps has 1.3 MB. Stamps that stand still must not fill the memory.
  partBytes: 8 * 1_048_576,
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
