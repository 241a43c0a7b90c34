// Keeps the two sides of a measurement apart: the generator on one core, what it measures on another.
import { availableParallelism } from 'node:os';

/**
 * Left to itself, Linux often wakes a server on the core of the client that called it, so the two share
 * one core while another is idle. A server's core also carries its workers and its database: throughput
 * is then what one core gives, whatever the answer needs.
 */
const coreOf = { generator: 0, server: 1 } as const;

/** The command bound to its core; as it is where there are no two cores or no `taskset`. */
export function onCoreOf(side: keyof typeof coreOf, command: string[]): string[] {
  if (!isPinned()) return command;
  return ['taskset', '-c', String(coreOf[side]), ...command];
}

export function isPinned(): boolean {
  return availableParallelism() >= 2 && Bun.which('taskset') !== null;
}
