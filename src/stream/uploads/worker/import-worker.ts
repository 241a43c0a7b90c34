// The program of the process that makes a recording of an uploaded file.
import { MediaError } from '../../formats/packet.ts';
import { answerOneOrder } from '../../recording/worker/worker-program.ts';
import type { WorkerAnswer, WorkerOrder } from '../import-file.ts';
import { ImportError, type ImportProblem } from '../import-problem.ts';
import { makeRecording, NeedsConversion } from './make-recording.ts';

await answerOneOrder(async (order: WorkerOrder): Promise<WorkerAnswer> => {
  try {
    await makeRecording(order);
    return { problem: null };
  } catch (error) {
    const isPlain = !(error instanceof NeedsConversion) || order.converts;
    return { problem: problemOf(error), ...(!isPlain && { convertMs: error.lengthMs }) };
  }
});

function problemOf(error: unknown): ImportProblem {
  if (error instanceof ImportError) return error.problem;
  if (error instanceof MediaError) return { code: 'damaged', detail: error.message };
  const { code, message } = error as NodeJS.ErrnoException;
  // The system's own words are about the disk; all others are about what mediabunny met in the file.
  if (/^E[A-Z]+$/.test(code ?? '')) return { code: 'disk', detail: message };
  return { code: 'damaged', detail: 'what it holds does not fit together' };
}
