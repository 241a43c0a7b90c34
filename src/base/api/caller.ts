// Who asks, and what a token or a person who has signed in may do.

export const scopes = [
  'channels:read',
  'channels:write',
  /** A show: its control room, chat, publish key, who is here. */
  'channels:run',
  'videos:read',
  'videos:write',
  /** Those who watched: records, visitors, reports, page by page and as files. */
  'audience:read',
  /** All of an account; the one that no manager's token holds. */
  'manage',
] as const;
export type Scope = (typeof scopes)[number];

/** What a manager's token and a manager's people may hold at most; the account's own side may hold every scope. */
export const managerScopes: readonly Scope[] = scopes.filter((scope) => scope !== 'manage');

/** What an operation wants of who asks: a scope; to be known, whatever they may do; to have signed in; or nothing. */
export type Need = Scope | 'caller' | 'person' | 'anyone';

/** What `manage` has too: what it was enough for before there were scopes for it, and what it can give itself anyway. */
const managed: readonly Scope[] = ['channels:run', 'videos:write', 'audience:read'];

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

/** Who asks, with what they may do, and by which session where a person does. */
export interface KnownCaller extends Caller {
  scopes: readonly string[];
  /** Undefined where a token asks. */
  session: SignedIn | undefined;
  /** 0 where a person asks. */
  token_id: number;
  /** Of the person or the token. */
  name: string;
  /** Of the manager they stand for; empty where they stand for none. */
  manager_username: string;
}

/** A person who asks. */
export interface PersonCaller extends KnownCaller {
  session: SignedIn;
}

/** One browser's session of a person. */
export interface SignedIn {
  id: number;
  person_id: number;
}

/** The caller that an operation's handler gets: of one that `'anyone'` may ask for, nobody. */
export type CallerFor<N extends Need> = N extends 'anyone'
  ? undefined
  : N extends 'person'
    ? PersonCaller
    : N extends 'caller'
      ? KnownCaller
      : Caller;

export type Plan = 'traffic' | 'standard';
