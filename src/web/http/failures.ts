// Logs requests that could not be answered: not a line for each, as anybody may ask again and again.
import type { ApiError } from '../../base/api/errors.ts';
import type { Log } from '../../base/lib/log.ts';
import { SpacedLine } from '../../base/lib/spaced-line.ts';

export interface Failed {
  /** What was asked for, by its name in the table. */
  operation: string;
  requestId?: string;
}

export class Failures {
  private readonly options: { now: () => number; log: Log };

  /** One for the database and its like, which fail for all at once, and one for each operation with a fault of ours. */
  private readonly lines = new Map<string, SpacedLine>();

  constructor(options: { now: () => number; log: Log }) {
    this.options = options;
  }

  /** A caller's own mistakes are none, nor is what is counted as a refusal. */
  note(error: ApiError, { operation, requestId }: Failed): void {
    if (error.status < 500 || error.isCounted) return;
    const count = this.lineOf(error.kind === 'internal' ? operation : '').due(this.options.now());
    if (!count) return;
    const { message: reason, cause } = error;
    const fields = { operation, request_id: requestId, reason, cause, count };
    this.options.log.error('a request could not be answered', fields);
  }

  private lineOf(name: string): SpacedLine {
    const line = this.lines.get(name) ?? new SpacedLine();
    this.lines.set(name, line);
    return line;
  }
}
