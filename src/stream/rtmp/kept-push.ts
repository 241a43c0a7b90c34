// A push that comes back, as those of encoders do: cut, it is tried again until it is let in.
import { type Clip, pushClip } from './paced-push.ts';
import type { RtmpPublisher } from './rtmp-client.ts';

/** As OBS has it, unless it is told otherwise. */
const againAfterMs = 2_000;
/** In a row, each after so long again: for a minute. Whatever is in the way then is not soon gone. */
const triesMax = 30;

export interface KeptPushOptions {
  /** Ends it in good order. */
  signal: AbortSignal;
  /** Told why it is gone. */
  onCut?(reason: string): void;
  /** Told each time that it is let in again. */
  onBack?(): void;
}

/** Over and over, from one that is let in already; resolves when the signal came, throws where it is let in no more. */
export async function keepPushing(
  first: RtmpPublisher,
  clip: Clip,
  { connect, ...options }: KeptPushOptions & { connect(): Promise<RtmpPublisher> },
): Promise<void> {
  const { signal, onCut, onBack } = options;
  let publisher = first;
  for (;;) {
    try {
      return await pushClip(publisher, clip, { loop: true, signal });
    } catch (error) {
      onCut?.((error as Error).message);
      const next = await letInAgain(connect, signal);
      if (!next) return;
      publisher = next;
      onBack?.();
    }
  }
}

/** Undefined where the signal came first. */
async function letInAgain(
  connect: () => Promise<RtmpPublisher>,
  signal: AbortSignal,
): Promise<RtmpPublisher | undefined> {
  for (let tries = 1; ; tries++) {
    await pause(againAfterMs, signal);
    if (signal.aborted) return undefined;
    try {
      return await connect();
    } catch (error) {
      if (tries >= triesMax) throw error;
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  signal.addEventListener('abort', () => over.resolve(), { once: true });
  await over.promise;
  clearTimeout(timer);
}
