// Whom a video let in by a word of its own: they go before it does, however many have registered for it.
import type { Store } from '../../base/db/sql.ts';
import { removeSomeGuests } from './deleted-video-store.ts';

/** Step after step; the writer rests between two for as long as one took. False where it was stopped before the last. */
export async function removeGuestsOf(
  store: Pick<Store, 'perform'>,
  { id }: { id: number },
  signal?: AbortSignal,
): Promise<boolean> {
  while (!signal?.aborted) {
    const startedAt = performance.now();
    if (!(await store.perform(removeSomeGuests, { id }))) return true;
    await Bun.sleep(performance.now() - startedAt);
  }
  return false;
}
