// Makes an uploaded file a recording, in a process of its own: the folder is whole, or it is not there.
import { stat } from 'node:fs/promises';
import { type RecordingNote, removeFolder } from '../recording/recording-folder.ts';
import { askWorker, type NoAnswer } from '../recording/worker/worker-process.ts';
import { copyDeadlineMs } from './import-limits.ts';
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

export interface ImportOptions {
  /** The process is killed when it aborts. */
  signal: AbortSignal;
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

/** What an import's process answers. */
export type WorkerAnswer = { problem: ImportProblem | null };

async function run(
  order: ImportOrder,
  {
    signal,
    workerUrl = new URL('./worker/import-worker.ts', import.meta.url),
    ...given
  }: ImportOptions,
): Promise<ImportProblem | undefined> {
  const { size } = await stat(order.source);
  const deadlineMs = given.deadlineMs ?? copyDeadlineMs(size);
  const late = AbortSignal.timeout(deadlineMs);
  const told = await askWorker({
    workerUrl,
    order,
    memoryBytesMax: order.memoryBytesMax,
    signal: AbortSignal.any([signal, late]),
    read,
  });
  if ('answer' in told) return told.answer.problem ?? undefined;
  if (told.why === 'ended' && late.aborted && !signal.aborted)
    return { code: 'too_slow', minutes: Math.ceil(deadlineMs / 60_000) };
  return problemOf(told, order);
}

function problemOf({ why, problem }: NoAnswer, { memoryBytesMax }: ImportOrder): ImportProblem {
  if (why === 'ended') return { code: 'ended' };
  if (why === 'memory')
    return { code: 'memory', megabytes: Math.floor(memoryBytesMax / 1_048_576) };
  return { code: 'failed', detail: problem };
}

function read({ problem }: Record<string, unknown>): WorkerAnswer | undefined {
  if (problem === null) return { problem };
  const isProblem = typeof problem === 'object' && problem !== undefined && 'code' in problem;
  return isProblem ? { problem: problem as ImportProblem } : undefined;
}
