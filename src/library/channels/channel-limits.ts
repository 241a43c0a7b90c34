// How long things of a channel hold.

/** A service that says nothing for so long is gone, and so are its pushes. It says so every five seconds. */
export const nodeSilentMsMax = 15_000;

/**
 * The bare row of a channel that is gone stays this much longer: by it a recording that a crash has left, or a last
 * flush of an audience, learns that there is nothing to add to. Mending a recording of twelve hours takes minutes.
 */
export const goneRowKeptMs = 3_600_000;
