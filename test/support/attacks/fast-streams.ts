// HTTP/2 by hand: a hundred streams a connection of a recording, with the largest windows, and all of it is read.
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { FrameHeads } from '../rude/frame-heads.ts';
import { frame, frameTypes, openRudeHttp2, request } from '../rude/rude-http2.ts';
import { pause } from '../rude/rude-sockets.ts';
import type { Attack } from './attack.ts';
import { mediaPaths } from './unread-streams.ts';

const connections = 4;
const streams = 100;
const lastsMs = 5_000;

export const attack: Attack = {
  name: 'fast-streams',
  sentence: `${connections} HTTP/2 connections with ${streams} streams each that take a recording as fast as it comes`,
  // It asks for nothing that it may not have.
  refusals: [],
  over: 'https',
  run: async (target, { from, signal }) => {
    // Of its own channel, and from the machine's own address.
    const paths = await mediaPaths(target, signal).catch(() => []);
    const path = paths.find((found) => found.startsWith('/recordings/'));
    if (path === undefined || signal.aborted) return;
    const sockets = await Promise.all(
      Array.from({ length: connections }, () => openRudeHttp2({ port: target.port, from })),
    );
    for (const socket of sockets) takeAll(socket, path);
    await pause(lastsMs, signal);
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
  },
};

/** For each stream that ends another begins. */
function takeAll(socket: TLSSocket, path: string): void {
  let asked = 0;
  const ask = (count: number) => {
    const some = Array.from({ length: count }, () => {
      asked += 1;
      return request({ stream: 2 * asked - 1, path });
    });
    if (count > 0) socket.write(Buffer.concat(some));
  };
  const frames = new FrameHeads();
  const endedIn = (bytes: Buffer) => frames.take(bytes).filter(({ isEnd }) => isEnd).length;
  socket.on('data', (bytes: Buffer) => ask(endedIn(bytes)));
  socket.write(largestWindows());
  ask(streams);
}

function largestWindows(): Buffer {
  const largest = 2 ** 31 - 1;
  const windowSetting = 4;
  const firstWindow = 65_535;
  const settings = Buffer.alloc(6);
  settings.writeUInt16BE(windowSetting);
  settings.writeUInt32BE(largest, 2);
  const more = Buffer.alloc(4);
  more.writeUInt32BE(largest - firstWindow);
  return Buffer.concat([
    frame({ type: frameTypes.settings, body: settings }),
    frame({ type: frameTypes.windowUpdate, body: more }),
  ]);
}
