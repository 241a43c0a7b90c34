// HAProxy in front of a cluster: the recipe of packages/, without a certificate and on this machine's ports.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collected } from '../test/support/service-process.ts';
import { host, type Places, Unable } from './places.ts';
import type { Processes } from './processes.ts';

/** What it connects from: nodes believe it alone, so that whoever comes past it is who they are. */
const proxyAddress = '127.0.0.7';

/** What nodes are told of it. */
export const haproxySettings = { TRUSTED_PROXIES: proxyAddress, RTMP_PROXY_PROTOCOL: 'true' };

/** Debian has it where root alone looks. */
export function findHaproxy(): string | undefined {
  return Bun.which('haproxy', { PATH: `${process.env['PATH']}:/usr/sbin` }) ?? undefined;
}

/** Resolves when it takes connections. */
export async function startHaproxy(program: string, places: Places, processes: Processes) {
  const file = join(places.folder, 'haproxy.cfg');
  writeFileSync(file, configuration(places));
  const child = Bun.spawn([program, '-db', '-f', file], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    detached: true,
  });
  processes.add('serving', child);
  const said = collected(child.stderr);
  while (!(await isTaken(places.rtmpPort))) {
    if (child.exitCode !== null) throw new Unable(`HAProxy did not start: ${said.text()}`);
    // It says nothing when it is ready.
    await Bun.sleep(lookEveryMs);
  }
  return { exited: child.exited };
}

const lookEveryMs = 20;

async function isTaken(port: number): Promise<boolean> {
  return await Bun.connect({ hostname: host, port, socket: { data: () => {} } }).then(
    (socket) => {
      socket.end();
      return true;
    },
    () => false,
  );
}

function configuration({ httpPort, rtmpPort, nodes }: Places): string {
  const recipe = readFileSync(join(import.meta.dir, '../packages/haproxy/haproxy.cfg'), 'utf8')
    // As many descriptors as any user has.
    .replace('maxconn 50000', 'maxconn 500')
    .replace('log /dev/log local0', 'log stderr format raw local0 warning')
    .replace('  default-server ', `  source ${proxyAddress}\n  default-server `)
    // A node that comes back gets its share at once: there are few who watch.
    .replace(' slowstart 15s', '')
    .replace(/^frontend http\n[\s\S]*?(?=^frontend)/m, '')
    .replace(/^ {2}bind :443 .*$/m, `  bind ${host}:${httpPort}`)
    .replace('X-Forwarded-Proto https', 'X-Forwarded-Proto http')
    .replace('bind :1935', `bind ${host}:${rtmpPort}`)
    .replaceAll('live.example.com', 'localhost');
  return nodes.reduce(
    (text, node, at) =>
      text
        .replace(`10.0.0.1${at + 1}:8080`, `${host}:${node.httpPort}`)
        .replace(
          `10.0.0.1${at + 1}:1935 check port 8080`,
          `${host}:${node.rtmpPort} check port ${node.httpPort}`,
        ),
    recipe,
  );
}
