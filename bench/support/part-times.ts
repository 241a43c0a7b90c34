// When each part of a live stream can be had at a node: one who waits for the next part, always.

export interface PartTimes {
  /** By the part's name: when a playlist came that has it, of time that only passes. */
  readonly seen: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

const againMs = 100;

export async function startPartTimes(playlist: string): Promise<PartTimes> {
  const seen = new Map<string, number>();
  const ending = new AbortController();
  const { signal } = ending;
  const first = await (await fetch(playlist)).text();
  const running = follow(playlist, { first, seen, signal });
  return {
    seen,
    stop: async () => {
      ending.abort();
      await running;
    },
  };
}

async function follow(
  playlist: string,
  given: { first: string; seen: Map<string, number>; signal: AbortSignal },
): Promise<void> {
  const { seen, signal } = given;
  let text = given.first;
  try {
    while (!signal.aborted) {
      const [, sequence, part] = /PRELOAD-HINT:.*URI="(?:\w+-)?(\d+)\.(\d+)\.m4s"/.exec(text) ?? [];
      const query = sequence === undefined ? '' : `_HLS_msn=${sequence}&_HLS_part=${part}`;
      const response = await fetch(`${playlist}?${query}`, { signal });
      text = await response.text();
      // A smaller size that has not begun.
      if (response.status === 503) {
        await Bun.sleep(againMs);
        text = '';
        continue;
      }
      if (response.status !== 200) throw new Error(`a playlist was answered ${response.status}`);
      seen.set(`${sequence}.${part}`, performance.now());
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
