// Frames of HTTP/2 that ask for nothing, as fast as they are read, over connections that come back when they are closed.
import type { TLSSocket } from 'node:tls';
import {
  frame,
  frameTypes,
  lastRemembered,
  openRudeHttp2,
  remembered,
  request,
} from '../rude/rude-http2.ts';
import type { Attack } from './attack.ts';

const rounds = 5;
const connections = 2;
/** Of one connection; it is closed long before, though a quick machine sends 64 MB between two looks at it. */
export const bytesMax = 2 ** 31;

interface Flood {
  /** What is sent first. */
  first: Buffer;
  /** And then, the `at`th time. */
  block(at: number): Buffer;
}

export const floods: Record<string, Flood> = {
  'a body of one-byte frames to a path that takes none': flood(
    frame({ type: frameTypes.data, stream: 1, body: Buffer.from('x') }),
    request({ stream: 1, path: '/livez', method: 'POST', isOpen: true }),
  ),
  'a body of one-byte frames without a token': flood(
    frame({ type: frameTypes.data, stream: 1, body: Buffer.from('x') }),
    request({ stream: 1, path: '/v1/activities', method: 'POST', isOpen: true }),
  ),
  'a body of empty frames': flood(
    frame({ type: frameTypes.data, stream: 1 }),
    request({ stream: 1, path: '/livez', method: 'POST', isOpen: true }),
  ),
  'window updates': flood(
    frame({ type: frameTypes.windowUpdate, body: Buffer.from([0, 0, 0, 1]) }),
  ),
  settings: flood(frame({ type: frameTypes.settings })),
  priorities: flood(frame({ type: frameTypes.priority, stream: 1, body: Buffer.alloc(5) })),
  pings: flood(frame({ type: frameTypes.ping, body: Buffer.alloc(8) })),
  'frames of no kind': flood(frame({ type: 0xfa })),
  'frames of no kind beside requests whose long heads are four bytes': besideRequests(
    frame({ type: 0xfa }),
  ),
};

export const attack: Attack = {
  name: 'h2-frames',
  sentence: `${connections} HTTP/2 connections with frames that are no request, and again when they are closed`,
  refusals: ['http bytes', 'http dropped'],
  over: 'https',
  run: async ({ port }, { from, signal }) => {
    for (let round = 0; round < rounds; round += 1)
      for (const kind of Object.keys(floods)) {
        if (signal.aborted) return;
        const way = { port, from, signal };
        await Promise.all(Array.from({ length: connections }, () => sendFrames(kind, way)));
      }
  },
};

/** Resolves when the connection is closed, with what was sent until then. */
export async function sendFrames(
  kind: string,
  given: { port: number; from: string; signal: AbortSignal },
): Promise<number> {
  const { first, block } = floods[kind] ?? flood(Buffer.alloc(0));
  const socket = await openRudeHttp2(given).catch(() => undefined);
  if (!socket) return 0;
  // It may have been closed at the other end while much still waits to be sent: then only the end is told.
  const closed = new Promise<void>((resolve) => {
    socket.once('end', () => resolve());
    socket.once('close', () => resolve());
  });
  let isClosed = false;
  closed.then(() => {
    isClosed = true;
  });
  const leave = () => socket.destroy();
  given.signal.addEventListener('abort', leave);
  socket.resume();
  socket.write(first);
  let sent = 0;
  let at = 0;
  while (!isClosed && !given.signal.aborted && sent < bytesMax) {
    const bytes = block(at);
    const isTaken = socket.write(bytes);
    sent += bytes.length;
    at += 1;
    if (!isTaken) await Promise.race([closed, drained(socket)]);
  }
  given.signal.removeEventListener('abort', leave);
  leave();
  await closed;
  return sent;
}

function drained(socket: TLSSocket): Promise<void> {
  return new Promise((resolve) => socket.once('drain', () => resolve()));
}

function flood(over: Buffer, first: Buffer = Buffer.alloc(0)): Flood {
  const block = Buffer.concat(Array.from({ length: 4_000 }, () => over));
  return { first, block: () => block };
}

/** Of each request's head four bytes are sent that name 15 KB, and frames of 7 KB beside it. */
function besideRequests(over: Buffer): Flood {
  const value = 'y'.repeat(3_900);
  const path = '/livez';
  const frames = Buffer.concat(Array.from({ length: 800 }, () => over));
  const more = Buffer.concat(Array.from({ length: 4 }, () => lastRemembered));
  return {
    first: request({ stream: 1, path, more: remembered('x', value) }),
    block: (at) => Buffer.concat([request({ stream: 2 * at + 3, path, more }), frames]),
  };
}
