// Makes an uploaded file a recording, in a process of its own: the folder is whole, or it is not there.
import { stat } from 'node:fs/promises';
import { type RecordingNote, removeFolder } from '../recording/recording-folder.ts';
import { isTranscoderInstalled } from '../recording/worker/transcoder.ts';
import { askWorker, type NoAnswer } from '../recording/worker/worker-process.ts';
import { convertDeadlineMs, copyDeadlineMs } from './import-limits.ts';
import { type ImportProblem, isFinal, sentenceOf } from './import-problem.ts';

export interface ImportOrder {
  /** The uploaded file, with an absolute path. */
  source: string;
  /** The folder that becomes the recording; it does not exist yet. */
  making: string;
  note: RecordingNote;
  /** Wall time of its first moment, epoch milliseconds. */
  startsAt: number;
  /** What the process may hold; it is ended beyond it. */
  memoryBytesMax: number;
}

export type ImportAnswer =
  | { ok: true }
  /** `problem` for programs, `text` the same for people, in English; `isFinal`: no further try would help. */
  | { ok: false; problem: ImportProblem; text: string; isFinal: boolean };

/** Works when it is its turn to; undefined where it gave up before. */
export type InTurn = <T>(
  what: 'copy' | 'convert',
  work: () => Promise<T>,
) => Promise<T | undefined>;

export interface ImportOptions {
  /** The process is killed when it aborts. */
  signal: AbortSignal;
  /** Absent: at once. */
  inTurn?: InTurn;
  /** Another program than our own, for tests. */
  workerUrl?: URL;
  /** Other than follows from the file's size, for tests. */
  deadlineMs?: number;
}

/**
 * Never rejects for what the file holds. When it is ok, `making` is a recording's folder, on the disk, to be renamed
 * into place; else there is no such folder.
 */
export async function importFile(
  order: ImportOrder,
  options: ImportOptions,
): Promise<ImportAnswer> {
  const problem = await run(order, options);
  if (!problem) return { ok: true };
  await removeFolder(order.making);
  return { ok: false, problem, text: sentenceOf(problem), isFinal: isFinal(problem) };
}

/** What an import's process is told. */
export interface WorkerOrder extends ImportOrder {
  /** Whether what is no H.264 and AAC is made so by the transcoder. */
  converts: boolean;
}

/** What it answers; `convertMs`: a transcoder may help, with media of this length. */
export type WorkerAnswer = { problem: ImportProblem | null; convertMs?: number };

/** Most files are copied in seconds. What must be converted is found out by that, with how long it may take. */
async function run(order: ImportOrder, options: ImportOptions): Promise<ImportProblem | undefined> {
  const { size } = await stat(order.source);
  const copied = await ask(order, { ...options, converts: false, dueMs: copyDeadlineMs(size) });
  if (copied.convertMs === undefined || !isTranscoderInstalled())
    return copied.problem ?? undefined;
  await removeFolder(order.making);
  const dueMs = convertDeadlineMs(copied.convertMs);
  return (await ask(order, { ...options, converts: true, dueMs })).problem ?? undefined;
}

interface AskOptions extends ImportOptions {
  converts: boolean;
  dueMs: number;
}

async function ask(order: ImportOrder, options: AskOptions): Promise<WorkerAnswer> {
  const { inTurn = (_, work) => work(), converts } = options;
  const answer = await inTurn(converts ? 'convert' : 'copy', () => askNow(order, options));
  return answer ?? { problem: { code: 'ended' } };
}

async function askNow(
  order: ImportOrder,
  { signal, converts, dueMs, deadlineMs = dueMs, workerUrl }: AskOptions,
): Promise<WorkerAnswer> {
  const late = AbortSignal.timeout(deadlineMs);
  const told = await askWorker({
    workerUrl: workerUrl ?? new URL('./worker/import-worker.ts', import.meta.url),
    order: { ...order, converts } satisfies WorkerOrder,
    memoryBytesMax: order.memoryBytesMax,
    signal: AbortSignal.any([signal, late]),
    read,
  });
  if ('answer' in told) return told.answer;
  if (told.why === 'ended' && late.aborted && !signal.aborted)
    return { problem: { code: 'too_slow', minutes: Math.ceil(deadlineMs / 60_000) } };
  return { problem: problemOf(told, order) };
}

function problemOf({ why, problem }: NoAnswer, { memoryBytesMax }: ImportOrder): ImportProblem {
  if (why === 'ended') return { code: 'ended' };
  if (why === 'memory')
    return { code: 'memory', megabytes: Math.floor(memoryBytesMax / 1_048_576) };
  return { code: 'failed', detail: problem };
}

function read({ problem, convertMs }: Record<string, unknown>): WorkerAnswer | undefined {
  if (problem === null) return { problem };
  const isProblem = typeof problem === 'object' && problem !== undefined && 'code' in problem;
  if (!isProblem) return undefined;
  const mayConvert = Number.isFinite(convertMs);
  return { problem: problem as ImportProblem, ...(mayConvert && { convertMs: Number(convertMs) }) };
}
