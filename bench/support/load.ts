// The load generator: a process that keeps connections busy, one request at a time each, and counts the answers.
import type { Socket } from 'bun';

/** What the generator is told over IPC. */
export interface LoadOrder {
  port: number;
  /** Whole requests; each connection sends them in turn. */
  requests: string[];
  connections: number;
  seconds: number;
}

/** What it answers; `problem` where an answer was not the expected one. */
export interface LoadResult {
  answers: number;
  seconds: number;
  /** User and system time of the generator itself. */
  cpuSeconds: number;
  problem?: string;
}

process.on('message', async (order: LoadOrder) => {
  process.send?.(await load(order));
});
process.on('disconnect', () => process.exit(0));

/** Runs until the time is over and every request that was sent is answered. */
async function load({ port, requests, connections, seconds }: LoadOrder): Promise<LoadResult> {
  const texts = requests.map((text) => Buffer.from(text));
  const finished = Promise.withResolvers<string | undefined>();
  let answers = 0;
  let next = 0;
  let busy = connections;
  let stopAt = Number.POSITIVE_INFINITY;

  const send = (socket: Socket<Answer>) => {
    const text = texts[next] as Buffer;
    next = (next + 1) % texts.length;
    // A request is a few hundred bytes and the connection is otherwise empty: it is always taken whole.
    if (socket.write(text) !== text.length) finished.resolve('a request was not taken whole');
  };
  const sockets = await Promise.all(
    Array.from({ length: connections }, () =>
      Bun.connect<Answer>({
        hostname: '127.0.0.1',
        port,
        data: new Answer(),
        socket: {
          data: (socket, chunk) => {
            const state = socket.data.push(chunk);
            if (state === 'part') return;
            if (state !== 'whole') {
              finished.resolve(state);
              return;
            }
            answers += 1;
            if (performance.now() < stopAt) send(socket);
            else if (--busy === 0) finished.resolve(undefined);
          },
          close: () => finished.resolve('the server closed a connection'),
        },
      }),
    ),
  );

  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  stopAt = startedAt + seconds * 1_000;
  for (const socket of sockets) send(socket);
  const problem = await finished.promise;
  const ended = performance.now();
  const { user, system } = process.cpuUsage(cpu);
  for (const socket of sockets) socket.terminate();
  return {
    answers,
    seconds: (ended - startedAt) / 1_000,
    cpuSeconds: (user + system) / 1e6,
    ...(problem !== undefined && { problem }),
  };
}

const statusAt = 'HTTP/1.1 '.length;
const digitZero = 48;

/** One connection's answer as it comes in: its status is checked, its end found by content-length or its last chunk. */
class Answer {
  private held: Buffer | undefined;
  private bodyBytesLeft = 0;
  /** The last bytes of a body in chunks, whose length nobody knows. */
  private chunksEnd: Buffer | undefined;

  /** 'part' until the answer is 'whole'; any other text says what was wrong with it. */
  push(chunk: Buffer): string {
    if (this.bodyBytesLeft > 0) return this.took(chunk.length);
    if (this.chunksEnd) return this.tookOfChunks(chunk);
    const bytes = this.held ? Buffer.concat([this.held, chunk]) : chunk;
    const headEnd = bytes.indexOf('\r\n\r\n');
    if (headEnd < 0) {
      // The chunk's memory is the socket's own and is used again.
      this.held = Buffer.from(bytes);
      return 'part';
    }
    this.held = undefined;
    if (bytes.toString('latin1', statusAt, statusAt + 3) !== '200') return bytes.toString();
    const length = contentLength(bytes, headEnd);
    if (length === undefined) {
      const isChunked = /\r\ntransfer-encoding: chunked/i.test(
        bytes.toString('latin1', 0, headEnd),
      );
      if (!isChunked) return `neither a length nor chunks: ${bytes.toString()}`;
      return this.tookOfChunks(bytes.subarray(headEnd + 4));
    }
    this.bodyBytesLeft = length;
    return this.took(bytes.length - headEnd - 4);
  }

  private took(bytes: number): string {
    this.bodyBytesLeft -= bytes;
    if (this.bodyBytesLeft < 0) return 'more bytes came than content-length says';
    return this.bodyBytesLeft === 0 ? 'whole' : 'part';
  }

  /** JSON holds no line ends: what ends like the last chunk is its end. */
  private tookOfChunks(bytes: Buffer): string {
    const end = Buffer.concat([
      this.chunksEnd ?? Buffer.alloc(0),
      bytes.subarray(-lastChunk.length),
    ]);
    const isWhole = end.subarray(-lastChunk.length).equals(lastChunk);
    this.chunksEnd = isWhole ? undefined : end.subarray(-lastChunk.length);
    return isWhole ? 'whole' : 'part';
  }
}

const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/** Without the first letter, which servers write either way. */
const lengthNames = [Buffer.from('ontent-Length: '), Buffer.from('ontent-length: ')];

function contentLength(bytes: Buffer, headEnd: number): number | undefined {
  for (const name of lengthNames) {
    const found = bytes.indexOf(name);
    if (found < 0 || found > headEnd) continue;
    let length = 0;
    for (let at = found + name.length; bytes[at] !== 13; at++)
      length = length * 10 + (bytes[at] as number) - digitZero;
    return length;
  }
  return undefined;
}
