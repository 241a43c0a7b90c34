// Watches a peer for what it does: notices that something is late, or has stood still for too long.
import type { MessageWriter } from './message-writer.ts';
import type { RtmpLimits } from './rtmp-limits.ts';
import type { RtmpReason } from './rtmp-refusals.ts';
import type { Activity } from './rtmp-session.ts';

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
function startWatchdog(options: {
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

interface WatchedPeer {
  limits: Pick<RtmpLimits, 'silenceMaxMs' | 'stallMaxMs' | 'startWithinMs'>;
  writer: Pick<MessageWriter, 'waitingBytes' | 'takenBytes'>;
  /** Of messages; undefined while it cannot send any. */
  mediaCount(): number | undefined;
  close(reason: string, refusal: RtmpReason): void;
}

/** A publisher sends media, a player takes what it is sent, and who does neither begins with one of them in time. */
export function watchPeer(activity: Activity, peer: WatchedPeer): Watch {
  const { limits, writer } = peer;
  switch (activity) {
    case 'publishing':
      return startWatchdog({
        withinMs: limits.silenceMaxMs,
        progress: () => peer.mediaCount(),
        onStill: () => peer.close('it sent no media for too long', 'silent'),
      });
    case 'playing':
      return startWatchdog({
        withinMs: limits.stallMaxMs,
        progress: () => (writer.waitingBytes === 0 ? undefined : writer.takenBytes),
        onStill: () => peer.close('it took nothing for too long', 'unread'),
      });
    case 'none':
      return startDeadline(limits.startWithinMs, () =>
        peer.close('it neither published nor played in time', 'idle'),
      );
  }
}
