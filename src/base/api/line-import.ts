// What importing lines of history has in common: check each line, name the bad ones, go on.
import type { Line } from '../lib/ndjson.ts';
import { ApiError } from './errors.ts';

export interface ImportReport {
  /** Lines that were not empty. */
  lines: number;
  added: number;
  /** Lines whose id was imported before, or stands in the file twice. */
  known: number;
  bad: number;
}

export interface ImportOptions {
  batches: AsyncIterable<Line[]>;
  /** Told of each bad line. */
  onBad(line: number, problem: string): void;
  /** Told now and then how far it is. */
  onProgress(report: ImportReport, doing: string): void;
}

/** Reads every line; `check` throws an error that names what is wrong, good lines go to `keep` in order. */
export async function readLines<T>(
  { batches, onBad, onProgress }: ImportOptions,
  report: ImportReport,
  steps: {
    check(value: Record<string, unknown>): T;
    keep(good: { line: number; value: T }[]): Promise<void>;
  },
): Promise<void> {
  for await (const batch of batches) {
    const good: { line: number; value: T }[] = [];
    for (const { number, value, problem } of batch) {
      report.lines += 1;
      try {
        if (value === undefined)
          throw new ApiError('invalid', { message: problem ?? 'unreadable' });
        good.push({ line: number, value: steps.check(value) });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        report.bad += 1;
        const fields = error.fields.map(({ message }) => message);
        onBad(number, fields.length > 0 ? fields.join('; ') : error.message);
      }
    }
    await steps.keep(good);
    onProgress(report, 'read');
  }
}
