// Something a person asks the service to do: busy until it is answered, then a word about it.
import { useState } from 'preact/hooks';
import type { Problem, Reply } from './api.ts';
import { useConsole, useTexts } from './console-parts.ts';
import { problemWithoutForm } from './problem-text.ts';

export interface Act {
  isBusy: boolean;
  /** Why the last one was refused; what is wrong with a marked field is said there. */
  problem: Problem | undefined;
  /** The answer; undefined where there is none, which is said. */
  run<T>(reply: Promise<Reply<T>>, said?: string): Promise<T | undefined>;
}

/** `marked`: the fields at which the form says what is wrong with them. */
export function useAct(...marked: string[]): Act {
  const { toasts } = useConsole();
  const texts = useTexts();
  const [isBusy, busy] = useState(false);
  const [problem, failed] = useState<Problem>();
  return {
    isBusy,
    problem,
    run: async (reply, said) => {
      busy(true);
      const { value, problem } = await reply;
      busy(false);
      failed(problem);
      if (problem && !problem.fields.some(({ name }) => marked.includes(name)))
        toasts.failed(problemWithoutForm(problem, texts));
      if (value !== undefined && said !== undefined) toasts.done(said);
      return value;
    },
  };
}
