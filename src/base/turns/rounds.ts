// Work that is done at once and then again and again, one round at a time.
import { JoinedWork } from './joined-work.ts';

export interface Rounds {
  /** Tells the round under way so, and resolves when it is done. */
  stop(): Promise<void>;
}

/** A round that takes longer than `everyMs` is not overtaken by the next. `work` must not reject. */
export function startRounds(everyMs: number, work: (signal: AbortSignal) => Promise<void>): Rounds {
  const stopping = new AbortController();
  const round = new JoinedWork(() => work(stopping.signal));
  const begin = () => void round.run();
  begin();
  const timer = setInterval(begin, everyMs);
  return {
    stop: async () => {
      stopping.abort();
      clearInterval(timer);
      await round.settled();
    },
  };
}
