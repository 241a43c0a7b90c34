// How much of one viewer is told at once: the newest, for a page that somebody reads. The export has all.

/** A visit of every show for years. */
export const visitsMax = 200;
/** Of what they said, and of their shares: more than one reads. */
export const linesMax = 500;
