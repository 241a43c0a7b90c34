// Where a node keeps recordings, and why two on one database cannot run side by side where those places differ.

/** As the row of a node has it. Whose program is older says nothing of it. */
export interface NodeBucket {
  /** Name and prefix; empty where recordings stay in the folder. */
  bucket: string | null;
  /** Nodes may reach one store by several addresses. */
  bucket_url: string | null;
}

/** Of a service without S3. */
export const noBucket = { bucket: '', bucket_url: '' };

/**
 * A sentence for whoever starts `own` while `other` runs; undefined where both may run. What one node keeps in its
 * folder no other can show, go on with, or make a video of.
 */
export function bucketClash(
  own: NodeBucket,
  other: NodeBucket & { node: string },
): string | undefined {
  if (own.bucket === null || other.bucket === null) return undefined;
  if (own.bucket === '' && other.bucket === '')
    return `another service, the node "${other.node}", runs on this database, and neither has S3, by which nodes share recordings: set S3_URL and the settings that belong to it, the same on both, or stop "${other.node}" first`;
  if (own.bucket === other.bucket) return undefined;
  if (own.bucket === '')
    return `the node "${other.node}" runs on this database and keeps recordings in S3 (${other.bucket}), and this one does not: set S3_URL and the settings that belong to it as there, or stop "${other.node}" first`;
  if (other.bucket === '')
    return `the node "${other.node}" runs on this database without S3, and this one keeps recordings there: stop "${other.node}", and start it with the same S3_URL and the settings that belong to it`;
  return `the node "${other.node}" runs on this database and keeps recordings in another place of S3 (${other.bucket}) than this one (${own.bucket}): S3_BUCKET and S3_PREFIX must be the same on both`;
}
