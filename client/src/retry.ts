// Which calls are made again, how often, and after how long.
import type { FootlightError } from './footlight-error.ts';
import { createsWithKey, readsByPost } from './openapi.ts';

export interface RetryOptions {
  /** How often a call is made at most, the first time too; 1 for never again. */
  triesMax: number;
  /** What is longer is not waited for: the day's limit of watch records asks for hours, and is an error at once. */
  waitMaxMs: number;
  /** The wait before the second try where the service does not say how long; it doubles from then on. */
  firstWaitMs: number;
}

export const usualRetry: RetryOptions = { triesMax: 4, waitMaxMs: 30_000, firstWaitMs: 500 };

export interface Tried {
  method: string;
  path: string;
  /** How often it was, so far. */
  tries: number;
}

/** How long to wait before the call is made again; undefined where it is not. */
export function waitBeforeNext(
  { status, retryAfter }: FootlightError,
  { method, path, tries }: Tried,
  { triesMax, waitMaxMs, firstWaitMs }: RetryOptions,
): number | undefined {
  if (tries >= triesMax || !mayTryAgain({ status, retryAfter, method, path })) return undefined;
  const askedMs = (retryAfter ?? 0) * 1_000;
  const ownMs = firstWaitMs * 2 ** (tries - 1);
  // All who were refused at once would come back at once.
  const waitMs = Math.max(askedMs, ownMs) + Math.random() * ownMs;
  return askedMs > waitMaxMs ? undefined : Math.min(waitMs, waitMaxMs);
}

/**
 * 429 means that nothing was done, whatever was asked for. 503 and no answer at all leave open whether a write was:
 * the database may have kept it and the word of it may be lost. So these are made again only where that changes
 * nothing. A 503 without `Retry-After` says that waiting does not help.
 */
function mayTryAgain(tried: {
  status: number;
  retryAfter: number | undefined;
  method: string;
  path: string;
}): boolean {
  const { status, retryAfter, method, path } = tried;
  if (status === 429) return retryAfter !== undefined;
  if (status === 503) return retryAfter !== undefined && isRepeatable(method, path);
  return status === 0 && isRepeatable(method, path);
}

/** A POST is, where it creates under a key, which the client always sends, or only reads. */
function isRepeatable(method: string, path: string): boolean {
  return method !== 'POST' || createsWithKey.includes(path) || readsByPost.includes(path);
}

/** Ends early where the caller gives up. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const giveUp = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    }, ms);
    signal?.addEventListener('abort', giveUp, { once: true });
  });
}
