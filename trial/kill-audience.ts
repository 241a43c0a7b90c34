// Fault 1 for the audience: kill -9 under thousands of watching pages; all come back and go on where they were.
import { presenceLimits } from '../src/audience/protocol/page-limits.ts';
import {
  type BeatingViewer,
  connectAll,
  newViewers,
  startBeats,
} from '../test/support/beating-viewers.ts';
import { type ClipPush, startClipPush } from '../test/support/clip-push.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import { freePort } from '../test/support/free-port.ts';
import { isLive, newLiveChannel, until } from '../test/support/live-channel.ts';
import { heldUpMs, isShort } from '../test/support/machine-pace.ts';
import { seeded } from '../test/support/random.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { asking, type DatabaseSettings } from '../test/support/snapshot.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { spanProblems } from './support/audience-rows.ts';

/** How often sums are written, and what a busy machine takes to write them. */
const flushEveryMs = 2_000;
const flushTakesMs = 1_500 + heldUpMs;
/** From when all are in until the kill, and from when all are back until the end: everybody beats at least once. */
const watchBeats = [1.1, 2.5] as const;

export const trial: Trial = {
  sentence:
    'kill -9 under 5,000 watching pages; all go on, a flush interval is lost at most, nothing counts twice',
  rounds: 3,
  run: (options) => killAudienceRounds(options, { viewers: 5_000, beatMs: presenceLimits.beatMs }),
};

interface Crowd {
  viewers: number;
  beatMs: number;
}

export async function killAudienceRounds(
  { rounds, seed, say }: RoundOptions,
  crowd: Crowd,
): Promise<Figures> {
  const counts = { rounds: 0, viewers: 0, resumed: 0, late: 0 };
  const figures = { ...counts, worst_unflushed_ms: 0, worst_lost_ms: 0 };
  for (let at = 0; at < rounds; at++) {
    const found = await round('kill-audience', seed + at, () => killRound(seed + at, crowd));
    figures.rounds += 1;
    figures.viewers += crowd.viewers;
    figures.resumed += found.resumed;
    figures.late += found.late;
    figures.worst_unflushed_ms = Math.max(figures.worst_unflushed_ms, found.worstUnflushedMs);
    figures.worst_lost_ms = Math.max(figures.worst_lost_ms, found.worstLostMs);
    say(`${at + 1} rounds, ${figures.resumed} sessions resumed`);
  }
  return figures;
}

async function killRound(seed: number, { viewers: count, beatMs }: Crowd) {
  const random = seeded(seed);
  const [least, most] = watchBeats;
  const watchMs = () => Math.round((least + random.next() * (most - least)) * beatMs);
  const settings = {
    DATA_DIR: temporaryFolder(),
    DATABASE_URL: '',
    MIN_FREE_DISK: '10M',
    LOG_LEVEL: 'warn',
    // All are one network. Those who go on with their session do not count, so nobody is refused after the kill.
    AUDIENCE_ENTRIES_PER_NETWORK: String(count),
    HTTP_CONNECTS_PER_NETWORK: String(count),
    // They say who they are when this process comes to it.
    AUDIENCE_HELLO_MS: '60000',
    PORT: String(await freePort()),
    RTMP_PORT: String(await freePort()),
  };
  let service = await startProcess(settings);
  const { token } = service;
  try {
    const channel = await newLiveChannel(service);
    const viewers = await newViewers(settings, { channel_id: channel.id, count });
    const first = await watch({ service, channel, viewers, ms: watchMs(), beatMs });
    const written = await recorded(settings);
    const killedAt = performance.now();
    await service.kill();
    await first.stop();
    service = await startProcess(settings, { token });
    const kept = await recorded(settings);
    const { problems, worstUnflushedMs } = judgeKept({ viewers, written, kept, killedAt });
    const before = viewers.map((viewer) => viewer.session);
    const playedMs = viewers.map((viewer) => viewer.playedMs);
    const second = await watch({ service, channel, viewers, ms: watchMs(), beatMs });
    await second.stop();
    await Promise.all(viewers.map((viewer) => viewer.leave()));
    await service.stop();
    const pages = viewers.map((viewer, n) => ({
      viewer,
      isResumed: viewer.session === before[n],
      unkeptMs: (playedMs[n] ?? 0) - (kept.get(viewer.viewer_id)?.watchMs ?? 0),
    }));
    const { worstLostMs, late, ...judged } = judgeAfter(pages, await recorded(settings));
    demand([...problems, ...judged.problems]);
    return { resumed: count - late, late, worstUnflushedMs, worstLostMs };
  } finally {
    if (service.isAlive()) await service.kill();
  }
}

/** The channel goes live, everybody comes and watches for a while. */
async function watch(given: {
  service: ServiceProcess;
  channel: { id: number; publishUrl: string };
  viewers: readonly BeatingViewer[];
  ms: number;
  beatMs: number;
}) {
  const { service, channel, viewers, ms, beatMs } = given;
  const push: ClipPush = await startClipPush(channel.publishUrl);
  const live = () => isLive(service, channel.id);
  await until(live, { withinMs: 5_000, otherwise: 'the channel is not live' });
  await connectAll(viewers, service.url);
  const stop = startBeats(viewers, beatMs);
  // The moment is the point here: no event is waited for.
  await Bun.sleep(ms);
  return {
    stop: async () => {
      stop();
      await push.end();
    },
  };
}

/** What the records say of each viewer. */
interface Recorded {
  sessions: number;
  watchMs: number;
  onlineMs: number;
  visitorMs: number;
  visits: number;
  /** From when the first session was last seen until the next was opened, by the service's clock. */
  awayMs: number;
}

async function recorded(settings: DatabaseSettings): Promise<Map<string, Recorded>> {
  // What was watched when is written with how long, or neither is.
  demand(await spanProblems(settings));
  const rows = await asking(settings, (ask) =>
    ask(`SELECT v.viewer_id, v.watch_ms AS visitor_ms, v.visit_times, COUNT(*) AS sessions,
      SUM(s.watch_ms) AS watch_ms, SUM(s.online_ms) AS online_ms,
      MAX(s.entered_at) - MIN(s.last_seen_at) AS away_ms
      FROM visitors v JOIN sessions s ON s.channel_id = v.channel_id AND s.viewer_id = v.viewer_id
      GROUP BY v.viewer_id, v.watch_ms, v.visit_times`),
  );
  const read = (row: Record<string, unknown>): Recorded => ({
    sessions: Number(row['sessions']),
    watchMs: Number(row['watch_ms']),
    onlineMs: Number(row['online_ms']),
    visitorMs: Number(row['visitor_ms']),
    visits: Number(row['visit_times']),
    awayMs: Number(row['away_ms']),
  });
  return new Map(rows.map((row) => [String(row['viewer_id']), read(row)]));
}

/** What was written before is there, what was said before the last flush too, and nothing more than was said. */
function judgeKept(given: {
  viewers: readonly BeatingViewer[];
  written: ReadonlyMap<string, Recorded>;
  kept: ReadonlyMap<string, Recorded>;
  killedAt: number;
}) {
  const { viewers, written, kept, killedAt } = given;
  const unflushedMs = flushEveryMs + flushTakesMs;
  const problems: string[] = [];
  let worstUnflushedMs = 0;
  for (const viewer of viewers) {
    const { viewer_id } = viewer;
    const watchMs = kept.get(viewer_id)?.watchMs ?? 0;
    const saidMs = viewer.saidMs();
    const lostMs = saidMs - watchMs;
    // A report that is heard later than the next one loses the difference.
    const mayLoseMs = viewer.saidMs(killedAt - unflushedMs) + viewer.echoMs;
    worstUnflushedMs = Math.max(worstUnflushedMs, lostMs);
    if (!kept.has(viewer_id)) problems.push(`${viewer_id} was let in and is not known`);
    if (watchMs < (written.get(viewer_id)?.watchMs ?? 0))
      problems.push(`${viewer_id} has ${watchMs} ms and had more`);
    if (lostMs < 0) problems.push(`${viewer_id} has ${watchMs} ms and said ${saidMs}`);
    if (lostMs > mayLoseMs) problems.push(`${viewer_id} lost ${lostMs} ms, not ${mayLoseMs}`);
  }
  return { problems, worstUnflushedMs };
}

/** A page that came back. */
interface BackPage {
  viewer: BeatingViewer;
  isResumed: boolean;
  /** What it had played before the kill and the records did not have. */
  unkeptMs: number;
}

/**
 * Each has one session, which has all that was played, once: coming back, a page says again what it had said. A machine
 * may be so slow that a page comes back when its session waits no more: it has another, without what was not kept.
 */
function judgeAfter(pages: readonly BackPage[], after: ReadonlyMap<string, Recorded>) {
  const problems: string[] = [];
  let worstLostMs = 0;
  let late = 0;
  for (const { viewer, isResumed, unkeptMs } of pages) {
    const { viewer_id, playedMs, echoMs } = viewer;
    const found = after.get(viewer_id);
    if (!found) {
      problems.push(`${viewer_id} has vanished`);
      continue;
    }
    const { sessions, visits, watchMs, onlineMs, visitorMs, awayMs } = found;
    const isLate = isShort && !isResumed && awayMs > presenceLimits.resumeWithinMs;
    if (isLate) late += 1;
    else if (!isResumed) problems.push(`${viewer_id} was given another session`);
    const lostMs = playedMs - watchMs - (isLate ? unkeptMs : 0);
    worstLostMs = Math.max(worstLostMs, lostMs);
    const visitsMade = isLate ? 2 : 1;
    if (sessions !== visitsMade || visits !== visitsMade)
      problems.push(`${viewer_id}: ${sessions} sessions, ${visits} visits, not ${visitsMade}`);
    if (watchMs > playedMs) problems.push(`${viewer_id} has ${watchMs} ms and played ${playedMs}`);
    if (lostMs > flushEveryMs + echoMs)
      problems.push(`${viewer_id} lost ${lostMs} ms of ${playedMs}`);
    if (watchMs > onlineMs) problems.push(`${viewer_id} watched ${watchMs} ms, online ${onlineMs}`);
    if (visitorMs !== watchMs)
      problems.push(`${viewer_id}: visitor ${visitorMs} ms, session ${watchMs}`);
  }
  return { problems, worstLostMs, late };
}
