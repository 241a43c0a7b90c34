// A body of any length, made and sent a piece at a time.

/** Makes the next piece; undefined at the end. It is asked for when the last one has been taken, or never again. */
export interface Pieces {
  (): Promise<string | undefined>;
  /** Of pieces that wait for what happens: nobody wants another, and the one that is waited for is the end. */
  end?(): void;
}

/** Rows of a piece of an export: about 30 KB, and a millisecond of the thread that serves everyone. */
export const rowsPerPiece = 100;

/** The same pieces while the check does not throw; it is made before a piece, and once in so long at most. */
export function checkedPieces(
  nextPiece: Pieces,
  { check, ...spacing }: { check(): Promise<void> } & CheckSpacing,
): Pieces {
  const checkIfDue = spacedCheck(check, spacing);
  return async () => {
    await checkIfDue();
    return await nextPiece();
  };
}

export interface CheckSpacing {
  everyMs: number;
  now: () => number;
}

/** The same check once in so long at most, the first time so long from now. */
export function spacedCheck(
  check: () => Promise<void>,
  { everyMs, now }: CheckSpacing,
): () => Promise<void> {
  let checkedAt = now();
  return async () => {
    if (now() - checkedAt < everyMs) return;
    await check();
    checkedAt = now();
  };
}

/**
 * Pieces as the HTTP server sends them: it asks for one when the caller has room for it, so a slow caller holds
 * one piece and no more. A piece that cannot be made breaks the answer off, which the caller sees as an error.
 */
export function streamOf(
  nextPiece: Pieces,
  told: {
    /** Aborted where the rest is not to be sent: the answer breaks off. */
    signal: AbortSignal;
    /** Why an answer broke off. */
    onError(error: unknown): void;
    /** All is taken, or broken off, or the caller has gone. */
    onEnd(): void;
  },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isGone = false;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const breakOff = () => {
          if (isGone) return;
          isGone = true;
          controller.error();
          told.onEnd();
        };
        // One that was aborted before tells nobody any more.
        if (told.signal.aborted) breakOff();
        else told.signal.addEventListener('abort', breakOff);
      },
      pull: async (controller) => {
        try {
          const piece = await nextPiece();
          if (isGone) return;
          if (piece !== undefined) return controller.enqueue(encoder.encode(piece));
          controller.close();
        } catch (error) {
          if (isGone) return;
          told.onError(error);
          // Without a reason: Bun would print it beside the log.
          controller.error();
        }
        isGone = true;
        told.onEnd();
      },
      // The piece that is being made meanwhile is for nobody.
      cancel: () => {
        isGone = true;
        told.onEnd();
      },
    },
    { highWaterMark: 0 },
  );
}
