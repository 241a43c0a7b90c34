// Who is signed in.
import { type Signal, signal } from '@preact/signals';
import { Zone } from '../../../base/lib/time.ts';
import type { AnswerMemory } from './answer-memory.ts';
import type { Api, Problem } from './api.ts';
import type { Me } from './service-answers.ts';

export interface Session {
  /** Undefined until it is known, null for nobody. */
  me: Signal<Me | null | undefined>;
  /** Undefined where it could be asked. */
  load(): Promise<Problem | undefined>;
  /** The service's clock, by which shows begin: the person's own may be wrong. */
  now(): number;
  /** Undefined where it is over; why not otherwise. */
  signOut(): Promise<Problem | undefined>;
  /** The service knows no session of ours any more. */
  isOver(): void;
}

export const mePath = '/manage/v1/me';

export function startSession({
  api,
  answers,
  onOver,
}: {
  api: () => Api;
  answers: AnswerMemory;
  /** Whoever comes next may be somebody else. */
  onOver(): void;
}): Session {
  const me = signal<Me | null | undefined>(undefined);
  let aheadMs = 0;
  const isOver = () => {
    answers.clear();
    onOver();
    me.value = null;
  };
  return {
    me,
    load: async () => {
      const { value, problem } = await api().get<Me>(mePath);
      if (value) {
        const at = new Zone(value.time_zone).instant(value.now);
        aheadMs = at === undefined ? 0 : at - Date.now();
        me.value = value;
      }
      return problem;
    },
    now: () => Date.now() + aheadMs,
    signOut: async () => {
      const { problem } = await api().post('/manage/v1/sign-out');
      // Who is not known there any more is signed out, too.
      if (problem && problem.status !== 401) return problem;
      isOver();
      return undefined;
    },
    isOver,
  };
}
