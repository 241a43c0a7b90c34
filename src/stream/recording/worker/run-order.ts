// The service's side of a worker process: starts it, feeds it, ends it, and clears up after it.
import { fileURLToPath } from 'node:url';
import { watchMemory } from './memory-watch.ts';
import { type Answer, filesOf, type Order } from './order.ts';
import { removeTemporary } from './output-file.ts';

export interface RunOptions {
  /** The worker is killed when it aborts. */
  signal: AbortSignal;
  /** Another program than our own, for tests. */
  workerUrl?: URL;
}

/** An answer is one short line. */
const answerBytesMax = 65_536;
/** Of what a worker writes beside: enough for the last words of a crash. */
const wordsBytesMax = 4_096;

/** Never rejects for what the worker does: a crash, a hang and nonsense are answers too. */
export async function runOrder(
  order: Order,
  { signal, workerUrl = new URL('./job-worker.ts', import.meta.url) }: RunOptions,
): Promise<Answer> {
  if (signal.aborted) return failed('it was ended before it began');
  const files = filesOf(order.kind);
  await removeTemporary(order.folder, files);
  // Bun would fetch a transcoder that is missing from the network, unasked.
  const worker = Bun.spawn([process.execPath, '--no-install', fileURLToPath(workerUrl)], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    // It reads what strangers have sent; what the environment holds is not for it.
    env: {},
  });
  let ended: Answer | undefined;
  const end = (answer: Answer) => {
    ended ??= answer;
    worker.kill('SIGKILL');
  };
  const aborted = () => end(failed('it was ended'));
  const { memoryBytesMax } = order;
  const memory = watchMemory(worker.pid, memoryBytesMax, () => end(tooMuch(memoryBytesMax)));
  signal.addEventListener('abort', aborted);
  if (signal.aborted) aborted();
  try {
    const [text, words] = await Promise.all([
      firstBytes(worker.stdout, answerBytesMax, () => end(failed('it answered too much'))),
      lastBytes(worker.stderr, wordsBytesMax),
      feed(worker.stdin, `${JSON.stringify(order)}\n`),
      worker.exited,
    ]);
    return ended ?? answerIn(text) ?? failed(howItEnded(worker, words));
  } finally {
    clearInterval(memory);
    signal.removeEventListener('abort', aborted);
    await removeTemporary(order.folder, files);
  }
}

/** Stdin stays open: its end tells the worker that the service is gone. One that does not listen says so by its own end. */
async function feed(stdin: Bun.FileSink, line: string): Promise<void> {
  try {
    stdin.write(line);
    await stdin.flush();
  } catch {
    // A broken pipe: the worker is dead already.
  }
}

function failed(problem: string): Answer {
  return { ok: false, problem };
}

/** A job that took so much once will take it again. */
function tooMuch(bytesMax: number): Answer {
  const megabytes = Math.floor(bytesMax / 1_048_576);
  return { ok: false, problem: `it took more than ${megabytes} MB: JOB_MEMORY`, final: 'memory' };
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

/** Undefined where it is no answer of ours. */
function answerIn(text: string): Answer | undefined {
  try {
    const answer = JSON.parse(text) as Partial<Answer>;
    if (answer.ok === true && Number.isSafeInteger(answer.size)) return answer as Answer;
    if (answer.ok === false && typeof answer.problem === 'string') return answer as Answer;
  } catch {
    // Told by the caller.
  }
  return undefined;
}

function howItEnded(worker: Bun.Subprocess, words: string): string {
  const how = worker.signalCode ?? `code ${worker.exitCode}`;
  const last = words.trim().split('\n').at(-1) ?? '';
  return `the worker ended without an answer (${how})${last && `: ${last}`}`;
}
