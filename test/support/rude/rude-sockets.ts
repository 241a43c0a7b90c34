// TCP connections of a rude client: from an address of its choice, bounded in number, gone with its signal.
import { connect, type Socket } from 'node:net';

export interface RudeSocket {
  /** Everything that came, as Latin-1; it stays empty where it does not read. */
  read(): string;
  write(bytes: string | Uint8Array): void;
  isClosed(): boolean;
  /** Resolves when either side has closed it. */
  closed: Promise<void>;
  close(): void;
}

/** Resolves when it is connected; rejects where it is refused. */
export async function openRude(given: {
  port: number;
  from: string;
  signal: AbortSignal;
  /** Whether it reads what comes. */
  reads?: boolean;
}): Promise<RudeSocket> {
  const { port, from, signal, reads = true } = given;
  signal.throwIfAborted();
  const socket: Socket = connect({ host: '127.0.0.1', port, localAddress: from });
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  let text = '';
  const leave = () => socket.destroy();
  signal.addEventListener('abort', leave);
  if (reads) socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
  else socket.pause();
  socket.once('connect', opened.resolve);
  socket.on('error', opened.reject);
  socket.on('close', () => {
    signal.removeEventListener('abort', leave);
    opened.reject(new Error('the connection ended'));
    closed.resolve();
  });
  await opened.promise;
  return {
    read: () => text,
    write: (bytes) => socket.write(bytes),
    isClosed: () => socket.destroyed,
    closed: closed.promise,
    close: leave,
  };
}

/** As many as the server lets in, a few at a time. */
export async function openCrowd(
  given: Parameters<typeof openRude>[0] & { count: number },
): Promise<RudeSocket[]> {
  const sockets: RudeSocket[] = [];
  for (let left = given.count; left > 0 && !given.signal.aborted; left -= openedAtOnce) {
    const some = Array.from({ length: Math.min(openedAtOnce, left) }, () => openRude(given));
    for (const opened of await Promise.allSettled(some))
      if (opened.status === 'fulfilled') sockets.push(opened.value);
  }
  return sockets;
}

/** More would overrun the server's backlog. */
const openedAtOnce = 50;

/** Resolves after the time, or at once where the signal says so. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

/** What an honest peer does until the signal, every 10 ms: who asks without a pause takes the machine from the attack. */
export async function untilThen(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work();
    await pause(10, signal);
  }
}
