// nginx with libnginx-mod-rtmp as Debian has it, configured as people do: plain HLS and a recording of each push.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.ts';
import type { Peer } from './bench.ts';
import type { LiveServer, LiveServerOrder } from './live-server.ts';
import { startPeer } from './peer-process.ts';

const rtmpModule = '/usr/lib/nginx/modules/ngx_rtmp_module.so';

export const nginx: Peer = {
  name: 'nginx',
  lacks: () =>
    Bun.which('nginx') !== null && existsSync(rtmpModule)
      ? undefined
      : 'Debian has it as nginx and libnginx-mod-rtmp',
};

export async function startNginx({ folder, streams }: LiveServerOrder): Promise<LiveServer> {
  const rtmpPort = await freePort();
  const [hls, recorded] = [join(folder, 'hls'), join(folder, 'recorded')];
  for (const one of [hls, recorded]) mkdirSync(one);
  const file = join(folder, 'nginx.conf');
  await Bun.write(file, nginxConfig({ folder, rtmpPort, hls, recorded }));
  return await startPeer({
    command: ['nginx', '-p', folder, '-e', join(folder, 'error.log'), '-c', file],
    folder,
    rtmpPort,
    streams,
  });
}

function nginxConfig(given: {
  folder: string;
  rtmpPort: number;
  hls: string;
  recorded: string;
}): string {
  const { folder, rtmpPort, hls, recorded } = given;
  // A worker of a master that is root would be nobody, who may not write here.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `
daemon off;
${user}
worker_processes 1;
pid ${folder}/nginx.pid;
load_module ${rtmpModule};
events { worker_connections 1024; }
rtmp {
  access_log off;
  server {
    listen [::]:${rtmpPort} ipv6only=off;
    application live {
      live on;
      hls on;
      hls_path ${hls};
      hls_fragment 2s;
      record all;
      record_path ${recorded};
    }
  }
}
`;
}
