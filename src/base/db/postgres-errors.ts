// What an error of PostgreSQL means: lost against another, a connection that is gone, or nothing for now.
import { ApiError, unavailable } from '../api/errors.ts';

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

export function isLostRace(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error));
}

/** The server went away or said it is going: class 08, 57P01 to 57P03, or the socket's own errors. */
export function isLostConnection(error: unknown): boolean {
  const code = codeOf(error);
  if (/^(08|57P0)/.test(code) || /^E[A-Z]+$/.test(code)) return true;
  return (
    error instanceof Error &&
    /Connection terminated|not queryable|Client was closed/.test(error.message)
  );
}

const notNow: Record<string, string> = {
  '53': 'The database has run out of room or connections',
  '55': 'The database is locked; try again',
  '57': 'The database did not answer in time; try again',
  '58': 'The database cannot reach its disk',
};

/** What the caller is told: not now, or that the error is ours. */
export function asCallerSees(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  if (isLostConnection(error))
    return unavailable('The connection to the database was lost; try again', error);
  if (isLostRace(error)) return unavailable('The database is busy; try again', error);
  const sentence = notNow[codeOf(error).slice(0, 2)];
  return sentence === undefined ? error : unavailable(sentence, error);
}
