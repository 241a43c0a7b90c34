// Gives way: what is not live takes what the processors and the memory have left.
import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Everything live goes before it. */
const usualNiceness = 10;
/** Smaller sizes of what is live: behind the source, before what nobody waits for. */
export const ladderNiceness = 2;

/** On Linux the thread that calls, elsewhere its process. One that gives way more already, or may not, stays as it is. */
export function giveWay(niceness = usualNiceness): void {
  try {
    if (getPriority() < niceness) setPriority(niceness);
  } catch {
    // It is not allowed here: no reason not to work.
  }
}

/** Where the machine's memory runs out, this process is ended, not the show. Only Linux asks who goes first. */
export function goFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Not Linux, or not allowed.
  }
}
