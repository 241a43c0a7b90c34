// Fault 1 for deleted channels: kill -9 while channels are deleted, brought back and removed; nothing is half done.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '../src/base/db/sql.ts';
import { openCommandStore } from '../src/base/db/store.ts';
import { readNodeName } from '../src/base/nodes/node-name.ts';
import { channelTables } from '../src/library/deletion/channel-removal-store.ts';
import { addVideos } from '../src/library/videos/video-store.ts';
import { operations } from '../src/operations.ts';
import { recordingsFolder } from '../src/stream/recording/recording-folder.ts';
import { addRecording } from '../src/stream/recording/recording-store.ts';
import type { Engine } from '../test/support/engines.ts';
import { freePort } from '../test/support/free-port.ts';
import { until } from '../test/support/live-channel.ts';
import { type Random, seeded } from '../test/support/random.ts';
import { HttpConnection, NoAnswer } from '../test/support/rude/http-connection.ts';
import { type ServiceProcess, spawnServe, startProcess } from '../test/support/service-process.ts';
import { asking, type DatabaseSettings } from '../test/support/snapshot.ts';
import { enterAnew, entry, newChannel, plainVideo } from '../test/support/store.ts';
import {
  demand,
  type Figures,
  onEachEngine,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';

const channelsAtOnce = 6;
const callersAtOnce = 3;
/** The longest that callers delete and restore before the kill. */
const killWithinMs = 300;
/** The longest that a service removes what is gone before it is killed. */
const killRemovalWithinMs = 900;
/** What each channel has of each: sessions take several steps to remove. */
const has = { sessions: 600, videos: 3, recordings: 2 };

export const trial: Trial = {
  sentence: 'kill -9 while channels are deleted, restored and removed; nothing is half done',
  rounds: 50,
  run: (options) => onEachEngine(options, (engine) => killDeletionRounds({ ...options, engine })),
};

/** What a caller was last told of a channel; undefined while a call about it was not answered. */
type Known = Map<number, boolean | undefined>;

export async function killDeletionRounds({
  rounds,
  seed,
  engine,
}: RoundOptions & { engine: Engine }): Promise<Figures> {
  const figures = { rounds: 0, acknowledged: 0, removed: 0 };
  const settings = { ...(await engine.fresh()), PORT: String(await freePort()) };
  let service = await startProcess(settings);
  const { token } = service;
  try {
    for (let at = 0; at < rounds; at++) {
      await round('kill-deletion', seed + at, async () => {
        const random = seeded(seed + at);
        const ids = await makeChannels(settings);
        const known: Known = new Map(ids.map((id) => [id, false]));
        figures.acknowledged += await changeUntilKilled({ service, random, known });
        service = await startProcess(settings, { token });
        demand(await problemsOf(settings, known));
        await service.kill();
        // From now on what is deleted goes at once; a kill comes in between.
        const removing = { ...settings, DELETED_CHANNEL_DAYS: '0' };
        await killRemoval(removing, random);
        demand(await problemsOf(settings, known));
        const gone = await removeAll(removing, token);
        figures.removed += ids.filter((id) => gone.includes(id)).length;
        demand(await problemsOf(settings, known));
        service = await startProcess(settings, { token });
      });
      figures.rounds += 1;
    }
  } finally {
    await service.kill();
  }
  return figures;
}

async function makeChannels(settings: DatabaseSettings): Promise<number[]> {
  const store = await openCommandStore(
    {
      databaseUrl: settings.DATABASE_URL,
      dataDir: settings.DATA_DIR,
      deadlineMs: 10_000,
      connectionsMax: 1,
    },
    operations,
  );
  try {
    const node = await readNodeName(settings.DATA_DIR);
    const ids: number[] = [];
    for (let at = 0; at < channelsAtOnce; at++) ids.push(await makeChannel(store, settings, node));
    return ids;
  } finally {
    await store.close();
  }
}

async function makeChannel(
  store: Store,
  { DATA_DIR }: DatabaseSettings,
  node: string,
): Promise<number> {
  const channel_id = await newChannel(store);
  const now = Date.now();
  const entries = Array.from({ length: has.sessions }, (_, at) => entry(`v ${at}`, now + at));
  await enterAnew(store, channel_id, entries);
  const videos = Array.from({ length: has.videos }, (_, at) =>
    plainVideo({ external_id: `${channel_id} ${at}`, channel_id }),
  );
  await store.perform(addVideos, { account_id: 1, videos });
  for (let at = 0; at < has.recordings; at++) {
    const recording = `trial-${channel_id}-${at}`;
    const folder = join(recordingsFolder(DATA_DIR), recording);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'source.mp4'), 'bytes');
    await store.perform(addRecording, {
      recording,
      channel_id,
      account_id: 1,
      show_at: null,
      show_ms: null,
      startText: '',
      video_size: 5,
      duration: 1,
      width: 0,
      height: 0,
      start_time: now,
      end_time: now,
      sameAsSource: [],
      jobs: [],
      node,
      now,
    });
  }
  return channel_id;
}

/** Callers delete and restore until the service is killed; how many calls were answered. */
async function changeUntilKilled(given: {
  service: ServiceProcess;
  random: Random;
  known: Known;
}): Promise<number> {
  const { service, random, known } = given;
  const { url, token } = service;
  const first = Promise.withResolvers<void>();
  const shares = Array.from({ length: callersAtOnce }, (_, caller) =>
    [...known.keys()].filter((_, at) => at % callersAtOnce === caller),
  );
  // Each channel has one caller, so that what it was told last is what must hold.
  const callers = shares.map(async (ids) => {
    const connection = await HttpConnection.open(url);
    let answered = 0;
    try {
      for (;;) {
        const id = random.pick(ids);
        const isDeleted = known.get(id) === true;
        known.set(id, undefined);
        const { status, text } = isDeleted
          ? await connection.request('POST', `/manage/v1/channels/${id}/restore`, {
              token,
              body: {},
            })
          : await connection.request('DELETE', `/v1/activities/${id}`, { token });
        if (status !== 200) throw new Error(`channel ${id} was answered ${text}`);
        known.set(id, !isDeleted);
        answered += 1;
        first.resolve();
      }
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
    } finally {
      connection.close();
    }
    return answered;
  });
  await first.promise;
  // The moment is the point here: no event is waited for.
  await Bun.sleep(random.next() * killWithinMs);
  await service.kill();
  const counts = await Promise.all(callers);
  return counts.reduce((sum, count) => sum + count, 0);
}

async function killRemoval(settings: Record<string, string>, random: Random): Promise<void> {
  const child = spawnServe(settings);
  await Bun.sleep(random.next() * killRemovalWithinMs);
  child.kill('SIGKILL');
  await child.exited;
}

/** What contradicts what was answered, or itself. A channel that can be shown or brought back is whole. */
async function problemsOf(settings: DatabaseSettings, known: Known): Promise<string[]> {
  return await asking(settings, async (ask) => {
    const problems: string[] = [];
    const one = async (text: string) => Number((await ask(text))[0]?.['n'] ?? 0);
    const shown = '(SELECT id FROM channels WHERE deleted_at IS NULL)';
    for (const [kind, column] of [
      ['channels', 'id'],
      ['videos', 'channel_id'],
    ]) {
      const counted = await one(`SELECT COUNT(*) AS n FROM ${kind} WHERE ${column} IN ${shown}`);
      for (const part of ['account', 'manager']) {
        const kept = await one(
          `SELECT total AS n FROM totals WHERE kind = '${kind}' AND part = '${part}' AND part_id = 0`,
        );
        if (kept !== counted) problems.push(`${kind} by ${part}: ${kept} kept, ${counted} counted`);
      }
    }
    for (const { id, deleted_at, gone_at } of await ask('SELECT * FROM channels ORDER BY id')) {
      const isDeleted = known.get(Number(id));
      if (isDeleted !== undefined && isDeleted !== (deleted_at !== null))
        problems.push(`channel ${id} is ${isDeleted ? 'not ' : ''}deleted against the answer`);
      if (gone_at !== null) continue;
      const rows = (table: string) =>
        one(`SELECT COUNT(*) AS n FROM ${table} WHERE channel_id = ${id}`);
      const found = [await rows('sessions'), await rows('visitors'), await rows('videos')];
      const wanted = [has.sessions, has.sessions, has.videos + has.recordings];
      if (found.join() !== wanted.join())
        problems.push(`channel ${id} has ${found} rows, not ${wanted}`);
      for (const folder of foldersOf(settings, Number(id)))
        if (!existsSync(join(folder, 'source.mp4'))) problems.push(`${folder} is gone too soon`);
    }
    return problems;
  });
}

function foldersOf({ DATA_DIR }: DatabaseSettings, id: number): string[] {
  return Array.from({ length: has.recordings }, (_, at) =>
    join(recordingsFolder(DATA_DIR), `trial-${id}-${at}`),
  );
}

const removedWithinMs = 20_000;

/** One service says that they are gone and removes their rows, the next finds their files; which channels those were. */
async function removeAll(
  settings: DatabaseSettings & Record<string, string>,
  token: string,
): Promise<number[]> {
  const left = (more: string) =>
    asking(settings, (ask) => ask(`SELECT id FROM channels WHERE deleted_at IS NOT NULL ${more}`));
  const first = await startProcess(settings, { token });
  await until(async () => (await left('AND gone_at IS NULL')).length === 0, {
    withinMs: removedWithinMs,
    otherwise: 'deleted channels do not go',
  });
  await first.kill();
  const second = await startProcess(settings, { token });
  const gone = (await left('')).map(({ id }) => Number(id));
  await until(async () => (await remains(settings, gone)).length === 0, {
    withinMs: removedWithinMs,
    otherwise: `this is left of ${gone}: ${await remains(settings, gone)}`,
  });
  await second.kill();
  return gone;
}

/** What there still is of channels that are gone, but for their bare rows. */
async function remains(settings: DatabaseSettings, ids: readonly number[]): Promise<string[]> {
  const folders = ids.flatMap((id) => foldersOf(settings, id)).filter((path) => existsSync(path));
  if (ids.length === 0) return [];
  return await asking(settings, async (ask) => {
    const found = [...folders];
    for (const table of Object.keys(channelTables)) {
      const rows = await ask(`SELECT 1 AS one FROM ${table} WHERE channel_id IN (${ids}) LIMIT 1`);
      if (rows.length > 0) found.push(table);
    }
    return found;
  });
}
