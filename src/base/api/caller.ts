// Who asks, and what a token may let them do.

export const scopes = [
  'channels:read',
  'channels:write',
  'videos:read',
  'audience:read',
  'manage',
] as const;
export type Scope = (typeof scopes)[number];

/** Whose things: an account's or, within it, those of the one manager a token stands for (0: all). */
export interface Owner {
  account_id: number;
  manager_id: number;
}

/** Who asks. */
export interface Caller extends Owner {
  plan: Plan;
  auto_save_live_video: boolean;
}

export type Plan = 'traffic' | 'standard';
