// Bounds on uploads, each with its reason.

export const uploadLimits = Object.freeze({
  /**
   * Of one account at once: a folder of files that somebody drops, of which a browser sends a few at a time. A manager
   * may have half of what the others leave, so that each of them finds one.
   */
  unfinishedMax: 20,
  /**
   * What a file takes of the disk, in times of itself: the file and the recording that is read out of it, or, when the
   * file has gone, the recording, its MP4 and smaller variants. One that is converted may take more, so the disk is
   * watched while it is read.
   */
  diskTimes: 3,
  /** While it is read: as much again as the file, which lies there already, and its MP4 right after. */
  readingTimes: 2,
  /**
   * Copied at once, and converted; each has a process that may take all of `JOB_MEMORY`. An account has half of what the
   * others leave, which is one: its long file never holds up another's.
   */
  copiedAtOnce: 2,
  convertedAtOnce: 2,
  /** What failed for no fault of the file's, as a process that was killed, is tried so often in all. */
  triesMax: 3,
  /** How often it is looked whether the disk has room for more of what is being read. */
  roomEveryMs: 2_000,
  /** How much has come is noted in the database so often, for who asks another service, and that it is used at all. */
  noteEveryMs: 10_000,
  /** Of a piece that goes on to another node: what is live waits behind no more, and one is on its way at a time. */
  linkBytes: 65_536,
  /** A node answers when the piece is written, which on a slow disk waits for a sync. */
  linkAnswerMs: 30_000,
  /** A node that was not heard of for so long has lost its uploads: whoever waits for one is told. */
  nodeGoneMs: 3_600_000,
  /** Written at a time. */
  writeBytes: 1_048_576,
  /** Put on the disk so often: a slow one has it in a second, so the last of a long file does not keep the answer waiting. */
  syncBytes: 67_108_864,
});
