// Three nodes are restarted one after the other behind a balancer, while a show runs and a crowd watches: nobody loses or gains by it.
import { type Balancer, type BalancerOrder, startBalancer } from '../cluster/balancer.ts';
import { presenceLimits } from '../src/audience/protocol/page-limits.ts';
import { BeatingViewer, startBeats, ticketSecret } from '../test/support/beating-viewers.ts';
import { type BucketStore, startBucketStore } from '../test/support/bucket-store.ts';
import { type ClipPush, startClipPush, testClip } from '../test/support/clip-push.ts';
import { engines, temporaryFolder } from '../test/support/engines.ts';
import { freePort } from '../test/support/free-port.ts';
import { isLive, newLiveChannel, until, videosOf } from '../test/support/live-channel.ts';
import { late } from '../test/support/machine-pace.ts';
import { judgeVideo, noJudge } from '../test/support/media-judge.ts';
import { type PlaylistPlayer, startPlaylistPlayer } from '../test/support/playlist-player.ts';
import { type ReturningViewer, startReturning } from '../test/support/returning-viewers.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { asking, type DatabaseSettings } from '../test/support/snapshot.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { audienceProblems } from './support/audience-rows.ts';

const nodeCount = 3;
const exitWithinMs = 10_000;
/** Of what a viewer said they had watched. */
const lostMsMax = 2_000;
/** One in so many has another tab, on whichever node. */
const twinOf = 10;
const comeAtOnce = 100;
/** An encoder that was sent away tries again so soon. */
const encoderAgainMs = 200;

export const trial: Trial = {
  sentence:
    'three nodes restarted in turn under a show and 1,000 viewers: no one loses 2 s, none counts twice, one video',
  rounds: 1,
  run: (options) =>
    rollingRestart(options, {
      ...{ viewers: 1_000, players: 6, beatMs: presenceLimits.beatMs },
      ...{ checkEveryMs: 1_000, drainMs: 2_500, watchMs: 12_000 },
    }),
};

interface Crowd {
  viewers: number;
  players: number;
  beatMs: number;
  /** How often the balancer asks, and for how long a node waits until it is seen. */
  checkEveryMs: number;
  drainMs: number;
  /** From one restart to the next. */
  watchMs: number;
}

export async function rollingRestart(
  { rounds, seed, say }: RoundOptions,
  crowd: Crowd,
): Promise<Figures> {
  const figures: Figures = { rounds: 0 };
  for (let at = 0; at < rounds; at += 1) {
    const found = await round('rolling-restart', seed + at, () => restartRound(crowd, say));
    for (const [name, figure] of Object.entries(found))
      figures[name] = Math.max(Number(figures[name] ?? 0), figure);
    figures['rounds'] = at + 1;
  }
  return figures;
}

interface Node {
  at: BalancerOrder['nodes'][number];
  settings: Record<string, string>;
  service: ServiceProcess;
}

async function restartRound(crowd: Crowd, say: RoundOptions['say']) {
  const bucket = await startBucketStore();
  const nodes: Node[] = [];
  let stage: Stage | undefined;
  try {
    const database = await newDatabase();
    for (let n = 1; n <= nodeCount; n += 1)
      nodes.push(await startNode(n, { database, bucket, crowd, token: nodes[0]?.service.token }));
    stage = await Stage.open(nodes, crowd, database);
    say(`${crowd.viewers} viewers are in`);
    const exitsMs: number[] = [];
    for (const node of nodes) {
      await Bun.sleep(crowd.watchMs);
      exitsMs.push(await restart(node, stage));
      say(`${node.settings['NODE_NAME']} was restarted, ${Math.round(exitsMs.at(-1) ?? 0)} ms`);
    }
    await Bun.sleep(crowd.watchMs);
    return { slowest_exit_ms: Math.round(Math.max(...exitsMs)), ...(await stage.judged()) };
  } finally {
    await stage?.close();
    for (const { service } of nodes) await service.kill();
    await bucket.stop();
  }
}

async function newDatabase(): Promise<DatabaseSettings> {
  const engine = engines.find(({ name }) => name === 'postgres');
  if (!engine) throw new Error('no PostgreSQL');
  return await engine.fresh();
}

async function startNode(
  number: number,
  given: {
    database: DatabaseSettings;
    bucket: BucketStore;
    crowd: Crowd;
    token: string | undefined;
  },
): Promise<Node> {
  const { database, bucket, crowd, token } = given;
  const name = `node-${number}`;
  const at = { name, httpPort: await freePort(), rtmpPort: await freePort() };
  const entries = String(crowd.viewers * 4);
  const settings = {
    ...{ DATABASE_URL: database.DATABASE_URL, DATA_DIR: temporaryFolder() },
    ...{ NODE_NAME: name, NODE_URL: `http://127.0.0.1:${at.httpPort}` },
    ...{ PORT: String(at.httpPort), RTMP_PORT: String(at.rtmpPort) },
    DRAIN_MS: String(crowd.drainMs),
    ...{ MIN_FREE_DISK: '10M', LOG_LEVEL: 'warn', ...bucket.environment },
    // All are one network, that of the balancer.
    ...{ AUDIENCE_ENTRIES_PER_NETWORK: entries, HTTP_CONNECTS_PER_NETWORK: entries },
    AUDIENCE_HELLO_MS: '60000',
  };
  return { at, settings, service: await startProcess(settings, token ? { token } : {}) };
}

/** How long it took until the node had ended; resolves when the balancer leads to it again and all are in. */
async function restart(node: Node, stage: Stage): Promise<number> {
  const startedAt = performance.now();
  const code = await node.service.stop();
  const exitMs = performance.now() - startedAt;
  demand([
    ...(code === 0 ? [] : [`the exit code is ${code}`]),
    ...late('the exit', exitMs, exitWithinMs),
  ]);
  node.service = await startProcess(node.settings, { token: node.service.token });
  await until(() => stage.balancer.isReady(node.at.name), {
    withinMs: 20_000,
    otherwise: 'the balancer does not lead to it again',
  });
  await stage.settled();
  return exitMs;
}

/** The show, its encoder and everybody who watches, in front of the balancer. */
class Stage {
  private readonly nodes: readonly Node[];
  private readonly database: DatabaseSettings;
  readonly balancer: Balancer;
  private readonly channel: { id: number; path: string };
  private readonly encoder: Encoder;
  private readonly pages: readonly ReturningViewer[];
  private readonly players: readonly PlaylistPlayer[];
  private readonly callers: Callers;
  private readonly stopBeats: () => void;

  private constructor(given: {
    nodes: readonly Node[];
    database: DatabaseSettings;
    balancer: Balancer;
    url: string;
    channel: { id: number; path: string };
    encoder: Encoder;
    pages: readonly ReturningViewer[];
    crowd: Crowd;
  }) {
    const { nodes, database, balancer, channel, encoder, pages, crowd } = given;
    this.nodes = nodes;
    this.database = database;
    this.balancer = balancer;
    this.channel = channel;
    this.encoder = encoder;
    this.pages = pages;
    const url = given.url + channel.path;
    this.players = Array.from({ length: crowd.players }, () => startPlaylistPlayer(url));
    this.callers = new Callers(given.url, nodes[0]?.service.token ?? '');
    const viewers = pages.map(({ viewer }) => viewer);
    this.stopBeats = startBeats(viewers, crowd.beatMs);
  }

  static async open(nodes: readonly Node[], crowd: Crowd, database: DatabaseSettings) {
    const [first] = nodes;
    if (!first) throw new Error('no nodes');
    const { checkEveryMs } = crowd;
    const balancer = await startBalancer({
      nodes: nodes.map(({ at }) => at),
      ...{ host: '127.0.0.1', httpPort: 0, rtmpPort: 0, askEveryMs: checkEveryMs },
    });
    const url = `http://127.0.0.1:${balancer.httpPort}`;
    const { id, publishUrl, playlistUrl } = await newLiveChannel(first.service);
    const channel = { id, path: new URL(playlistUrl).pathname };
    const encoder = new Encoder(
      `rtmp://127.0.0.1:${balancer.rtmpPort}${new URL(publishUrl).pathname}`,
    );
    await until(() => isLive(first.service, id), { withinMs: 10_000, otherwise: 'it is not live' });
    const viewers = await crowdOf(database, { channel_id: id, count: crowd.viewers });
    const pages: ReturningViewer[] = [];
    for (let from = 0; from < viewers.length; from += comeAtOnce)
      pages.push(
        ...(await Promise.all(
          viewers.slice(from, from + comeAtOnce).map((viewer) => startReturning(viewer, url)),
        )),
      );
    return new Stage({ nodes, database, balancer, url, channel, encoder, pages, crowd });
  }

  async settled(): Promise<void> {
    await Promise.all(this.pages.map((page) => page.settled()));
  }

  /** Ends the show, and holds what there is of it against what was said and sent. */
  async judged() {
    const { nodes, pages, players, encoder, callers, channel, database } = this;
    this.stopBeats();
    for (const { viewer } of pages) viewer.beat();
    await Promise.all(pages.map((page) => page.leave()));
    const endedAt = performance.now();
    await callers.stop();
    for (const player of players) await player.stop();
    await encoder.end();
    const service = (nodes[0] as Node).service;
    const videos = () => videosOf(service, channel.id);
    await until(async () => (await videos()).length > 0, {
      withinMs: 60_000,
      otherwise: 'there is no video',
    });
    const made = await videos();
    await untilWritten(database);
    const crowd = await judgeCrowd(database, { pages, endedAt });
    const video = await judgeShow(database, { m3u8: made[0]?.m3u8 ?? '', encoder });
    const played = players.flatMap((player) => player.problems());
    demand([
      ...(made.length === 1 ? [] : [`there are ${made.length} videos`]),
      ...crowd.problems,
      ...video.problems,
      ...played.map((problem) => `a player: ${problem}`),
      ...callers.problems,
    ]);
    return { ...crowd.figures, ...video.figures, calls: callers.answered };
  }

  async close(): Promise<void> {
    this.stopBeats();
    await Promise.all([this.callers.stop(), ...this.players.map((player) => player.stop())]);
    await this.encoder.end();
    this.balancer.stop();
  }
}

/** One in ten is there twice. */
async function crowdOf(
  database: DatabaseSettings,
  { channel_id, count }: { channel_id: number; count: number },
): Promise<BeatingViewer[]> {
  const secret = await ticketSecret(database);
  const pageOf = (n: number) =>
    new BeatingViewer(secret, {
      channel_id,
      viewer_id: `viewer ${n < count ? n : (n - count) * twinOf}`,
    });
  return Array.from({ length: count + Math.floor(count / twinOf) }, (_, n) => pageOf(n));
}

/** Pushes to the balancer until it is ended; sent away, it comes back. */
class Encoder {
  private readonly url: string;
  private push: ClipPush | undefined;
  private isEnding = false;
  private readonly running: Promise<void>;
  /** Media that was sent before. */
  private sentBeforeMs = 0;
  connections = 0;
  readonly awayMs: number[] = [];

  constructor(url: string) {
    this.url = url;
    this.running = this.run();
  }

  get sentMs(): number {
    return this.sentBeforeMs + (this.push?.sentMs() ?? 0);
  }

  async end(): Promise<void> {
    this.isEnding = true;
    await this.push?.end();
    await this.running;
  }

  private async run(): Promise<void> {
    let lostAt: number | undefined;
    while (!this.isEnding) {
      try {
        this.push = await startClipPush(this.url, testClip());
        this.connections += 1;
        if (lostAt !== undefined) this.awayMs.push(performance.now() - lostAt);
        await this.push.over;
        lostAt = performance.now();
        this.sentBeforeMs += this.push.sentMs();
        this.push = undefined;
      } catch {
        // Refused, or cut as it came.
      }
      if (!this.isEnding) await Bun.sleep(encoderAgainMs);
    }
  }
}

/** Programs that ask one thing after another, each on a connection of its own. */
class Callers {
  private isStopped = false;
  private readonly running: Promise<void>;
  answered = 0;
  readonly problems: string[] = [];

  constructor(url: string, token: string) {
    this.running = this.run(url, token);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
  }

  private async run(url: string, token: string): Promise<void> {
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    while (!this.isStopped) {
      const problem = await fetch(`${url}/v1/activities`, { headers }).then(
        ({ status }) => (status === 200 ? undefined : `a call was answered ${status}`),
        (error: Error) => `a call was not answered: ${error.message}`,
      );
      if (problem === undefined) this.answered += 1;
      else this.problems.push(problem);
      await Bun.sleep(50);
    }
  }
}

/** The nodes flush what the last have come to by themselves. */
async function untilWritten(database: DatabaseSettings): Promise<void> {
  const sums = 'SELECT SUM(watch_ms) AS ms, MAX(last_seen_at) AS at FROM sessions';
  let before = '';
  await until(
    async () => {
      const now = JSON.stringify(await asking(database, (ask) => ask(sums)));
      const isSame = now === before;
      before = now;
      if (!isSame) await Bun.sleep(2 * presenceLimits.flushEveryMs);
      return isSame;
    },
    { withinMs: 60_000, otherwise: 'what was watched goes on changing' },
  );
}

async function judgeCrowd(
  database: DatabaseSettings,
  { pages, endedAt }: { pages: readonly ReturningViewer[]; endedAt: number },
) {
  const problems = await audienceProblems(database);
  const rows = await asking(database, (ask) =>
    ask('SELECT viewer_id, record_id, watch_ms FROM sessions'),
  );
  const sessions = new Map(rows.map((row) => [String(row['record_id']), Number(row['watch_ms'])]));
  const visitors = new Map(
    (await asking(database, (ask) => ask('SELECT viewer_id, watch_ms FROM visitors'))).map(
      (row) => [String(row['viewer_id']), Number(row['watch_ms'])],
    ),
  );
  if (sessions.size !== pages.length)
    problems.push(`${pages.length} pages have ${sessions.size} sessions`);
  let worstLostMs = 0;
  for (const page of pages) {
    const { viewer, firstInAt } = page;
    const { viewer_id, playedMs, echoMs, session = '' } = viewer;
    const watchMs = sessions.get(session) ?? 0;
    const lostMs = playedMs - watchMs;
    worstLostMs = Math.max(worstLostMs, lostMs);
    problems.push(...page.problems.map((problem) => `${viewer_id}: ${problem}`));
    if (new Set(page.sessions).size !== 1) problems.push(`${viewer_id} was given another session`);
    if (watchMs > playedMs) problems.push(`${viewer_id} has ${watchMs} ms and played ${playedMs}`);
    if (lostMs > lostMsMax + echoMs) problems.push(`${viewer_id} lost ${lostMs} of ${playedMs} ms`);
    if (watchMs > endedAt - firstInAt) problems.push(`${viewer_id} watched longer than was time`);
  }
  for (const [viewer_id, own] of Map.groupBy(pages, ({ viewer }) => viewer.viewer_id)) {
    const wallMs = endedAt - Math.min(...own.map(({ firstInAt }) => firstInAt));
    const watchMs = visitors.get(viewer_id) ?? 0;
    if (watchMs > wallMs)
      problems.push(`${viewer_id} has ${watchMs} ms of ${Math.round(wallMs)}: some count twice`);
  }
  const away = pages.flatMap(({ awayMs }) => awayMs).toSorted((a, b) => a - b);
  const figures = {
    pages: pages.length,
    moves: away.length,
    worst_lost_ms: worstLostMs,
    median_away_ms: Math.round(away[Math.floor(away.length / 2)] ?? 0),
    worst_away_ms: Math.round(away.at(-1) ?? 0),
  };
  return { problems, figures };
}

/** One push, one show, one video, which has what was sent. */
async function judgeShow(
  database: DatabaseSettings,
  { m3u8, encoder }: { m3u8: string; encoder: Encoder },
) {
  const problems: string[] = [];
  const { shows, pushes } = await asking(database, async (ask) => ({
    shows: await ask('SELECT begin_at FROM shows'),
    pushes: await ask('SELECT epoch, state FROM pushes'),
  }));
  if (shows.length !== 1) problems.push(`there are ${shows.length} shows`);
  if (pushes[0]?.['state'] !== 'ended') problems.push(`the push is ${pushes[0]?.['state']}`);
  const epochs = Number(pushes[0]?.['epoch']);
  if (epochs !== encoder.connections)
    problems.push(`${encoder.connections} connections have made ${epochs} epochs`);
  const figures = {
    encoder_moves: encoder.connections - 1,
    worst_encoder_away_ms: Math.round(Math.max(0, ...encoder.awayMs)),
    sent_ms: Math.round(encoder.sentMs),
  };
  if (noJudge !== undefined) return { problems, figures };
  const judged = await judgeVideo(m3u8);
  const lackingMs = Math.round(encoder.sentMs - judged.durationMs);
  problems.push(...judged.problems);
  // What it sent while its push was named is nobody's.
  if (lackingMs > lostMsMax * encoder.connections)
    problems.push(`the video lacks ${lackingMs} ms of ${figures.sent_ms}`);
  return { problems, figures: { ...figures, video_lacks_ms: lackingMs } };
}
