// `npm run bench NAME`: figures beside peers, as ratios within one run.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

interface Bench {
  sentence: string;
  /** Packages of bench/package.json that it needs. */
  peers: readonly string[];
  load(): Promise<{ run(): Promise<unknown> }>;
}

const benches: Record<string, Bench> = {
  api: {
    sentence: 'CPU per request and throughput beside a bare Bun.serve and Fastify; 10 minutes',
    peers: ['fastify', 'better-sqlite3', 'pino'],
    load: () => import('./api.ts'),
  },
  paging: {
    sentence:
      'pages of 10 thousand, 1 million and 10 million audience rows, on both engines; makes 18 GB once',
    peers: [],
    load: () => import('./paging.ts'),
  },
  beats: {
    sentence:
      'beats of 150,000 viewers a second into the database, and a create meanwhile, on both engines; 5 minutes',
    peers: [],
    load: () => import('./beats.ts'),
  },
  audience: {
    sentence:
      '10,000, 15,000 and as many viewers as the machine allows before one push, then `beats`; 15 minutes, or with --viewers N',
    peers: [],
    load: () => import('./audience.ts'),
  },
  import: {
    sentence: 'sessions a second that the import command brings, on both engines; 3 minutes',
    peers: [],
    load: () => import('./import.ts'),
  },
  latency: {
    sentence:
      'from the encoder to the picture in Chromium, beside hls.js as it comes; 13 minutes, or with --seconds N',
    peers: [],
    load: () => import('./latency.ts'),
  },
  ingest: {
    sentence:
      'CPU and memory of pushes, RTMP players and HLS viewers beside nginx and node-media-server; 20 minutes',
    peers: ['node-media-server'],
    load: () => import('./ingest.ts'),
  },
  start: {
    sentence: 'time from exec to ready, and resident memory when idle; 6 minutes',
    peers: [],
    load: () => import('./start.ts'),
  },
};

process.exitCode = await main(process.argv[2]);

async function main(name = ''): Promise<number> {
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
  if (!bench) {
    console.log('usage: npm run bench NAME\n');
    for (const [known, { sentence }] of Object.entries(benches))
      console.log(`  ${known.padEnd(8)} ${sentence}`);
    return name === '' ? 0 : 2;
  }
  const missing = bench.peers.filter((peer) => !existsSync(peerFolder(peer)));
  if (missing.length > 0) {
    console.error(`bench ${name} needs ${missing.join(', ')}: run \`npm ci --prefix bench\` first`);
    return 1;
  }
  // Made here: the service would make it for its own user alone, and PostgreSQL must enter it as another.
  mkdirSync(join(import.meta.dir, '.data'), { recursive: true });
  const result = await (await bench.load()).run();
  // One line for programs, after the tables for people.
  console.log(JSON.stringify({ bench: name, ...(result as object) }));
  return 0;
}

function peerFolder(peer: string): string {
  return join(import.meta.dir, 'node_modules', peer);
}
