// What can go wrong with objects, told apart: to wait, to make room, to mend a setting, or nothing is there.

/** Away: network, deadline, 5xx, asked too fast. Full: its quota. Refused: a setting is wrong. Missing: no such object. */
export type BucketReason = 'away' | 'full' | 'refused' | 'missing';

/** It has no cause: what `fetch` throws may hold a signed address. */
export class BucketError extends Error {
  readonly reason: BucketReason;
  /** As the store calls it, such as `NoSuchBucket`; the system's word where nothing answered. */
  readonly code: string;

  constructor(reason: BucketReason, code: string, doing: string) {
    super(`S3 ${wordsOf[reason]} (${code}) for ${doing}`);
    this.reason = reason;
    this.code = code;
  }
}

const wordsOf: Record<BucketReason, string> = {
  away: 'is away',
  full: 'is full',
  refused: 'refused',
  missing: 'has no such object',
};

/** By the status of an answer that is none of success. Ceph says with 403 that a quota is used up. */
export function problemOfAnswer(status: number, code: string, doing: string): BucketError {
  const word = code || String(status);
  const reason = reasonOf(status, code);
  return new BucketError(reason, word, doing);
}

const fullCodes = new Set(['QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull']);

function reasonOf(status: number, code: string): BucketReason {
  if (status === 507 || fullCodes.has(code)) return 'full';
  if (status >= 500 || status === 429 || status === 408 || code === 'RequestTimeout') return 'away';
  if (status === 404 && code !== 'NoSuchBucket') return 'missing';
  return 'refused';
}

/** Of what `fetch` or the runtime's own client throws. */
export function problemOfThrown(error: unknown, doing: string): BucketError {
  if (error instanceof BucketError) return error;
  const { code, name } = error as { code?: unknown; name?: unknown };
  const word = typeof code === 'string' ? code : String(name ?? 'Error');
  return new BucketError(refusingCodes.has(word) ? 'refused' : 'away', word, doing);
}

const refusingCodes = new Set([
  'AccessDenied',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'NoSuchBucket',
  'InvalidBucketName',
]);
