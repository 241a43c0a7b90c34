// Bounds on a file that becomes a recording, each with its reason.
import { pushLimits } from '../live/push-limits.ts';

const minuteMs = 60_000;

export const importLimits = Object.freeze({
  /** As long as a recording of a push is by default: its index and its playlist are read whole. */
  durationMsMax: 12 * 60 * minuteMs,
  /** As of a push's recording; a playlist of them has 3 MB. */
  segmentsMax: pushLimits.recordingSegments,
  /** Films have a dozen of sound and of subtitles; each is a table in memory. */
  tracksMax: 64,
  /** What one part of a segment has room for. Pictures of 4K at 400 Mbps have 2 MB. */
  packetBytesMax: pushLimits.partBytes,
  /** What describes the samples of twelve hours has some 40 MB; it is read in one piece. */
  headerBytesMax: 128 * 1_048_576,
  /** Twelve hours of 120 pictures and 94 frames of sound a second. */
  samplesMax: 12 * 3_600 * 214,
  /** Boxes of what describes the samples: a few dozen for each track. */
  boxesMax: 20_000,
  /** Fragments of 200 ms, as a recording of ours has them, are two boxes each. */
  topBoxesMax: 1_000_000,
  /** A `trak` nests six deep. */
  boxDepthMax: 16,
  /** H.264 reorders 16 frames at most, which may be 32 fields. */
  reorderPackets: 32,
  /** From decoding to showing. A picture may stand for a while before one that was decoded with it is shown. */
  compositionMsMax: 60_000,
  /** Careless muxers write times that go back a little; further back it is another timeline. */
  backMsMax: 5_000,
  /** Times in whole milliseconds wander by one. A frame of sound has 21: from there on it is meant. */
  soundJitterMs: 20,
  /** As the packager waits for pictures before it begins with sound alone. */
  soundLeadMsMax: 1_000,
  /** The recording's writing may be so far behind before reading waits for it. */
  waitingBytesMax: 8 * 1_048_576,
  /** Ten minutes of media: each leaves objects behind, and to collect them takes a quarter of a second of twelve hours. */
  collectPackets: 50_000,
  /**
   * Of the memory, for each pixel of a picture that is decoded: half of it is the decoder's, which holds eight
   * pictures and three on their way, of up to 10 bits a colour.
   */
  decodedPixelBytes: 2 * 3 * 11,
  /** Of the shorter side of what is converted: what a live show has, and what a processor encodes in some hours. */
  convertedSideMax: 1_080,
  /** Bits a second: 8 Mbps for 1080p, so that variants can be made of it. */
  convertedBitsPerPixel: 4,
  /** Cinemas have 16 channels; studios record 192,000 samples a second. */
  channelsMax: 16,
  sampleRateMax: 192_000,
  /** A slow machine encodes a video in twenty times its length; the shortest gets some minutes, the longest a day. */
  convertTimes: 20,
  convertMsMin: 10 * minuteMs,
  convertMsMax: 24 * 60 * minuteMs,
  /** What a slow disk shared with a show reads and writes in a second. */
  copiedBytesPerMs: 1_000,
  /** The smallest file too: the process must start on a machine that is busy. */
  copyMsMin: 5 * minuteMs,
});

/** How long one of this length may take to be converted. */
export function convertDeadlineMs(durationMs: number): number {
  const { convertTimes, convertMsMin, convertMsMax } = importLimits;
  return Math.min(convertMsMax, Math.max(convertMsMin, convertTimes * durationMs));
}

/** How long a file of this size may take to be copied. */
export function copyDeadlineMs(sizeBytes: number): number {
  return importLimits.copyMsMin + Math.ceil(sizeBytes / importLimits.copiedBytesPerMs);
}
