// Work that ends in good order at Ctrl-C or SIGTERM.

const signals = { SIGINT: 130, SIGTERM: 143 } as const;
/** One Ctrl-C may reach us twice, by the terminal and by who started us; a later one is meant. */
const sameMs = 1_000;

/** The signal is aborted by the first; who asks again later ends the process at once. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  let firstAt: number | undefined;
  const interrupt = (name: keyof typeof signals) => {
    const at = performance.now();
    if (firstAt !== undefined && at - firstAt > sameMs) process.exit(signals[name]);
    firstAt ??= at;
    stop.abort();
  };
  const names = Object.keys(signals) as (keyof typeof signals)[];
  const listeners = names.map((name) => [name, () => interrupt(name)] as const);
  for (const [name, listener] of listeners) process.on(name, listener);
  try {
    return await work(stop.signal);
  } finally {
    for (const [name, listener] of listeners) process.off(name, listener);
  }
}
