// Every bound of pictures of streams in one place, each with its reason.

export const pictureLimits = {
  /** As large as a list shows it, on a screen with two pixels for one. */
  widthMax: 480,
  /** A picture is answered again for so long. The console asks every five seconds, and key frames come every two or three: none that is shown is older than ten. */
  freshMs: 2_000,
  /** What could not be decoded is not tried again for so long. */
  failedMs: 5_000,
  /** Where there is no turn for a new one, one that is a little older will do, within the same ten seconds. */
  oldMs: 4_000,
  /** From the beginning of one to that of the next: five a second take a tenth of a core, at low priority. */
  everyMs: 200,
  /** Channels that wait for theirs, six seconds' worth; one account has half of what the others leave. */
  waitingMax: 32,
  /** Of all that are remembered: some two hundred of 30 KB. */
  rememberedBytes: 6 * 1_048_576,
  /** A key frame of 4K at 40 Mbps has about 2 MB. */
  keyFrameBytes: 4 * 1_048_576,
  /** To start the process takes a fifth of a second, a picture a twentieth; at low priority beside live perhaps much more. */
  decodeWithinMs: 5_000,
  /** Who asks another node waits as long as they would there: for their turn, and for the decoder. */
  askedWithinMs: 12_000,
  /** A process that nobody has asked for so long ends. */
  idleMs: 15_000,
} as const;
