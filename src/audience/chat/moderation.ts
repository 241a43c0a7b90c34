// The operations of moderators share this: what they work on, and whom they tell.
import { text } from '../../base/api/fields.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';

/**
 * Presence is told what a moderator has done through this service, so that pages follow at once. What the command
 * line and other services do, it reads from the database.
 */
export interface ChatWatch {
  removed(channel_id: number, ids: readonly number[]): void;
  chatOpened(channel_id: number, open: boolean): void;
  banned(channel_id: number, viewer_id: string): void;
}

export interface ModerationOptions {
  store: Store;
  now: () => number;
  zone: Zone;
  watch: ChatWatch;
}

export const viewerIdField = text('viewer id: `user_id` of a watch record', {
  min: 1,
  max: 255,
  examples: ['u-58213'],
});
