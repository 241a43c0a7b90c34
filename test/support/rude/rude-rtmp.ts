// A rude RTMP client: a plain socket from any loopback address, that says what no encoder would.
import { connect } from 'node:net';
import { chunksOf, type OutgoingMessage } from '../../../src/stream/rtmp/chunk-writer.ts';
import { clientHandshake, helloBytes } from '../../../src/stream/rtmp/handshake.ts';
import { commandMessage } from '../../../src/stream/rtmp/rtmp-command.ts';

export interface RudeClient {
  /** Resolves when the socket has taken it, or is gone. */
  send(bytes: Uint8Array): Promise<void>;
  readonly isClosed: boolean;
  /** However it ended. */
  closed: Promise<void>;
  cut(): void;
}

/** What chunks have before anybody sets another size. */
const firstChunkBytes = 128;

/** Resolves when it is connected, or was turned away. */
export async function connectRudely(given: {
  port: number;
  from: string;
  signal?: AbortSignal;
  /** Nothing that comes is read. */
  isUnread?: boolean;
}): Promise<RudeClient> {
  const { port, from, signal, isUnread = false } = given;
  const socket = connect({ host: '127.0.0.1', port, localAddress: from, noDelay: true });
  const client = { isClosed: false };
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve())).then(() => {
    client.isClosed = true;
  });
  // Reset by the server: that is what being cut may look like.
  socket.on('error', () => {});
  if (isUnread) socket.pause();
  else socket.resume();
  const cut = () => void socket.destroy();
  signal?.addEventListener('abort', cut, { once: true });
  closed.then(() => signal?.removeEventListener('abort', cut));
  if (signal?.aborted) cut();
  await Promise.race([new Promise<void>((resolve) => socket.once('connect', resolve)), closed]);
  return {
    send: (bytes) =>
      Promise.race([new Promise<void>((resolve) => socket.write(bytes, () => resolve())), closed]),
    get isClosed() {
      return client.isClosed;
    },
    closed,
    cut,
  };
}

/** The handshake, then these. */
export function rudeSession(...messages: OutgoingMessage[]): Uint8Array {
  return Buffer.concat([clientHandshake(), new Uint8Array(helloBytes), wire(...messages)]);
}

export function wire(...messages: OutgoingMessage[]): Uint8Array {
  return Buffer.concat(messages.flatMap((message) => chunksOf(message, firstChunkBytes)));
}

export function connectMessage(app = 'live'): OutgoingMessage {
  return commandMessage(0, 'connect', 1, { app, tcUrl: `rtmp://127.0.0.1/${app}` });
}

export function publishMessage(key: string): OutgoingMessage {
  return commandMessage(1, 'publish', 0, null, key, 'live');
}

/** Messages without a body: a header of twelve bytes for the first, then a byte each. */
export function emptyMessages(type: number, count: number): Uint8Array {
  const bytes = new Uint8Array(12 + count).fill(0xc3);
  bytes.set([3, 0, 0, 0, 0, 0, 0, type, 0, 0, 0, 0]);
  return bytes;
}

/** The loopback address so many places behind this one. */
export function addressBeside(from: string, places: number): string {
  const [a = 127, b = 0, c = 0, d = 1] = from.split('.').map(Number);
  const at = c * 254 + (d - 1) + places;
  return [a, b, Math.floor(at / 254) % 256, 1 + (at % 254)].join('.');
}

/** Does it again and again, with a breath between, until the signal or so long. */
export async function overAndOver(
  { signal, forMs, breathMs }: { signal: AbortSignal; forMs: number; breathMs: number },
  once: () => Promise<void>,
): Promise<void> {
  const endsAt = performance.now() + forMs;
  while (!signal.aborted && performance.now() < endsAt) {
    await once();
    await Bun.sleep(breathMs);
  }
}
