// A job: one file that is to be made of a video's recording, and how far that has come.

/**
 * Each is one file; a video has each job at most once. The others are made of the MP4, so they wait for it. An
 * account's are taken in this order.
 */
export const jobKinds = ['mp4', 'cover', '480', '720', '1080'] as const;
export type JobKind = (typeof jobKinds)[number];

export const jobStates = ['waiting', 'running', 'done', 'failed'] as const;
export type JobState = (typeof jobStates)[number];

/** In the place of a node: the recording lies in the bucket, where every node reads it. No node has this name. */
export const anyNode = '*';

export interface JobRow {
  id: number;
  kind: JobKind;
  video_id: number;
  /** Whose video it is. */
  account_id: number;
  state: JobState;
  /** How often it was begun. */
  tries: number;
  /** It is not begun before. */
  run_at: number;
  /** Who runs it, until `lease_until`; null while nobody does. */
  leased_by: string | null;
  lease_until: number | null;
  /** Why the last try failed or was put off; empty where none was. */
  problem: string;
  created_at: number;
  changed_at: number;
}

/** A job that has failed this often is given up. */
export const triesMax = 3;

/** A failure that another try cannot mend, such as a transcoder that is not installed. */
export class HopelessError extends Error {}

/** A job that cannot be done now through no fault of its own, such as for want of room: it is put off, not tried. */
export class Postponed extends Error {}
