// How long the thread works before the event loop turns: what everybody else waits for.
import { dlopen, FFIType, ptr } from 'bun:ffi';
import { nextTurn } from '../../src/base/turns/turn-slice.ts';

/** The dearest thing that some loop over a peer's input lets in. */
export interface Largest {
  /** Who reads it, and what it is. */
  name: string;
  /** Makes it anew; what is given back is measured, with all that it sets off until it resolves. */
  prepare(): Work | Promise<Work>;
}

export type Work = () => unknown;

/** Nobody may keep all others waiting for longer. */
export const stretchMsMax = 20;
/** A collection of garbage, or code that is compiled, may fall into some tries: more where the machine is busy. */
const triesMs = 60_000;

/** The quickest of some tries; none follows one that is quick enough, nor begins when the time is over. */
export async function shortestStretch({ prepare }: Largest, withinMs = triesMs): Promise<number> {
  const startedAt = performance.now();
  let shortest = await longestTurn(await prepare());
  while (shortest > stretchMsMax && performance.now() - startedAt < withinMs) {
    const work = await prepare();
    // What earlier tries have left is collected now, not in a turn of this one.
    Bun.gc(true);
    shortest = Math.min(shortest, await longestTurn(work));
  }
  return shortest;
}

/** Of the turns that the work takes, the longest: by the time that the thread ran, so a busy machine counts for nothing. */
export async function longestTurn(work: Work): Promise<number> {
  await nextTurn();
  let longest = 0;
  let turnedAt = threadMs();
  let isOver = false;
  const look = () => {
    const at = threadMs();
    longest = Math.max(longest, at - turnedAt);
    turnedAt = at;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  await nextTurn();
  isOver = true;
  await nextTurn();
  return longest;
}

/** Of `clock_gettime`. What `process.threadCpuUsage` tells is told in steps of 4 ms. */
const threadClock = 3;
const libc = dlopen('libc.so.6', {
  clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
});

export function threadMs(): number {
  const time = new BigInt64Array(2);
  libc.symbols.clock_gettime(threadClock, ptr(time));
  const [seconds = 0n, nanoseconds = 0n] = time;
  return Number(seconds) * 1_000 + Number(nanoseconds) / 1e6;
}
