// The command line as people type it, in this process: many lines without a start of a process each.
import { runLine } from '../../src/cli/line/command-line.ts';
import type { Ran } from './command-line.ts';

interface Printed {
  out: string;
  err: string;
}

/**
 * `terminal`: somebody reads along, and sees tables and progress. `heard`: all that was printed so far; where it throws,
 * writing fails.
 */
export async function typed(
  settings: Record<string, string>,
  words: readonly string[],
  { terminal = false, heard }: { terminal?: boolean; heard?: (text: Printed) => unknown } = {},
): Promise<Ran> {
  const text: Printed = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({
    isTerminal: terminal,
    columns: 100,
    write: async (piece: string | Uint8Array) => {
      text[name] += typeof piece === 'string' ? piece : Buffer.from(piece).toString('latin1');
      await heard?.(text);
    },
  });
  const environment = { RTMP_PORT: '0', PORT: '0', ...settings };
  const code = await runLine(words, { environment, out: stream('out'), err: stream('err') });
  return { code, ...text, lines: () => linesOf(text.out) };
}

/** The same with its words one by one, as `run` of `command-line.ts` has them. */
export function runTyped(settings: Record<string, string>, ...words: string[]): Promise<Ran> {
  return typed(settings, words);
}

function linesOf(text: string) {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
