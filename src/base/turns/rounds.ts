// Work that is done at once and then again and again, one round at a time.
import { JoinedWork } from './joined-work.ts';

export interface Rounds {
  /** Resolves when the round under way is done. */
  stop(): Promise<void>;
}

/** A round that takes longer than `everyMs` is not overtaken by the next. `work` must not reject. */
export function startRounds(everyMs: number, work: () => Promise<void>): Rounds {
  const round = new JoinedWork(work);
  const begin = () => void round.run();
  begin();
  const timer = setInterval(begin, everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await round.settled();
    },
  };
}
