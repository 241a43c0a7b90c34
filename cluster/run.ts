// `npm run cluster [-- --fresh]`: three nodes on this machine, for whoever wants to try them; until Ctrl-C.
import { rmSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Cluster, startCluster, usualBalancer } from './cluster.ts';
import { checkPackages } from './object-store.ts';
import { findPlaces, type Places, Unable } from './places.ts';

/** npm passes a signal on; where it is killed it cannot. */
const parentLookMs = 500;

process.exitCode = await main().catch((error: unknown) => {
  if (!(error instanceof Unable)) throw error;
  console.error(`cluster: ${error.message}`);
  return 1;
});

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { fresh: { type: 'boolean' }, balancer: { type: 'string' } },
  });
  if (process.platform !== 'linux')
    throw new Unable('it runs on Linux alone (on Windows: in WSL); npm start runs everywhere');
  checkPackages();
  const { env } = process;
  const folder = resolve(env['DATA_DIR'] ?? 'data', 'cluster');
  const over = whenOver();
  const places = await findPlaces({
    folder,
    httpPort: portOf('PORT', 8080),
    rtmpPort: portOf('RTMP_PORT', 1935),
  });
  if (values.fresh) rmSync(folder, { recursive: true, force: true });
  const balancer = values.balancer === 'ours' ? 'ours' : usualBalancer();
  const settings = {
    PUBLIC_URL: siteOf(places),
    RTMP_PUBLIC_URL: rtmpOf(places),
    LOG_LEVEL: env['LOG_LEVEL'] ?? 'info',
  };
  const say = (line: string) => console.log(line);
  say('Starting PostgreSQL, an S3 store and three nodes …');
  const cluster = await startCluster({ places, balancer, settings, say });
  say(greeting(cluster, places, balancer));
  const end = await Promise.race([over, cluster.broken.then((sentence) => new Unable(sentence))]);
  say(end instanceof Error ? `${end.message}: all the rest is ended …` : 'All of it is ended …');
  await cluster.stop();
  if (end instanceof Error) throw end;
  return 0;
}

/** Resolves with the first signal, or when npm, which started this, is gone. */
function whenOver(): Promise<void> {
  return new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => done());
    const npm = process.ppid;
    if (process.env['npm_lifecycle_event'] === undefined) return;
    const timer = setInterval(() => {
      if (process.ppid === npm) return;
      clearInterval(timer);
      done();
    }, parentLookMs);
    // What has ended by a signal need not look.
    timer.unref();
  });
}

function portOf(variable: string, usual: number): number {
  const text = process.env[variable] ?? String(usual);
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_532)
    throw new Unable(`${variable} must be a port from 1 to 65532 (got "${text}")`);
  return port;
}

function siteOf({ httpPort }: Places): string {
  return `http://localhost:${httpPort}`;
}

function rtmpOf({ rtmpPort }: Places): string {
  return `rtmp://localhost:${rtmpPort}`;
}

function greeting({ nodes, greeting: first }: Cluster, places: Places, balancer: string): string {
  const site = siteOf(places);
  const nearby = relative('.', places.folder);
  const folder = nearby.startsWith('..') ? places.folder : nearby;
  const begin =
    first.console_link === undefined
      ? []
      : [
          'Open this link to begin. It is good once, and for an hour:',
          '',
          `  ${first.console_link}`,
          '',
        ];
  const known = balancer === 'HAProxy' ? 'HAProxy' : 'a small one of ours; HAProxy is not here';
  const named = nodes.map(({ name, pid }) => {
    const port = places.nodes.find((place) => place.name === name)?.httpPort;
    return `  ${name}      pid ${pid()}, http://127.0.0.1:${port}`;
  });
  return [
    '',
    ...begin,
    'Three nodes of Footlight are running on this machine, to be tried out.',
    '',
    `  address     ${site}`,
    `  RTMP        ${rtmpOf(places)}`,
    `  balancer    ${known}`,
    ...named,
    `  data        ${folder} (kept; npm run cluster -- --fresh begins anew)`,
    ...(first.token === undefined ? [] : [`  token       ${first.token}`]),
    '',
    'Try next, in another terminal:',
    '',
    `  cd ${folder}              # its .env leads every command to this cluster`,
    '  npx footlight demo           # pushes a clip, and prints where to watch it',
    `  npx footlight console-link   # another link, where nobody can sign in yet`,
    '  kill -9 PID                  # of a node: who pushes and who watches goes on at another',
    '',
    'Ctrl-C ends all of it.',
    '',
  ].join('\n');
}
