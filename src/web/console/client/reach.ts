// Whether the service can be reached; while it cannot, it is asked again and again, and the views are told when it is back.
import { type Signal, signal } from '@preact/signals';

export interface Network {
  isAway: Signal<boolean>;
  /** Rises when the service is back: what failed meanwhile is asked for anew. */
  rounds: Signal<number>;
  heard(isReached: boolean): void;
  /** Now, not in a while. */
  tryNow(): void;
}

/** First after a second, then more rarely, and never later than this. */
const retryMsMin = 1_000;
const retryMsMax = 15_000;

export function startNetwork(reach: () => Promise<boolean>): Network {
  const isAway = signal(false);
  const rounds = signal(0);
  let waitMs = retryMsMin;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const again = async () => {
    clearTimeout(timer);
    timer = undefined;
    if (await reach()) {
      isAway.value = false;
      waitMs = retryMsMin;
      rounds.value += 1;
      return;
    }
    timer ??= setTimeout(again, waitMs);
    waitMs = Math.min(waitMs * 2, retryMsMax);
  };
  const network: Network = {
    isAway,
    rounds,
    heard: (isReached) => {
      if (isReached || isAway.value) return;
      isAway.value = true;
      timer ??= setTimeout(again, waitMs);
    },
    tryNow: () => {
      waitMs = retryMsMin;
      if (isAway.value) again();
    },
  };
  globalThis.addEventListener?.('online', network.tryNow);
  return network;
}
