// `bench ingest`: CPU and memory of pushes, of RTMP players and of HLS viewers, beside nginx and node-media-server.
import { join } from 'node:path';
import { type Bench, type BenchOrder, nodePeer } from './support/bench.ts';
import { isPinned } from './support/cores.ts';
import { rounded } from './support/figures.ts';
import { makeClip } from './support/ingest-clip.ts';
import { Report } from './support/ingest-report.ts';
import { audienceRound, ingestRound, type RoundSizes } from './support/ingest-rounds.ts';
import type { LiveServerName } from './support/live-servers.ts';
import { nginx } from './support/nginx-rtmp.ts';

interface Sizes extends RoundSizes {
  clipSeconds: number;
  rounds: number;
  publishers: readonly number[];
  players: number;
  viewers: number;
  /** How often a round is run where its clients were starved. */
  tries: number;
}

export const bench: Bench<Sizes> = {
  sentence:
    'CPU and memory of pushes, RTMP players and HLS viewers beside nginx and node-media-server; 20 minutes',
  sizes: {
    clipSeconds: 20,
    rounds: 3,
    warmUpSeconds: { footlight: 80, nginx: 20, 'node-media-server': 80 },
    audienceWarmUpSeconds: 20,
    measuredSeconds: 20,
    idleMs: 1_500,
    publishers: [20, 50],
    players: 100,
    viewers: 300,
    // Encoders do not begin together: key frames, the dearest moments, are spread over a group of pictures.
    spreadMs: 2_000,
    rateOffMax: 0.03,
    tries: 3,
  },
  smokeSizes: {
    clipSeconds: 1,
    rounds: 1,
    warmUpSeconds: { footlight: 0.1, nginx: 0.1, 'node-media-server': 0.1 },
    audienceWarmUpSeconds: 0.1,
    measuredSeconds: 0.5,
    idleMs: 0,
    publishers: [2],
    players: 4,
    viewers: 4,
    spreadMs: 50,
    tries: 1,
  },
  programs: ['ffmpeg'],
  peers: [nginx, nodePeer('node-media-server')],
  comparesCheckouts: true,
  keepsFolder: true,
  run,
};

async function run({ sizes, folder, leftOut, before }: BenchOrder<Sizes>): Promise<object> {
  const { rounds, warmUpSeconds, measuredSeconds, audienceWarmUpSeconds } = sizes;
  const clipFile = join(folder, 'clip.flv');
  await makeClip(clipFile, sizes.clipSeconds);
  console.log(
    `The same clip of 2 Mbps for all; ${rounds} rounds of ${measuredSeconds} s, each with a fresh process, after so many seconds ` +
      `of warming up: ${JSON.stringify(warmUpSeconds)}, with players and viewers ${audienceWarmUpSeconds}; ` +
      `median (least to most); ${isPinned() ? 'load and servers on a core each' : 'cores are shared: nothing is pinned'}.\n` +
      'Footlight makes low-latency HLS and records (variants are made after a push, so none here); nginx makes plain HLS and\n' +
      'records FLV; node-media-server records FLV and makes no HLS.\n',
  );
  const place = { sizes, folder, clipFile, before };
  const report = new Report();
  /** Round by round, so that what slows the machine for a while slows all of them. */
  const interleaved = async <Round>(
    turns: readonly (readonly LiveServerName[])[],
    round: (name: LiveServerName) => Promise<Round>,
    add: (round: Round) => void,
  ) => {
    const isHere = (name: LiveServerName) =>
      name === 'before' ? before !== undefined : !leftOut.has(name);
    const present = turns.map((names) => names.filter(isHere)).filter(({ length }) => length > 0);
    for (let n = 0; n < rounds; n++)
      for (const names of present)
        await tried(sizes.tries, async () => {
          for (const one of await Promise.all(names.map(round))) add(one);
        });
  };
  for (const streams of sizes.publishers) {
    await interleaved(
      // At the same time: a few per cent are lost in what the machine does between two turns.
      [['footlight', 'before'], ['nginx'], ['node-media-server']],
      (name) => ingestRound(place, name, streams),
      (round) => report.addIngest(round),
    );
    report.printIngest(streams);
  }
  await interleaved(
    [['footlight'], ['before'], ['nginx']],
    (name) => audienceRound(place, name, { kind: 'players', count: sizes.players }),
    (round) => report.addPlayers(round),
  );
  report.printPlayers();
  await interleaved(
    [['footlight'], ['before']],
    (name) => audienceRound(place, name, { kind: 'viewers', count: sizes.viewers }),
    (round) => report.addViewers(round),
  );
  report.printViewers();
  report.printVerdicts();
  return rounded({ rounds, warmUpSeconds, measuredSeconds, ...report.results() });
}

/** Another program may take the machine for a while and starve the clients: then the round is run again. */
async function tried(triesMax: number, round: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await round();
      return;
    } catch (error) {
      if (tries === triesMax) throw error;
      console.log(`${(error as Error).message}: the round is run again`);
    }
  }
}
