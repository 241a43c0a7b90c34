// One kept-alive HTTP connection to this machine: one request at a time, answers read whole.

export class KeptConnection {
  private readonly socket: Bun.Socket;

  private head = '';
  private pieces: Uint8Array[] = [];
  private bytesLeft = 0;
  private answered = Promise.withResolvers<Uint8Array>();

  private constructor(socket: Bun.Socket) {
    this.socket = socket;
  }

  static async open(port: number): Promise<KeptConnection> {
    const opened: { connection?: KeptConnection } = {};
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        data: (_, bytes) => opened.connection?.receive(bytes),
        close: () => opened.connection?.answered.reject(new Error('a connection was closed')),
      },
    });
    opened.connection = new KeptConnection(socket);
    return opened.connection;
  }

  /** The body of a 200, as it was sent. */
  get(path: string): Promise<Uint8Array> {
    this.answered = Promise.withResolvers();
    const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n`;
    // A few hundred bytes on a connection that is otherwise empty: always taken whole.
    this.socket.write(request);
    return this.answered.promise;
  }

  private receive(bytes: Uint8Array): void {
    // The bytes are only good until this returns.
    const own = new Uint8Array(bytes);
    const body = this.bytesLeft > 0 ? own : this.readHead(own);
    if (!body) return;
    this.bytesLeft -= body.length;
    this.pieces.push(body);
    if (this.bytesLeft > 0) return;
    const { pieces } = this;
    this.pieces = [];
    this.answered.resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));
  }

  /** What follows the head; undefined while it has not come whole. */
  private readHead(bytes: Uint8Array): Uint8Array | undefined {
    const before = this.head.length;
    this.head += Buffer.from(bytes).toString('latin1');
    const end = this.head.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const head = this.head.slice(0, end);
    this.head = '';
    if (!head.startsWith('HTTP/1.1 200 '))
      this.answered.reject(new Error(`an answer was ${head.split('\r\n')[0]}`));
    this.bytesLeft = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    return bytes.subarray(end + 4 - before);
  }
}
