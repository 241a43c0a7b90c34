// Gives way: what is not live takes what the processors have left.
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
