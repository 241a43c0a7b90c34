// How a command ends, for scripts: one exit code by type of problem, and the errors that lead to them.
import { ApiError } from '../../base/api/errors.ts';
import { AbsentDatabase, OlderDatabase } from '../../base/db/database-state.ts';
import { NewerDatabase } from '../../base/db/migrate.ts';
import { RefusedStart } from '../../base/nodes/refused-start.ts';

/** By the name that an error has as JSON. */
export const exitCodes = {
  done: { code: 0, meaning: 'It is done.' },
  failed: { code: 1, meaning: 'It failed, or was done in part: the message says why.' },
  usage: { code: 2, meaning: 'It was typed wrongly; nothing was done.' },
  not_found: { code: 3, meaning: 'What it names is not there.' },
  refused: { code: 4, meaning: 'It is there, but this may not be done to it, or not now.' },
  database: {
    code: 5,
    meaning: 'The database is not there, of another version, or does not answer.',
  },
} as const;

export type ExitName = keyof typeof exitCodes;

/** The command was typed wrongly: its usage is shown. */
export class UsageError extends Error {}

/** What a person can mend or must know, with the exit code that says so to scripts. */
export class CommandError extends Error {
  readonly exit: ExitName;

  constructor(exit: ExitName, message: string, cause?: unknown) {
    super(message, { cause });
    this.exit = exit;
  }
}

export function notFound(message: string): CommandError {
  return new CommandError('not_found', message);
}

export function refused(message: string): CommandError {
  return new CommandError('refused', message);
}

/** Whoever read what is printed has gone, as `head` does. */
export function isClosedPipe(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EPIPE';
}

export function exitOf(error: unknown): ExitName {
  if (error instanceof UsageError) return 'usage';
  if (error instanceof CommandError) return error.exit;
  if (error instanceof ApiError) return exitOfApi(error);
  if (
    error instanceof AbsentDatabase ||
    error instanceof OlderDatabase ||
    error instanceof NewerDatabase ||
    isUnreachable(error)
  )
    return 'database';
  return 'failed';
}

function exitOfApi({ status }: ApiError): ExitName {
  if (status === 400) return 'usage';
  if (status === 404) return 'not_found';
  if (status === 503) return 'database';
  return status < 500 ? 'refused' : 'failed';
}

/** Of a start without PostgreSQL: the connection's own words. */
function isUnreachable(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'ETIMEDOUT';
}

/** What a person is told: a sentence for what they can mend, the whole error for what is ours. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) {
    const cause =
      error.cause === undefined ? '' : ` (${(error.cause as Error).message ?? error.cause})`;
    return [error.message + cause, ...error.fields.map(({ message }) => message)].join('; ');
  }
  if (exitOf(error) !== 'failed') return (error as Error).message;
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return `no permission: ${message}`;
  const isPlain =
    error instanceof CommandError ||
    error instanceof RefusedStart ||
    (error as Error).constructor === Error;
  return error instanceof Error && (syscall !== undefined || isPlain)
    ? message
    : String((error as Error).stack ?? error);
}
