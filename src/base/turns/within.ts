// Work that is waited for so long at most: it goes on by itself, and whoever waited goes on without it.

/**
 * Whether it was done within the time; what it threw is its own. Nothing is left that would keep a process which has
 * stopped, as the timer of a `Bun.sleep` in a race does.
 */
export async function isDoneWithin(
  work: Promise<unknown> | undefined,
  withinMs: number,
): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), withinMs);
  const done = Promise.resolve(work).then(
    () => true,
    () => true,
  );
  return await Promise.race([done, late.promise]).finally(() => clearTimeout(timer));
}
