// The service's side of a worker process of any kind: starts it, hands it one order, hears one answer, ends it.
import { ownProgram } from '../../../base/lib/own-program.ts';
import { watchMemory } from './memory-watch.ts';
import { writeToWorker } from './worker-input.ts';

export interface WorkerRun<Answer> {
  workerUrl: URL;
  /** Sent as JSON. */
  order: object;
  /** What it may hold; it is ended beyond it. */
  memoryBytesMax: number;
  /** The worker is killed when it aborts. */
  signal: AbortSignal;
  /** Undefined where it is no answer of ours. */
  read(value: Record<string, unknown>): Answer | undefined;
}

/** It was not wanted any more, it took too much memory, or it failed by itself. */
export type NoAnswer = { why: 'ended' | 'memory' | 'failed'; problem: string };

/** An answer is one short line. */
const answerBytesMax = 65_536;
/** Of what a worker writes beside: enough for the last words of a crash. */
const wordsBytesMax = 4_096;

/** Never rejects for what the worker does: a crash, a hang and nonsense are told too. */
export async function askWorker<Answer>(
  run: WorkerRun<Answer>,
): Promise<{ answer: Answer } | NoAnswer> {
  const { signal, memoryBytesMax } = run;
  if (signal.aborted) return { why: 'ended', problem: 'it was ended before it began' };
  const worker = Bun.spawn(ownProgram(run.workerUrl), {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    // It reads what strangers have sent; what the environment holds is not for it.
    env: {},
  });
  let ended: NoAnswer | undefined;
  const end = (why: NoAnswer['why'], problem: string) => {
    ended ??= { why, problem };
    worker.kill('SIGKILL');
  };
  const aborted = () => end('ended', 'it was ended');
  const memory = watchMemory(worker.pid, memoryBytesMax, () =>
    end('memory', `it took more than ${Math.floor(memoryBytesMax / 1_048_576)} MB: JOB_MEMORY`),
  );
  signal.addEventListener('abort', aborted);
  if (signal.aborted) aborted();
  try {
    const [text, words] = await Promise.all([
      firstBytes(worker.stdout, answerBytesMax, () => end('failed', 'it answered too much')),
      lastBytes(worker.stderr, wordsBytesMax),
      // Stdin stays open: its end tells the worker that the service is gone.
      writeToWorker(worker.stdin, [`${JSON.stringify(run.order)}\n`]),
      worker.exited,
    ]);
    if (ended) return ended;
    const answer = run.read(valueIn(text));
    return answer ? { answer } : { why: 'failed', problem: howItEnded(worker, words) };
  } finally {
    clearInterval(memory);
    signal.removeEventListener('abort', aborted);
  }
}

async function firstBytes(
  stream: ReadableStream<Uint8Array>,
  bytesMax: number,
  tooMuch: () => void,
): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    size += piece.length;
    if (size > bytesMax) tooMuch();
    else pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

async function lastBytes(stream: ReadableStream<Uint8Array>, bytesMax: number): Promise<string> {
  let last = Buffer.alloc(0);
  for await (const piece of stream) last = Buffer.concat([last, piece]).subarray(-bytesMax);
  return last.toString();
}

/** Nothing where it is no object. */
function valueIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function howItEnded(worker: Bun.Subprocess, words: string): string {
  const how = worker.signalCode ?? `code ${worker.exitCode}`;
  const last = words.trim().split('\n').at(-1) ?? '';
  return `the worker ended without an answer (${how})${last && `: ${last}`}`;
}
