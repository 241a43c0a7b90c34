// Pages that come back by themselves wherever a balancer leads them, as those of a browser do.
import { closeCodes } from '../../src/audience/protocol/messages.ts';
import type { BeatingViewer } from './beating-viewers.ts';

/** As the page's own connection waits. */
const elsewhereMsMax = 500;
const failedMs = [500, 2_000] as const;

export interface ReturningViewer {
  viewer: BeatingViewer;
  /** By the clock that only goes on. */
  firstInAt: number;
  /** Each time that it was sent or cut off, and how long it took until it was in again. */
  awayMs: number[];
  /** Its session, each time that it was let in. */
  sessions: (string | undefined)[];
  /** Why it was not let in, or had to come back without being sent. */
  problems: string[];
  /** Resolves when it is in. */
  settled(): Promise<void>;
  leave(): Promise<void>;
}

/** Resolves when it is in for the first time. */
export async function startReturning(viewer: BeatingViewer, url: string): Promise<ReturningViewer> {
  let isLeaving = false;
  let back: Promise<void> = Promise.resolve();
  const one: ReturningViewer = {
    ...{ viewer, firstInAt: 0, awayMs: [], sessions: [], problems: [] },
    settled: () => back,
    leave: async () => {
      isLeaving = true;
      await back;
      await viewer.leave();
    },
  };
  const enter = async (waitMs: number) => {
    await Bun.sleep(waitMs);
    for (;;) {
      const problem = await viewer.connect(url).then(
        () => undefined,
        (error: Error) => error.message,
      );
      if (problem === undefined) break;
      one.problems.push(problem);
      const [least, most] = failedMs;
      await Bun.sleep(least + Math.random() * (most - least));
    }
    one.sessions.push(viewer.session);
  };
  viewer.onClosed = (code) => {
    if (isLeaving) return;
    const lostAt = performance.now();
    if (code !== closeCodes.elsewhere) one.problems.push(`it was closed with ${code}`);
    back = enter(Math.random() * elsewhereMsMax).then(() => {
      one.awayMs.push(performance.now() - lostAt);
    });
  };
  await enter(0);
  one.firstInAt = performance.now();
  return one;
}
