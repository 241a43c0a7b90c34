// A connection of a trusted proxy until its header has come, which says whose connection it is.
import type { Lent } from '../../base/bytes/memory.ts';
import type { Log } from '../../base/lib/log.ts';
import { ProxyHeader, ProxyHeaderError } from '../../base/peers/proxy-header.ts';
import { ConnectionLog } from './connection-log.ts';
import type { RtmpReason } from './rtmp-refusals.ts';
import type { Shared } from './shared.ts';
import type { Stranger } from './strangers.ts';
import { startDeadline, type Watch } from './watchdog.ts';

export interface ProxiedSocketOptions extends Pick<Shared, 'strangers' | 'refusals' | 'limits'> {
  socket: { terminate(): void };
  /** The proxy's own. */
  address: string;
  network: string;
  /** Told once whose it is, and what has come behind the header. */
  onPeer(address: string, rest: Lent): void;
  log: Log;
}

/** It is a stranger of the proxy's network: many that say nothing make room for each other. */
export class ProxiedSocket implements Stranger {
  private readonly options: ProxiedSocketOptions;
  private readonly log: ConnectionLog;

  private readonly header = new ProxyHeader();
  private readonly watch: Watch;
  private isOver = false;

  constructor(options: ProxiedSocketOptions) {
    this.options = options;
    this.log = new ConnectionLog(options);
    this.watch = startDeadline(options.limits.handshakeWithinMs, () =>
      this.refuse('no PROXY header in time'),
    );
    options.strangers.enter(this);
  }

  get network(): string {
    return this.options.network;
  }

  receive(bytes: Lent): void {
    if (this.isOver) return;
    try {
      const header = this.header.push(bytes);
      if (!header) return;
      this.closed();
      this.options.onPeer(header.peer ?? this.options.address, header.rest);
    } catch (error) {
      if (!(error instanceof ProxyHeaderError)) throw error;
      this.refuse(error.message);
    }
  }

  /** Nothing is sent to it. */
  drain(): void {}

  makeRoom(): void {
    this.refuse('it made room for a newer one', 'crowded');
  }

  close(reason: string): void {
    this.log.closed(reason, 'none');
    this.closed();
    this.options.socket.terminate();
  }

  /** Gone, or somebody's. */
  closed(): void {
    this.isOver = true;
    this.watch.stop();
    this.options.strangers.leave(this);
  }

  private refuse(reason: string, refusal: RtmpReason = 'proxy'): void {
    if (this.isOver) return;
    this.options.refusals.note(refusal, this.network);
    this.close(reason);
  }
}
