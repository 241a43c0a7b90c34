// Orders a file of a recording from a worker process, and clears up after it.
import { type Answer, filesOf, type Order } from './order.ts';
import { removeTemporary } from './output-file.ts';
import { askWorker } from './worker-process.ts';

export interface RunOptions {
  /** The worker is killed when it aborts. */
  signal: AbortSignal;
  /** Another program than our own, for tests. */
  workerUrl?: URL;
}

/** Never rejects for what the worker does: a crash, a hang and nonsense are answers too. */
export async function runOrder(
  order: Order,
  { signal, workerUrl = new URL('./job-worker.ts', import.meta.url) }: RunOptions,
): Promise<Answer> {
  const files = filesOf(order.kind);
  await removeTemporary(order.folder, files);
  try {
    const { memoryBytesMax } = order;
    const told = await askWorker({ workerUrl, order, memoryBytesMax, signal, read });
    if ('answer' in told) return told.answer;
    const { why, problem } = told;
    // A job that took so much once will take it again.
    return { ok: false, problem, ...(why === 'memory' && { final: 'memory' }) };
  } finally {
    await removeTemporary(order.folder, files);
  }
}

function read(value: Record<string, unknown>): Answer | undefined {
  const answer = value as Partial<Answer>;
  if (answer.ok === true && Number.isSafeInteger(answer.size)) return answer as Answer;
  if (answer.ok === false && typeof answer.problem === 'string') return answer as Answer;
  return undefined;
}
