// Asks a listening socket once what the system does for us against floods; the log says at the start what it does not.
import { type Libc, socketsByPeer } from '../lib/libc.ts';
import type { Log } from '../lib/log.ts';
import type { Door } from './door.ts';

export interface MeansOptions {
  /** Undefined where the system's calls are not known. */
  libc: Libc | undefined;
  /** Its descriptor. */
  listening: number | undefined;
  /** Undefined where none could be opened. */
  door: Door | undefined;
  /** What is off without them: all, to know what has come and what is unsent (TCP_INFO), to keep a network out. */
  lacking: { calls: string; traffic?: string; door: string };
  log: Log;
}

/** The calls that are of use. */
export function askMeans(options: MeansOptions): Libc | undefined {
  const { libc, listening = -1, door, lacking, log } = options;
  if (!libc) {
    log.warn(`${lacking.calls}: this needs Linux`);
    return undefined;
  }
  if (lacking.traffic !== undefined && !libc.trafficOf(listening))
    log.warn(
      `${lacking.traffic}: the system does not tell what has come and what is unsent (TCP_INFO of Linux 4.6)`,
    );
  if (!door)
    log.warn(
      `${lacking.door}: no program may choose where a connection goes (SO_ATTACH_REUSEPORT_CBPF of Linux 4.6, on a second socket of the port)`,
    );
  return libc.socketOf(listening) === undefined ? socketsByPeer(libc) : libc;
}
