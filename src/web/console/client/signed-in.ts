// Who is signed in.
import { type Signal, signal } from '@preact/signals';
import type { AnswerMemory } from './answer-memory.ts';
import type { Api, Problem } from './api.ts';
import type { Me } from './service-answers.ts';

export interface Session {
  /** Undefined until it is known, null for nobody. */
  me: Signal<Me | null | undefined>;
  /** Undefined where it could be asked. */
  load(): Promise<Problem | undefined>;
  signOut(): Promise<void>;
  /** The service knows no session of ours any more. */
  isOver(): void;
}

export const mePath = '/manage/v1/me';

export function startSession({ api, answers }: { api: () => Api; answers: AnswerMemory }): Session {
  const me = signal<Me | null | undefined>(undefined);
  const isOver = () => {
    answers.clear();
    me.value = null;
  };
  return {
    me,
    load: async () => {
      const { value, problem } = await api().get<Me>(mePath);
      if (value) me.value = value;
      return problem;
    },
    signOut: async () => {
      await api().post('/manage/v1/sign-out');
      isOver();
    },
    isOver,
  };
}
