// The longest time in a CPU profile in which the event loop did not turn, and what ran there.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What `bun --cpu-prof` writes, as far as it is read. */
interface Profile {
  nodes: readonly ProfileNode[];
  samples: readonly number[];
  /** Microseconds from one sample to the next. */
  timeDeltas: readonly number[];
}

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number };
  children?: readonly number[];
}

export interface Stretch {
  ms: number;
  /** The innermost function first, of what was seen most often in it. */
  stack: readonly string[];
}

/** Samples come every millisecond while a script runs; a longer gap is a turn of the loop. */
const gapUs = 2_500;
const stackLinesMax = 12;

export function longestStretch(folder: string): Stretch | undefined {
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  if (file === undefined) return undefined;
  return longestIn(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile);
}

export function longestIn({ nodes, samples, timeDeltas }: Profile): Stretch | undefined {
  let longest = { us: 0, from: 0, to: 0 };
  let from = 0;
  let us = 0;
  samples.forEach((_, at) => {
    const delta = timeDeltas[at] ?? 0;
    if (delta > gapUs) {
      from = at;
      us = 0;
    } else us += delta;
    if (us > longest.us) longest = { us, from, to: at };
  });
  if (longest.us === 0) return undefined;
  const seen = samples.slice(longest.from, longest.to + 1);
  return { ms: Math.round(longest.us / 100) / 10, stack: stackOf(nodes, mostOften(seen)) };
}

function mostOften(ids: readonly number[]): number {
  const counts = Map.groupBy(ids, (id) => id);
  const [most] = [...counts].toSorted(([, a], [, b]) => b.length - a.length);
  return most?.[0] ?? 0;
}

function stackOf(nodes: readonly ProfileNode[], id: number): string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const stack: string[] = [];
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
    const frame = byId.get(at)?.callFrame;
    if (!frame || frame.functionName === '(root)') break;
    const file = frame.url.split('/').slice(-2).join('/');
    stack.push(`${frame.functionName || '(anonymous)'} ${file}:${frame.lineNumber + 1}`);
  }
  return stack.slice(0, stackLinesMax);
}
