// Why a service may not start beside those that run on its database.

/** A sentence for whoever starts it. */
export class RefusedStart extends Error {}

/** The name is another running service's. */
export class NameTaken extends RefusedStart {
  constructor(node: string) {
    super(
      `another service runs as the node "${node}" on this database: give each its own NODE_NAME, and no folder of one to another`,
    );
  }
}

/** It keeps recordings elsewhere than a running service, or both keep them in folders; the sentence is `bucketClash`'s. */
export class OtherBucket extends RefusedStart {}
