// Connections that ask for a large segment each and read nothing of it.
import { startHeavyPush } from '../heavy-clip.ts';
import { openCrowd, pause } from '../rude/rude-sockets.ts';
import { type Attack, heavyChannel, type Target } from './attack.ts';

export const connections = 300;

export const attack: Attack = {
  name: 'unread-segments',
  sentence: `${connections} connections that ask for a segment of 5 MB each and never read`,
  // Each asks for what any viewer does, and is closed when it was idle.
  refusals: [],
  over: 'http',
  run: (target, given) => askUnread(target, { ...given, heldMs: 4_000 }),
};

/** A test says how long. */
export async function askUnread(
  target: Target,
  { from, signal, heldMs }: { from: string; signal: AbortSignal; heldMs: number },
): Promise<void> {
  const channel = heavyChannel(target, 1);
  // From the machine's own address.
  const push = await startHeavyPush(target, channel, signal);
  try {
    const path = await newestSegment(target, { play_id: channel.play_id, signal });
    const { port } = target;
    const crowd = await openCrowd({ port, from, signal, reads: false, count: connections });
    for (const socket of crowd) socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await pause(heldMs, signal);
    for (const socket of crowd) socket.close();
  } finally {
    await push.end();
  }
}

/** Of a stream that has just begun. */
async function newestSegment(
  { port }: Target,
  { play_id, signal }: { play_id: string; signal: AbortSignal },
): Promise<string> {
  const folder = `http://127.0.0.1:${port}/hls/${play_id}/`;
  while (!signal.aborted) {
    const playlist = await fetch(`${folder}live.m3u8`).then((answer) => answer.text());
    const name = playlist.match(/^\d+\.m4s$/gm)?.at(-1);
    if (name !== undefined) return new URL(folder + name).pathname;
    await pause(askEveryMs, signal);
  }
  return '/';
}

const askEveryMs = 200;
