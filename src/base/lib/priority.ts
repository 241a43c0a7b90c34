// Gives way: what is not live takes what the processors and the memory have left.
import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Everything live goes before it. */
const niceness = 10;

/** On Linux the thread that calls, elsewhere its process. One that gives way more already, or may not, stays as it is. */
export function giveWay(): void {
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
