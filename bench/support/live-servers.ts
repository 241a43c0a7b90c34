// The servers that `bench ingest` compares, each a fresh process that takes pushes and writes to one folder.
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.ts';
import { onCoreOf } from './cores.ts';
import type { LiveServer, LiveServerOrder } from './live-server.ts';
import { startNginx } from './nginx-rtmp.ts';
import { startNodeMediaServer } from './node-media-server.ts';
import { startFootlightProcess } from './server-process.ts';
import { serviceSettings } from './service-settings.ts';

export const liveServers = {
  footlight: (order) => startFootlight(order),
  /** The service of another checkout. */
  before: (order) => startFootlight(order, order.before),
  nginx: startNginx,
  'node-media-server': startNodeMediaServer,
} satisfies Record<string, (order: LiveServerOrder) => Promise<LiveServer>>;

export type LiveServerName = keyof typeof liveServers;

/** Low-latency HLS and recording are always on. What follows a recording begins after its push, and none ends here. */
async function startFootlight(
  { folder, streams }: LiveServerOrder,
  checkout?: string,
): Promise<LiveServer> {
  const rtmpPort = await freePort();
  const service = await startFootlightProcess({
    settings: { ...serviceSettings.ingest, RTMP_PORT: String(rtmpPort), DATA_DIR: folder },
    logFile: join(folder, 'footlight.log'),
    wrap: (command) => onCoreOf('server', command),
    checkout,
  });
  const token = await service.printed(/token +(footlight_\w+)\n/);
  const publishPaths: string[] = [];
  let played: { rtmp_play_addr: string; hls_play_addr: string } | undefined;
  for (let n = 0; n < streams; n++) {
    const channel = await createChannel(service.port, token);
    publishPaths.push(new URL(channel.rtmp_publish_addr).pathname);
    played ??= channel;
  }
  return {
    pid: service.pid,
    rtmpPort,
    publishPaths,
    playPath: new URL(played?.rtmp_play_addr ?? '').pathname,
    hls: {
      port: service.port,
      path: new URL(played?.hls_play_addr ?? '').pathname.replace(/\/live\.m3u8$/, ''),
    },
    kill: async () => {
      process.kill(service.pid, 'SIGKILL');
      await service.stop();
    },
  };
}

async function createChannel(port: number, token: string) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/activities`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Spring launch' }),
  });
  if (response.status !== 200) throw new Error(`a channel could not be made: ${response.status}`);
  return (await response.json()) as Record<
    'rtmp_publish_addr' | 'rtmp_play_addr' | 'hls_play_addr',
    string
  >;
}
