// A store that asks again while the service starts: nobody waits for it yet, and to give up would only begin it anew.
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../lib/errors.ts';
import { monotonicMs } from '../lib/time.ts';
import { callsThrough } from './calls-through.ts';
import type { Soon, Store } from './sql.ts';

export interface PatientStore extends Store {
  /** From now on a call is refused at its first deadline. */
  hurry(): void;
}

/** A database that says "not now" at once is not asked more often. */
const askAgainMs = 250;

/** A write that was refused late may have been made all the same: those of a start may be made twice. */
export function patientStore(store: Store, { patientMs }: { patientMs: number }): PatientStore {
  let patientUntil = monotonicMs() + patientMs;
  const isOver = () => monotonicMs() + askAgainMs > patientUntil;
  const again = async <T>(call: () => Soon<T>): Promise<T> => {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (isOver() || !(error instanceof ApiError) || error.kind !== 'unavailable') throw error;
        await pause(askAgainMs);
      }
    }
  };
  const patient = callsThrough(store, (call) => (isOver() ? call() : again(call)));
  return {
    ...patient,
    hurry: () => {
      patientUntil = 0;
    },
  };
}
