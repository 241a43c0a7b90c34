// What the system that runs the service is told, by systemd's protocol: that it is ready, alive, or stops (sd_notify(3)).
import type { Libc } from './base/lib/libc.ts';
import type { Log } from './base/lib/log.ts';
import type { ReadinessNow } from './readiness.ts';

export interface SupervisionOptions {
  /** Where it listens; empty where nobody does. */
  notifySocket: string;
  /** It ends a service of which it has heard nothing for so long; 0 for never. */
  watchdogMs: number;
  libc: Pick<Libc, 'tell'> | undefined;
  look(): Promise<ReadinessNow>;
  log: Log;
}

export interface Supervision {
  stopping(): void;
}

/** A beat that is held up, and one that is lost, leave time for a third. */
const beatsPerWatchdog = 3;

/** The service is ready: says so, and from then on by the clock how it is, until it stops. */
export function startSupervision(options: SupervisionOptions): Supervision {
  const { notifySocket, watchdogMs, libc, look, log } = options;
  if (notifySocket === '') return { stopping: () => {} };
  if (!libc) {
    log.warn('NOTIFY_SOCKET is set, and this system has no way to tell it');
    return { stopping: () => {} };
  }
  const tell = (...lines: string[]) => libc.tell(notifySocket, lines.join('\n'));
  if (!tell('READY=1', 'STATUS=on duty'))
    log.warn('NOTIFY_SOCKET does not take what it is told', { notifySocket });
  const beat = async () => {
    const now = await look();
    if (!now.draining) tell(...(isWorthABeat(now) ? ['WATCHDOG=1'] : []), `STATUS=${status(now)}`);
  };
  const timer =
    watchdogMs === 0 ? undefined : setInterval(beat, Math.ceil(watchdogMs / beatsPerWatchdog));
  return {
    stopping: () => {
      clearInterval(timer);
      tell('STOPPING=1', 'STATUS=stopping');
    },
  };
}

/**
 * Who is not heard of is ended and begun anew, so the beat is kept back only for what that would mend: an event loop
 * that stands still, which makes no beat, or a listener that takes nobody. A database that is away or a full disk it
 * would not mend, and it would end every show, which go on without them.
 */
function isWorthABeat({ checks }: ReadinessNow): boolean {
  return checks.rtmp === 'ok';
}

function status({ ready, checks }: ReadinessNow): string {
  if (ready) return 'on duty';
  const ailing = Object.entries(checks).filter(([, says]) => says !== 'ok');
  return `not ready: ${ailing.map(([part, says]) => `${part} ${says}`).join(', ')}`;
}
