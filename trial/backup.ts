// Fault 21: a backup under as many writes as the machine takes, a live push and pages; restored on the other engine.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  audienceTables,
  blockSizes,
  levels,
  matchingMs,
} from '../src/audience/records/block-counts.ts';
import { connectAll, newViewers, startBeats } from '../test/support/beating-viewers.ts';
import { type ClipPush, startClipPush } from '../test/support/clip-push.ts';
import { run } from '../test/support/command-line.ts';
import { type Engine, engines, temporaryFolder } from '../test/support/engines.ts';
import {
  isLive,
  type LiveChannel,
  newLiveChannel,
  until,
  videosOf,
} from '../test/support/live-channel.ts';
import { judgeVideo, noJudge } from '../test/support/media-judge.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { asking, type DatabaseSettings, snapshot } from '../test/support/snapshot.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { allFiles } from '../test/support/whole-place.ts';
import { spanProblems } from './support/audience-rows.ts';
import { SnapshotWriters } from './support/snapshot-writers.ts';

interface Size {
  /** Connections that write. */
  writers: number;
  viewers: number;
  /** Lines of chat that lie there already, so that reading takes its time. */
  lines: number;
  /** How long is written before the backup, and after it. */
  writeMs: number;
}

export const trial: Trial = {
  sentence:
    'a backup under writes and a live push, restored on the other engine: of one moment, nothing half',
  rounds: 6,
  run: (options) =>
    backupRounds(options, { writers: 32, viewers: 200, lines: 500_000, writeMs: 5_000 }),
};

const processSettings = {
  MIN_FREE_DISK: '10M',
  LOG_LEVEL: 'warn',
  CHANNELS_PER_ACCOUNT: '1000000',
};

export async function backupRounds(
  { rounds, seed, say }: RoundOptions,
  size: Size,
): Promise<Figures> {
  const figures = {
    rounds: 0,
    writes: 0,
    in_the_backup: 0,
    writes_a_second: 0,
    backup_ms: 0,
    rows: 0,
  };
  for (let at = 0; at < rounds; at++) {
    // In turns from one engine to the other.
    const [from, to] = (seed + at) % 2 === 0 ? engines : engines.toReversed();
    const found = await round('backup', seed + at, () =>
      backupRound(from as Engine, to as Engine, size),
    );
    figures.rounds += 1;
    figures.writes += found.writes;
    figures.in_the_backup += found.had;
    figures.writes_a_second = Math.max(figures.writes_a_second, found.writesPerSecond);
    figures.backup_ms = Math.max(figures.backup_ms, found.tookMs);
    figures.rows = Math.max(figures.rows, found.rows);
    say(`${from?.name} to ${to?.name}: ${JSON.stringify(found)}`);
  }
  return figures;
}

async function backupRound(from: Engine, to: Engine, size: Size) {
  const place = await from.fresh();
  const service = await startProcess({ ...place, ...processSettings });
  try {
    const show = await startShow(service, place, size);
    const writers = new SnapshotWriters(service);
    const startedAt = performance.now();
    writers.start(size.writers);
    await Bun.sleep(size.writeMs);
    const before = writers.count;
    const begunAt = performance.now();
    const file = join(temporaryFolder(), 'backup.tar');
    const made = await run(place, 'backup', file, '--json');
    const doneAt = performance.now();
    if (made.code !== 0) throw new Error(`the backup failed: ${made.err}`);
    const written = writers.count;
    await Bun.sleep(size.writeMs / 4);
    await writers.stop();
    show.stopBeats();
    await service.kill();
    show.push.publisher.cut();
    await show.push.over;
    const target = await to.fresh();
    const restored = await run(target, 'restore', file, '--json');
    if (restored.code !== 0) throw new Error(`the restore failed: ${restored.err}`);
    const judged = await writers.problems(target, { begunAt, doneAt });
    demand([
      ...judged.problems,
      ...(await restedProblems(target)),
      ...fileProblems(place, target, show.finished),
    ]);
    await checkServing(target, { token: service.token, show });
    return {
      ...{ writes: writers.count, had: judged.had, during: written - before },
      writesPerSecond: Math.round(written / ((doneAt - startedAt) / 1000)),
      tookMs: Math.round(doneAt - begunAt),
      rows: made.lines()[0].rows as number,
    };
  } finally {
    if (service.isAlive()) await service.kill();
  }
}

interface Show {
  channel: LiveChannel;
  push: ClipPush;
  /** The recording of a push before, which is a video. */
  finished: string;
  stopBeats(): void;
}

/** A push that has ended and is a video, then one that is live, with pages that watch. */
async function startShow(
  service: ServiceProcess,
  place: DatabaseSettings,
  { viewers: count, lines }: Size,
): Promise<Show> {
  const ended = await newLiveChannel(service, 'ended');
  const first = await startClipPush(ended.publishUrl);
  await until(() => first.sentMs() > 2_000, { withinMs: 20_000, otherwise: 'nothing was sent' });
  await first.end();
  const hasVideo = async () => (await videosOf(service, ended.id)).length > 0;
  await until(hasVideo, { withinMs: 20_000, otherwise: 'the first push became no video' });
  const [row] = await asking(place, (ask) => ask('SELECT recording FROM videos'));
  await fillChat(place, ended.id, lines);
  const channel = await newLiveChannel(service, 'live');
  const push = await startClipPush(channel.publishUrl);
  await until(() => isLive(service, channel.id), { withinMs: 20_000, otherwise: 'it is not live' });
  const viewers = await newViewers(place, { channel_id: channel.id, count });
  await connectAll(viewers, service.url);
  return {
    channel,
    push,
    finished: String(row?.['recording']),
    stopBeats: startBeats(viewers, 1_000),
  };
}

async function fillChat(place: DatabaseSettings, channel_id: number, lines: number): Promise<void> {
  const { openUnchanged } = await import('../src/base/db/store.ts');
  const { write } = await import('../src/base/db/sql.ts');
  const fill = write('trial.fill', async (sql) => {
    await sql.run(
      `INSERT INTO chat_messages (channel_id, id, viewer_id, nick, text, sent_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
       SELECT CAST($1 AS BIGINT), i, 'viewer', 'nick', 'a line of chat', i FROM n`,
      [channel_id, lines],
    );
  });
  const settings = { dataDir: place.DATA_DIR, databaseUrl: place.DATABASE_URL };
  const bounds = { deadlineMs: 60_000, connectionsMax: 1 };
  const store = await openUnchanged(
    { ...settings, ...bounds },
    {
      operations: [fill as never],
      readOnly: false,
    },
  );
  await store.perform(fill, undefined as never).finally(() => store.close());
}

/** What contradicts itself in the copy as it is, before any service has started on it. */
async function restedProblems(place: DatabaseSettings): Promise<string[]> {
  // The push is live in the copy, as it was then.
  const { problems } = await snapshot(place);
  const wrong = problems.filter((problem) => !problem.endsWith('is shown live and is not'));
  return [...wrong, ...(await spanProblems(place)), ...(await blockProblems(place))];
}

async function blockProblems(place: DatabaseSettings): Promise<string[]> {
  return await asking(place, async (ask) => {
    const counts = (rows: Record<string, unknown>[]) =>
      rows.map((row) => Object.values(row).map(Number).join(' ')).sort();
    const problems: string[] = [];
    for (const kind of ['session', 'visitor'] as const)
      for (const level of levels) {
        const kept = await ask(
          `SELECT channel_id, block, rows, matching FROM audience_block
           WHERE kind = '${kind}' AND level = ${level} AND rows > 0`,
        );
        const counted = await ask(
          `SELECT channel_id, seq / ${blockSizes[level]} AS block, COUNT(*) AS rows,
             SUM(CASE WHEN watch_ms >= ${matchingMs[kind]} THEN 1 ELSE 0 END) AS matching
           FROM ${audienceTables[kind]} GROUP BY channel_id, seq / ${blockSizes[level]}`,
        );
        if (kept.length === 0 || counts(kept).join() !== counts(counted).join())
          problems.push(`${kind}s are counted ${counts(kept)}, and are ${counts(counted)}`);
      }
    return problems;
  });
}

/** Of a recording that grew meanwhile the copy has the beginning; of one that was finished all. */
function fileProblems(
  place: DatabaseSettings,
  target: DatabaseSettings,
  finished: string,
): string[] {
  const there = allFiles(target);
  const own = allFiles(place);
  const problems: string[] = [];
  for (const name of ['source.mp4', 'source.index', 'recording.json'])
    if (there[`${finished}/${name}`] !== own[`${finished}/${name}`])
      problems.push(`${name} of the finished recording is another`);
  const growing = Object.keys(there).filter((name) => !name.startsWith(finished));
  if (!growing.some((name) => name.endsWith('source.mp4'))) problems.push('no recording grew');
  for (const name of growing) {
    const [copy, whole] = [target, place].map(({ DATA_DIR }) =>
      readFileSync(join(DATA_DIR, 'recordings', name)),
    ) as [Buffer, Buffer];
    if (Buffer.compare(copy, whole.subarray(0, copy.length)) !== 0)
      problems.push(`${name} is not the beginning of what was recorded`);
  }
  return problems;
}

/** A service goes on with it as after a kill: the token works, nothing is live, the push is a video that plays. */
async function checkServing(
  target: DatabaseSettings,
  { token, show: { channel } }: { token: string; show: Show },
): Promise<void> {
  const service = await startProcess({ ...target, ...processSettings }, { token });
  try {
    const list = await service.call('GET', '/v1/activities?perPage=1');
    const found = await snapshot(target);
    const total = found.channels.length;
    demand([
      ...found.problems,
      ...(list.body?.meta.total === total
        ? []
        : [`the list says ${list.text}, there are ${total}`]),
      ...((await isLive(service, channel.id)) ? ['the channel is live in the copy'] : []),
    ]);
    const videos = () => videosOf(service, channel.id);
    await until(async () => (await videos()).length === 1, {
      withinMs: 20_000,
      otherwise: 'the push that was live became no video',
    });
    const [video] = await videos();
    if (noJudge === undefined) {
      const { problems, durationMs } = await judgeVideo(video?.m3u8 ?? '');
      demand([...problems, ...(durationMs > 0 ? [] : ['the video shows nothing'])]);
    }
  } finally {
    await service.kill();
  }
}
