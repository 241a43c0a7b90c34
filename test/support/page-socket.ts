// The socket of a page without a network: keeps what it was sent.
import type { Connection, PageSocket } from '../../src/audience/connection/page-connection.ts';
import type { ServiceMessage } from '../../src/audience/protocol/messages.ts';

export class HeldPageSocket implements PageSocket {
  readonly sent: ServiceMessage[] = [];
  /** Undefined while it is open; Bun gives 1006 to what is terminated. */
  closeCode: number | undefined;
  private readonly connection: Connection;
  private readonly onClose: (connection: Connection) => void;

  /** As Bun does, `onClose` is called before `close` returns. */
  constructor(connection: Connection, onClose: (connection: Connection) => void = () => {}) {
    this.connection = connection;
    this.onClose = onClose;
    connection.opened(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(code: number): void {
    this.closeCode = code;
    this.connection.closed();
    this.onClose(this.connection);
  }

  terminate(): void {
    this.close(1006);
  }

  subscribe(): void {}
}
