// node-media-server as it comes, with its recording switched on: it writes FLV, and makes no HLS of any kind.
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.ts';
import { benchFolder } from './bench.ts';
import type { LiveServer, LiveServerOrder } from './live-server.ts';
import { startPeer } from './peer-process.ts';

export async function startNodeMediaServer({
  folder,
  streams,
}: LiveServerOrder): Promise<LiveServer> {
  const [rtmpPort, httpPort] = [await freePort(), await freePort()];
  const file = join(folder, 'config.json');
  const config = {
    bind: '::',
    store: { path: join(folder, 'store') },
    rtmp: { port: rtmpPort },
    http: { port: httpPort },
    record: { auto: true, path: join(folder, 'recorded') },
    auth: { play: false, publish: false },
  };
  await Bun.write(file, JSON.stringify(config));
  const program = join(benchFolder, 'node_modules/node-media-server/bin/app.js');
  return await startPeer({ command: ['node', program, '-c', file], folder, rtmpPort, streams });
}
