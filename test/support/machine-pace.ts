// How fast the machine must be: a trial judges it in its long form alone.

/** The short form runs inside `bun test`, beside other tests; the long one has the machine to itself. */
export const isShort = process.env['NODE_ENV'] === 'test';

/** Whatever comes at all comes sooner, and a test still has time to say what did not. */
const patienceMs = 240_000;

/** How long something is waited for until it is said that it never came. */
export function patience(withinMs: number): number {
  return isShort ? Math.max(withinMs, patienceMs) : withinMs;
}

/** What a process of the service is told; who tests how long the database or a page is waited for says it itself. */
export const processPatience: Record<string, string> = isShort
  ? { DATABASE_DEADLINE_MS: '60000', AUDIENCE_HELLO_MS: '60000' }
  : {};

/** What there is to say of something that took too long. */
export function late(what: string, tookMs: number, withinMs: number): string[] {
  if (isShort || tookMs <= withinMs) return [];
  return [`${what} took ${Math.round(tookMs)} ms, not ${withinMs}`];
}

/** And of something that came too soon, where a busy machine may have begun it before it was told to. */
export function early(what: string, afterMs: number, leastMs: number): string[] {
  if (isShort || afterMs >= leastMs) return [];
  return [`${what} after ${Math.round(afterMs)} ms already, not ${leastMs}`];
}

/** What a busy machine may hold up on its way to the disk. */
export const heldUpMs = isShort ? 10_000 : 0;
