// What the system does for us against floods, asked once of a socket that listens: what it does not is said at the start.
import { type Libc, socketsByPeer } from '../lib/libc.ts';
import type { Log } from '../lib/log.ts';
import { openingFilter } from './shut-out.ts';

export interface MeansOptions {
  /** Undefined where the system's calls are not known. */
  libc: Libc | undefined;
  /** Its descriptor. */
  listening: number | undefined;
  /** What is off without them: all, to know what has come and what is unsent (TCP_INFO), to keep a network out (a filter). */
  lacking: { calls: string; traffic?: string; filter: string };
  log: Log;
}

/** The calls that are of use. */
export function askMeans({ libc, listening = -1, lacking, log }: MeansOptions): Libc | undefined {
  if (!libc) {
    log.warn(`${lacking.calls}: this needs Linux`);
    return undefined;
  }
  if (lacking.traffic !== undefined && !libc.trafficOf(listening))
    log.warn(
      `${lacking.traffic}: the system does not tell what has come and what is unsent (TCP_INFO of Linux 4.6)`,
    );
  if (!libc.filter(listening, openingFilter([])))
    log.warn(
      `${lacking.filter}: the system takes no filter for a socket (SO_ATTACH_FILTER; newer Linux asks for CAP_NET_ADMIN)`,
    );
  libc.filter(listening, undefined);
  return libc.socketOf(listening) === undefined ? socketsByPeer(libc) : libc;
}
