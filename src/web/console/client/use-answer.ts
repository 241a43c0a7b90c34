// A view's answer of the service: asked for when the view comes, again by the clock where it moves, given up when it goes.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from './api.ts';
import { useConsole } from './console-parts.ts';
import { followAnswer } from './follow-answer.ts';

export interface Answered<T> {
  /** Undefined until the first answer; kept while a newer one is asked for. */
  value: T | undefined;
  /** Why the last ask failed. */
  problem: Problem | undefined;
  reload(): void;
  /** What a write answered, or will answer: shown at once. */
  set(value: T): void;
}

interface Held<T> {
  path: string;
  value: T | undefined;
  problem: Problem | undefined;
}

/** `path` undefined: nothing is asked for. */
export function useAnswer<T>(
  path: string | undefined,
  { everyMs }: { everyMs?: number } = {},
): Answered<T> {
  const { api, answers, network } = useConsole();
  const [held, hold] = useState<Held<T> | undefined>(undefined);
  const [asked, askAgain] = useState(0);
  /** What was asked for before a write may be older than it. */
  const writes = useRef(0);
  const round = network.rounds.value;
  useEffect(() => {
    if (path === undefined) return;
    const ask = async (signal: AbortSignal) => {
      const writesBefore = writes.current;
      const { value, problem } = await api.get<T>(path, signal);
      if (problem?.kind === 'left') return problem;
      if (writes.current === writesBefore) {
        if (value !== undefined) answers.set(path, value);
        hold({ path, value: value ?? answers.get<T>(path), problem });
      }
      return problem;
    };
    return followAnswer({ ask, everyMs });
  }, [path, everyMs, asked, round]);
  const known = path === undefined ? undefined : answers.get<T>(path);
  const isHeld = held !== undefined && held.path === path;
  return {
    value: isHeld ? held.value : known,
    problem: isHeld ? held.problem : undefined,
    reload: useCallback(() => askAgain((times) => times + 1), []),
    set: (value) => {
      if (path === undefined) return;
      writes.current += 1;
      answers.set(path, value);
      hold({ path, value, problem: undefined });
    },
  };
}
