// The node that has a push dies while Chromium plays: the encoder comes back elsewhere, every page plays on, one show, one video, exact records.
import { chmodSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { startBalancer } from '../cluster/balancer.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import type { ClusterNode } from '../cluster/node.ts';
import { findPlaces, host, type Places } from '../cluster/places.ts';
import type { Clip } from '../src/stream/rtmp/paced-push.ts';
import { noChromium, startBrowser } from '../test/support/browser.ts';
import { testClip } from '../test/support/clip-push.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import { newLiveChannel, until, videosOf } from '../test/support/live-channel.ts';
import { late } from '../test/support/machine-pace.ts';
import { onDatabase } from '../test/support/postgres.ts';
import { HttpConnection } from '../test/support/rude/http-connection.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { newViewer, ViewerPage } from '../test/support/viewer-page.ts';
import { startEncoder } from './support/coming-encoder.ts';
import { type FrameDiary, followFrames } from './support/frame-diary.ts';
import { judgeSeconds } from './support/watched-seconds.ts';

const withinMs = 60_000;
/**
 * The picture stands for no longer than the encoder is away and so much more. Aimed at is five seconds in all; an encoder
 * that waits for two takes three to four until it is let in, as a lease holds for three after its last renewal was seen.
 */
const gapBeyondMsMax = 2_000;
/** Of each end at most one segment, and the pictures until the first key frame. */
const lostMsMax = 5_000;

export const trial: Trial = {
  sentence:
    'Chromium plays through kill -9 and SIGTERM of the node that has the push: gaps, one show, one video, exact records; 2 minutes a round',
  rounds: 5,
  run: async (options) => {
    if (noChromium) throw new Error('it needs chromium: apt-get install chromium');
    const show = { ends: ['SIGKILL', 'SIGTERM'], clip: testClip(), playedSeconds: 12 } as const;
    return await failoverRounds(options, show);
  },
};

interface ShowOfRound {
  /** Of the node that has the push, one behind the other. */
  ends: readonly ('SIGKILL' | 'SIGTERM')[];
  clip: Clip;
  /** What a page plays before each end, and after it. */
  playedSeconds: number;
}

/** The figures are the longest of all rounds. */
export async function failoverRounds(
  { rounds, seed, say }: RoundOptions,
  show: ShowOfRound,
): Promise<Figures> {
  const folder = temporaryFolder();
  // Where it is run by root, PostgreSQL is another user.
  chmodSync(folder, 0o755);
  const places = await findPlaces({ folder, httpPort: 0, rtmpPort: 0 });
  const settings = {
    ...{ MIN_FREE_DISK: '10M', RECORDS_CALLS_PER_DAY: '0', LOG_LEVEL: 'warn' },
    // However slow the machine is, the encoder is back in time.
    RECONNECT_MS: '60000',
  };
  const cluster = await startCluster({ places, balancer: 'ours', settings, say });
  const browser = await startBrowser();
  const figures: Record<string, number> = {};
  try {
    for (let at = 0; at < rounds; at += 1) {
      const seen = await round('failover', seed + at, () =>
        failoverRound({ cluster, places, browser, say, ...show }),
      );
      say(JSON.stringify(seen));
      for (const [name, ms] of Object.entries(seen))
        figures[name] = Math.max(figures[name] ?? 0, ms);
    }
  } finally {
    await browser.close();
    await cluster.stop();
  }
  return figures;
}

interface Scene extends ShowOfRound {
  cluster: Cluster;
  places: Places;
  browser: Browser;
  say(line: string): void;
}

async function failoverRound(scene: Scene): Promise<RoundFigures> {
  const { cluster, places, browser, say, ends, clip, playedSeconds } = scene;
  const service = callable(cluster, places);
  await allReady(places);
  const [first = '', second = ''] = cluster.nodes.map(({ name }) => name);
  // Who comes by one of them is at that node while it is there.
  const [atOwner, atEdge] = [await preferring(places, first), await preferring(places, second)];
  const ways = { owner: atOwner.httpPort, edge: atEdge.httpPort, any: places.httpPort };
  const contexts = await Promise.all(Object.keys(ways).map(() => newViewer(browser)));
  try {
    const channel = await newLiveChannel(service);
    const url = new URL(channel.publishUrl);
    const encoder = await startEncoder(`rtmp://${host}:${atOwner.rtmpPort}${url.pathname}`, clip);
    const pages: { name: string; viewer: ViewerPage; frames: FrameDiary }[] = [];
    for (const [at, [name, port]] of Object.entries(ways).entries()) {
      const context = contexts[at] as (typeof contexts)[number];
      const viewer = await ViewerPage.open(context, `http://${host}:${port}/watch/${channel.id}`);
      await viewer.plays();
      pages.push({ name, viewer, frames: await followFrames(viewer.page) });
    }
    const seen: RoundFigures = {};
    for (const signal of ends) {
      await allPlay(pages, playedSeconds);
      const owner = await ownerOf(cluster, channel.id);
      const endedAt = Date.now();
      process.kill(owner.pid(), signal);
      const { cutAt, backAt } = await encoder.back();
      seen[`${signal} encoder cut after ms`] = cutAt - endedAt;
      seen[`${signal} encoder away ms`] = backAt - cutAt;
      await allPlay(pages, playedSeconds);
      for (const { name, frames } of pages)
        seen[`${signal} gap ${name} ms`] = await frames.longestGapMs(endedAt);
      say(`${signal} of ${owner.name}: ${JSON.stringify(seen)}`);
    }
    for (const { viewer } of pages) await viewer.closes();
    await encoder.end();
    const [video, ...more] = await untilVideos(service, channel.id);
    const shows = await service.call('GET', `/manage/v1/channels/${channel.id}/shows`);
    const lostMs = encoder.sentMs() - (video?.duration ?? 0) * 1_000;
    demand([
      ...(more.length > 0 ? [`there are ${more.length + 1} videos`] : []),
      ...(shows.body.shows.length === 1 ? [] : [`there are ${shows.body.shows.length} shows`]),
      ...(lostMs > ends.length * lostMsMax ? [`the video lacks ${Math.round(lostMs)} ms`] : []),
      ...pages.flatMap(({ viewer, name }) => viewer.complaints.map((one) => `${name}: ${one}`)),
      ...pages.flatMap(({ name }) =>
        ends.flatMap((signal) =>
          late(
            `${signal}: what the page at ${name} adds`,
            (seen[`${signal} gap ${name} ms`] ?? 0) - (seen[`${signal} encoder away ms`] ?? 0),
            gapBeyondMsMax,
          ),
        ),
      ),
    ]);
    await judgeSeconds(
      service,
      channel.id,
      pages.map(({ viewer }) => viewer),
    );
    return { ...seen, 'video lacks ms': Math.round(lostMs) };
  } finally {
    for (const context of contexts) await context.close();
    for (const balancer of [atOwner, atEdge]) balancer.stop();
  }
}

type RoundFigures = Record<string, number>;

async function preferring(places: Places, preferred: string) {
  return await startBalancer({ nodes: places.nodes, host, httpPort: 0, rtmpPort: 0, preferred });
}

/** Each so much more than it has. */
async function allPlay(
  pages: readonly { viewer: ViewerPage }[],
  playedSeconds: number,
): Promise<void> {
  await Promise.all(
    pages.map(async ({ viewer }) => {
      const now = Number(await viewer.page.evaluate('mediaSeconds()'));
      await viewer.sees(now + playedSeconds);
    }),
  );
}

async function allReady({ nodes }: Places): Promise<void> {
  for (const { name, httpPort } of nodes)
    await until(
      () =>
        fetch(`http://${host}:${httpPort}/readyz`, { keepalive: false }).then(
          ({ ok }) => ok,
          () => false,
        ),
      { withinMs, otherwise: `${name} is not ready` },
    );
}

async function ownerOf({ nodes, databaseUrl }: Cluster, channel_id: number): Promise<ClusterNode> {
  const text = "SELECT node FROM pushes WHERE channel_id = $1 AND state = 'live'";
  const { rows } = await onDatabase(databaseUrl, (client) => client.query(text, [channel_id]));
  const owner = nodes.find(({ name }) => name === rows[0]?.node);
  if (!owner) throw new Error('nobody has the push');
  return owner;
}

async function untilVideos(service: ReturnType<typeof callable>, id: number) {
  let videos = await videosOf(service, id);
  const isThere = async () => {
    videos = await videosOf(service, id);
    return videos.length > 0;
  };
  await until(isThere, { withinMs, otherwise: 'there is no video' });
  return videos;
}

/** Any node, by the balancer. */
function callable({ greeting }: Cluster, { httpPort }: Places) {
  const url = `http://${host}:${httpPort}`;
  return {
    url,
    call: async (method: string, path: string, asked: object = {}) => {
      const connection = await HttpConnection.open(url);
      try {
        return await connection.request(method, path, { token: greeting.token ?? '', ...asked });
      } finally {
        connection.close();
      }
    },
  };
}
