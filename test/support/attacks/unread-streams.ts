// HTTP/2 by hand: 256 streams a connection ask for something large, and the window never opens.
import type { TLSSocket } from 'node:tls';
import { publishTo } from '../../../src/stream/rtmp/rtmp-client.ts';
import { letInWithinMs, testClip } from '../clip-push.ts';
import { patience } from '../machine-pace.ts';
import { ownCertificate } from '../rude/http-connection.ts';
import { openRudeHttp2, request } from '../rude/rude-http2.ts';
import { pause } from '../rude/rude-sockets.ts';
import type { Attack, Target } from './attack.ts';

const connections = 8;
/** As many as Bun lets be open at once. */
const streams = 256;
export const heldMs = 3_000;
/** What is asked for, over all connections. */
export const askedInAll = connections * streams;

export const attack: Attack = {
  name: 'unread-streams',
  sentence: `${connections} HTTP/2 connections with ${streams} streams each that are never read: a text, then segments and a recording`,
  refusals: ['http unread'],
  over: 'https',
  run: async (target, given) => {
    const text = hold(target, { ...given, paths: ['/openapi.json'] });
    // Of its own channel, and from the machine's own address.
    const paths = await mediaPaths(target, given.signal).catch(() => []);
    await text;
    if (paths.length > 0) await hold(target, { ...given, paths });
  },
};

async function hold(
  target: Target,
  given: { from: string; signal: AbortSignal; paths: readonly string[] },
): Promise<void> {
  const { signal } = given;
  if (signal.aborted) return;
  const close = await askUnread(target, given);
  await pause(heldMs, signal);
  close();
}

/** Asks for all of them again and again, and reads nothing until it is closed. */
export async function askUnread(
  { port }: Target,
  { from, paths }: { from: string; paths: readonly string[] },
): Promise<() => void> {
  const sockets = await Promise.all(
    Array.from({ length: connections }, () => openStreams({ port, from, paths })),
  );
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

/** What is left of a short push: the segments of its window, and the video that it became. */
export async function mediaPaths(target: Target, signal: AbortSignal): Promise<string[]> {
  const { rtmpPort, channels } = target;
  const [channel] = channels;
  if (!channel) return [];
  const url = `rtmp://127.0.0.1:${rtmpPort}/live/${channel.stream_key}`;
  const publisher = await publishTo(url, { signal, timeoutMs: patience(letInWithinMs) });
  // A minute of media may come at once.
  for (const tag of testClip().tags) publisher.send(tag);
  await publisher.end();
  const folder = `/hls/${channel.play_id}/`;
  const segments = await found(signal, async () => {
    const playlist = await asked(target, `${folder}live.m3u8`);
    return playlist.match(/^[^#\s]+\.m4s$/gm) ?? [];
  });
  const videos = await found(signal, async () => {
    const listed = JSON.parse(await asked(target, `/v1/videos?act_id=${channel.id}`));
    return listed.videos.map(({ video_url }: { video_url: string }) => new URL(video_url).pathname);
  });
  return [...segments.map((name) => folder + name), ...videos];
}

/** Asks until there is one, for some seconds. */
async function found(signal: AbortSignal, ask: () => Promise<string[]>): Promise<string[]> {
  const deadline = performance.now() + patience(foundWithinMs);
  while (performance.now() < deadline && !signal.aborted) {
    const all = await ask().catch(() => []);
    if (all.length > 0) return all;
    await pause(askEveryMs, signal);
  }
  return [];
}

const askEveryMs = 200;
const foundWithinMs = 10_000;

async function asked({ port, token }: Target, path: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const url = `https://127.0.0.1:${port}${path}`;
  return await (await fetch(url, { headers, tls: ownCertificate })).text();
}

/** One connection, with everything asked for. */
async function openStreams(given: {
  port: number;
  from: string;
  paths: readonly string[];
}): Promise<TLSSocket> {
  const { paths } = given;
  const socket = await openRudeHttp2(given);
  const all = Array.from({ length: streams }, (_, at) =>
    request({ stream: 2 * at + 1, path: paths[at % paths.length] ?? '/' }),
  );
  socket.write(Buffer.concat(all));
  return socket;
}
