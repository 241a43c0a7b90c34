// Asking the service again and again: after each answer a pause, none while nobody looks, later where it says so.
import type { Problem } from './api.ts';

export interface Following {
  /** Asks once; what failed is told back. */
  ask(signal: AbortSignal): Promise<Problem | undefined>;
  /** The pause; undefined where once is enough. */
  everyMs: number | undefined;
}

/** Begins at once; what it gives back ends it. */
export function followAnswer({ ask, everyMs }: Following): () => void {
  const leaving = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const round = async () => {
    const problem = await ask(leaving.signal);
    if (leaving.signal.aborted || everyMs === undefined) return;
    timer = setTimeout(next, waitMs(everyMs, problem));
  };
  /** Nobody looks: it goes on when somebody does. */
  const next = () => {
    if (document.hidden) document.addEventListener('visibilitychange', next, { once: true });
    else round();
  };
  round();
  return () => {
    leaving.abort();
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', next);
  };
}

/** One who is told to come later does. */
function waitMs(everyMs: number, problem: Problem | undefined): number {
  return Math.max(everyMs, (problem?.retrySeconds ?? 0) * 1000);
}
