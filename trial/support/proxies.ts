// nginx, Caddy and HAProxy as the recipes of packages/ have them, on loopback and free ports; Caddy's certificate comes from Pebble.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCertificate } from '../../test/support/certificate.ts';
import { temporaryFolder } from '../../test/support/engines.ts';
import { freePort } from '../../test/support/free-port.ts';
import { until } from '../../test/support/live-channel.ts';
import { collected } from '../../test/support/service-process.ts';
import { ran } from './installed-package.ts';

export interface RunningProxy {
  httpPort: number;
  httpsPort: number;
  /** What its certificate is judged by. */
  ca: string;
  /** Where it takes RTMP; undefined where encoders push past it. */
  rtmpPort?: number;
  stop(): Promise<void>;
}

/** Who is behind a proxy. */
export interface ProxiedNode {
  httpPort: number;
  rtmpPort: number;
}

/** The site's name: nobody's, and no address that a proxy knows as this machine's. */
export const siteName = 'live.footlight.test';
const packages = join(import.meta.dir, '../../packages');
const withinMs = 30_000;

/** What is not there of what the trial runs, and how to get it; undefined where all is. */
export function lackingProxies(programs: readonly string[]): string | undefined {
  const lacking = programs.filter((name) => programOf(name) === null);
  const packages = new Set(lacking.map((name) => name.replace(/^varnish.*/, 'varnish')));
  return lacking.length === 0 ? undefined : `apt-get install ${[...packages].join(' ')}`;
}

/** Debian has nginx where root alone looks for it. */
export function programOf(name: string): string | null {
  return Bun.which(name, { PATH: `${process.env['PATH']}:/usr/sbin` });
}

export async function startNginx([node]: readonly ProxiedNode[]): Promise<RunningProxy> {
  const folder = temporaryFolder();
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const { TLS_CERT, TLS_KEY } = makeCertificate(siteName);
  const recipe = readFileSync(join(packages, 'nginx/footlight.conf'), 'utf8')
    // Loopback alone, and ports that are free.
    .replaceAll(/^ *listen \[::\].*\n/gm, '')
    .replace('listen 80;', `listen 127.0.0.1:${httpPort};`)
    .replace('listen 443 ', `listen 127.0.0.1:${httpsPort} `)
    .replace('server 127.0.0.1:8080;', `server 127.0.0.1:${node?.httpPort};`)
    .replaceAll('/etc/letsencrypt/live/live.example.com/fullchain.pem', TLS_CERT)
    .replaceAll('/etc/letsencrypt/live/live.example.com/privkey.pem', TLS_KEY)
    .replaceAll('live.example.com', siteName);
  writeFileSync(join(folder, 'footlight.conf'), recipe);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `worker_processes 1; daemon off; pid ${folder}/pid; error_log stderr;
     events { worker_connections 1024; }
     http { access_log off; ${paths.join(' ')} include ${folder}/footlight.conf; }`,
  );
  const words = [programOf('nginx') ?? '', '-p', folder, '-c', join(folder, 'nginx.conf')];
  await ran([...words, '-t']);
  const child = started(words);
  await taken(httpsPort, child);
  return {
    httpPort,
    httpsPort,
    ca: readFileSync(TLS_CERT, 'utf8'),
    stop: () => ended(child, 'SIGTERM'),
  };
}

export async function startCaddy([node]: readonly ProxiedNode[]): Promise<RunningProxy> {
  const folder = temporaryFolder();
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const pebble = await startPebble(folder, { httpPort, httpsPort });
  writeFileSync(
    join(folder, 'Caddyfile'),
    readFileSync(join(packages, 'caddy/Caddyfile'), 'utf8').replace(
      'grace_period 10s',
      `grace_period 1s
       admin off
       http_port ${httpPort}
       https_port ${httpsPort}
       default_bind 127.0.0.1
       skip_install_trust
       acme_ca https://localhost:${pebble.port}/dir
       acme_ca_root ${pebble.apiCert}`,
    ),
  );
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    FOOTLIGHT_NAME: siteName,
    FOOTLIGHT_ADDRESS: `127.0.0.1:${node?.httpPort}`,
  };
  const file = join(folder, 'Caddyfile');
  const child = started(['caddy', 'run', '--adapter', 'caddyfile', '--config', file], env);
  await taken(httpsPort, child);
  // The certificate is there a moment after the port.
  const ca = await pebble.root();
  await until(() => handsOut(folder), { withinMs, otherwise: '' }).catch(() => {
    throw new Error(`Caddy got no certificate: ${child.said.text().slice(-1_000)}`);
  });
  const stop = async () => {
    await ended(child, 'SIGTERM');
    await pebble.stop();
  };
  return { httpPort, httpsPort, ca, stop };
}

/** What HAProxy connects from: no other peer of the trial does. */
export const haproxyAddress = '127.0.0.7';

/** But for the first, nodes are not ready where it is not said. */
export async function startHaproxy(
  nodes: readonly ProxiedNode[],
  { areAllReady = false } = {},
): Promise<RunningProxy> {
  const folder = temporaryFolder();
  const [httpPort = 0, httpsPort = 0, rtmpPort = 0] = await Promise.all(
    Array.from({ length: 3 }, freePort),
  );
  const { TLS_CERT, TLS_KEY } = makeCertificate(siteName);
  const both = join(folder, 'site.pem');
  writeFileSync(both, readFileSync(TLS_CERT, 'utf8') + readFileSync(TLS_KEY, 'utf8'));
  const recipe = nodes.reduce(
    (text, node, at) =>
      text
        .replace(`10.0.0.1${at + 1}:8080`, `127.0.0.1:${node.httpPort}`)
        .replace(
          `10.0.0.1${at + 1}:1935 check port 8080`,
          `127.0.0.1:${node.rtmpPort} check port ${node.httpPort}`,
        ),
    readFileSync(join(packages, 'haproxy/haproxy.cfg'), 'utf8')
      .replace('log /dev/log local0', 'log stderr format raw local0')
      // As many descriptors as any user has.
      .replace('maxconn 50000', 'maxconn 500')
      .replace('  default-server ', `  source ${haproxyAddress}\n  default-server `)
      .replace('bind :80\n', `bind 127.0.0.1:${httpPort}\n`)
      .replace('bind :443 ', `bind 127.0.0.1:${httpsPort} `)
      .replace('bind :1935\n', `bind 127.0.0.1:${rtmpPort}\n`)
      .replace('/etc/haproxy/live.example.com.pem', both)
      .replaceAll('live.example.com', siteName),
  );
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, recipe);
  const program = programOf('haproxy') ?? '';
  await ran([program, '-c', '-f', file]);
  const child = started([program, '-db', '-f', file]);
  await taken(rtmpPort, child);
  // It takes every node for ready until it has asked.
  const others = (areAllReady ? [] : nodes.slice(1)).flatMap((_, at) => [
    `nodes/node${at + 2}`,
    `rtmp_nodes/node${at + 2}`,
  ]);
  await until(
    async () => others.every((name) => child.said.text().includes(`Server ${name} is DOWN`)),
    {
      withinMs,
      otherwise: 'HAProxy does not say that the others are not ready',
    },
  );
  return {
    ...{ httpPort, httpsPort, rtmpPort },
    ca: readFileSync(TLS_CERT, 'utf8'),
    stop: () => ended(child, 'SIGTERM'),
  };
}

/** Whether Caddy keeps a certificate of the site, and has it in use. */
async function handsOut(folder: string): Promise<boolean> {
  const kept = new Bun.Glob(`data/caddy/certificates/**/${siteName}.crt`);
  return [...kept.scanSync(folder)].length === 1;
}

/** An ACME server for tests (Let's Encrypt's own), and names that all lead to this machine. */
async function startPebble(folder: string, ports: { httpPort: number; httpsPort: number }) {
  const [port, management, dns, dnsManagement] = await Promise.all(
    Array.from({ length: 4 }, freePort),
  );
  const apiCert = join(folder, 'pebble.pem');
  const apiKey = join(folder, 'pebble.key');
  await ran([
    ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
    ...['-nodes', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
    ...['-days', '1', '-out', apiCert, '-keyout', apiKey],
  ]);
  const config = {
    pebble: {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${management}`,
      certificate: apiCert,
      privateKey: apiKey,
      httpPort: ports.httpPort,
      tlsPort: ports.httpsPort,
      ocspResponderURL: '',
      externalAccountBindingRequired: false,
    },
  };
  mkdirSync(join(folder, 'pebble'));
  const file = join(folder, 'pebble/config.json');
  writeFileSync(file, JSON.stringify(config));
  const names = started([
    ...['pebble-challtestsrv', '-defaultIPv4', '127.0.0.1', '-defaultIPv6', ''],
    ...['-dns01', `127.0.0.1:${dns}`, '-management', `127.0.0.1:${dnsManagement}`],
    ...['-http01', '', '-https01', '', '-tlsalpn01', ''],
  ]);
  const pebble = started(['pebble', '-config', file, '-dnsserver', `127.0.0.1:${dns}`], {
    PATH: process.env['PATH'] ?? '',
    PEBBLE_VA_NOSLEEP: '1',
    PEBBLE_WFE_NONCEREJECT: '0',
  });
  await taken(dnsManagement ?? 0, names);
  await taken(port ?? 0, pebble);
  return {
    port,
    apiCert,
    root: async () => {
      const from = `https://127.0.0.1:${management}/roots/0`;
      return await (await fetch(from, { tls: { rejectUnauthorized: false } })).text();
    },
    stop: async () => {
      await ended(pebble, 'SIGTERM');
      await ended(names, 'SIGTERM');
    },
  };
}

/** A process that ends with this one at the latest. */
export function started(words: readonly string[], env?: Record<string, string>) {
  const child = Bun.spawn([...words], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    ...(env && { env }),
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  child.exited.then(() => process.off('exit', end));
  return { child, said: collected(child.stderr) };
}

type Started = ReturnType<typeof started>;

/** Resolves when the port takes connections. */
export async function taken(port: number, { child, said }: Started): Promise<void> {
  const isTaken = async () => {
    if (child.exitCode !== null) throw new Error(said.text());
    const connecting = Bun.connect({ hostname: '127.0.0.1', port, socket: { data: () => {} } });
    return await connecting.then(
      (socket) => {
        socket.end();
        return true;
      },
      () => false,
    );
  };
  await until(isTaken, { withinMs, otherwise: `nobody listens on port ${port}` });
}

export async function ended({ child }: Started, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  await child.exited;
}
