// What the log says of a connection: a line at its end, and what went wrong on our side.
import type { Log } from '../../base/lib/log.ts';
import { Rejection } from './rtmp-command.ts';
import type { Activity } from './rtmp-session.ts';

export class ConnectionLog {
  private readonly log: Log;
  private readonly address: string;

  constructor({ log, address }: { log: Log; address: string }) {
    this.log = log;
    this.address = address;
  }

  failed(error: unknown): void {
    this.log.error('an RTMP connection failed', { address: this.address, error });
  }

  /** One line a connection. Neither the key nor the peer's own words stand in it. */
  closed(reason: string | Rejection, purpose: Activity): void {
    const { log, address } = this;
    const text = reason instanceof Rejection ? reason.message : reason;
    const cause = reason instanceof Rejection ? reason.cause : undefined;
    const fields = { address, purpose, reason: text };
    if (cause !== undefined) log.error('an RTMP connection closed', { ...fields, error: cause });
    // A stranger who comes and goes must not fill the log.
    else if (purpose === 'none') log.debug('an RTMP connection closed', fields);
    else log.info('an RTMP connection closed', fields);
  }
}
