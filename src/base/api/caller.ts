// Who asks, and what a token may let them do.

export const scopes = [
  'channels:read',
  'channels:write',
  /** A show: its control room, chat, publish key, who is here, exports of its audience. */
  'channels:run',
  'videos:read',
  'videos:write',
  'audience:read',
  /** All of an account; the one that no manager's token holds. */
  'manage',
] as const;
export type Scope = (typeof scopes)[number];

/** What `manage` was enough for before there were scopes for it. */
const managed: readonly Scope[] = ['channels:run', 'videos:write'];

/** Whether a token that was given these scopes may do what needs this one. */
export function holds(given: readonly string[], needed: Scope): boolean {
  return given.includes(needed) || (managed.includes(needed) && given.includes('manage'));
}

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
