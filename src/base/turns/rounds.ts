// Work that is done at once and then again and again, one round at a time.

export interface Rounds {
  /** Resolves when the round under way is done. */
  stop(): Promise<void>;
}

/** A round that takes longer than `everyMs` is not overtaken by the next. `work` must not reject. */
export function startRounds(everyMs: number, work: () => Promise<void>): Rounds {
  let underWay: Promise<void> | undefined;
  const begin = () => {
    underWay ??= work().finally(() => {
      underWay = undefined;
    });
  };
  begin();
  const timer = setInterval(begin, everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await underWay;
    },
  };
}
