// Notices that something is late, or has stood still for too long.

export interface Watch {
  stop(): void;
}

export function startDeadline(withinMs: number, onLate: () => void): Watch {
  const timer = setTimeout(onLate, withinMs);
  return { stop: () => clearTimeout(timer) };
}

/** Looks so often within the time; it is late by one look at most. */
const looks = 10;

/**
 * It counts looks instead of reading a clock, so neither a clock that jumps nor a process that was
 * stopped for a while makes everyone look dead at once.
 */
export function startWatchdog(options: {
  withinMs: number;
  /** A number that changes while things move; undefined where nothing needs to. */
  progress(): number | undefined;
  onStill(): void;
}): Watch {
  let last = options.progress();
  let stillLooks = 0;
  const timer = setInterval(() => {
    const progress = options.progress();
    stillLooks = progress === undefined || progress !== last ? 0 : stillLooks + 1;
    last = progress;
    if (stillLooks < looks) return;
    clearInterval(timer);
    options.onStill();
  }, options.withinMs / looks);
  return { stop: () => clearInterval(timer) };
}
