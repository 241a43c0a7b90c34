// A store whose calls end when it is told to: for parts that must have stopped by a moment, whatever the database does.
import { type ApiError, unavailable } from '../api/errors.ts';
import { callsThrough } from './calls-through.ts';
import type { Soon, Store } from './sql.ts';

export interface EndableStore extends Store {
  /**
   * Refuses the calls under way and all that follow; how many were under way. Whether a write that was
   * refused so was made, nobody knows: it is as if the service had been killed.
   */
  end(): number;
}

export function endableStore(store: Store): EndableStore {
  /** One for each call under way; the store has a bound for those. */
  const refusals = new Set<(error: ApiError) => void>();
  let isEnded = false;
  const answer = <T>(call: () => Soon<T>): Soon<T> => {
    if (isEnded) return Promise.reject(endedError());
    const made = call();
    if (!(made instanceof Promise)) return made;
    // No race against one promise of the end: it would remember every call there ever was.
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    refusals.add(reject);
    made.then(resolve, reject).finally(() => refusals.delete(reject));
    return promise;
  };
  return {
    ...callsThrough(store, answer),
    end: () => {
      isEnded = true;
      const count = refusals.size;
      for (const refuse of refusals) refuse(endedError());
      refusals.clear();
      return count;
    },
  };
}

function endedError(): ApiError {
  return unavailable('The service is stopping');
}
