// Whether a service that was killed is whole again: its lists, its files, the reports of its shows.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  readNote,
  recordingsFolder,
  sourceFile,
} from '../../src/stream/recording/recording-folder.ts';
import { until } from '../../test/support/live-channel.ts';
import type { ServiceProcess } from '../../test/support/service-process.ts';
import { judgedShow, type ShowSession, sessionsIn } from '../../test/support/show-judge.ts';
import { asking, type DatabaseSettings } from '../../test/support/snapshot.ts';

/** Whatever is left to be done after a start is done by then; how soon is judged elsewhere. */
const settledWithinMs = 60_000;

const shownChannels = '(SELECT id FROM channels WHERE deleted_at IS NULL)';

/** Each list: how it is asked for, what it lists, and the rows that are to be in it. */
const lists = [
  {
    path: '/v1/activities',
    of: 'activities',
    rows: 'channels WHERE deleted_at IS NULL',
  },
  {
    path: '/v1/videos?perPage=1000',
    of: 'videos',
    rows: `videos WHERE deleted_at IS NULL AND channel_id IN ${shownChannels}`,
  },
  {
    path: '/manage/v1/videos?perPage=100',
    of: 'videos',
    rows: `videos WHERE deleted_at IS NULL AND channel_id IN ${shownChannels}`,
  },
  {
    path: '/manage/v1/deleted-channels',
    of: 'channels',
    rows: 'channels WHERE deleted_at IS NOT NULL',
  },
  {
    path: '/manage/v1/deleted-videos',
    of: 'videos',
    rows: `videos WHERE deleted_at IS NOT NULL AND channel_id IN ${shownChannels}`,
  },
  {
    path: '/manage/v1/uploads?perPage=100',
    of: 'uploads',
    rows: `uploads WHERE channel_id IN ${shownChannels}`,
  },
] as const;

/** Lists whose totals, rows and tables do not agree. */
export async function listProblems(
  service: ServiceProcess,
  settings: DatabaseSettings,
): Promise<string[]> {
  const problems: string[] = [];
  for (const { path, of, rows } of lists) {
    const { total, ids } = await walk(service, path, of);
    const there = await idsOf(settings, rows);
    if (total !== there.length || ids.map(String).sort().join() !== there.join())
      problems.push(`${path} says ${total} and lists ${ids}, and there are ${there}`);
  }
  return [...problems, ...(await totalProblems(settings))];
}

async function walk(service: ServiceProcess, path: string, of: string) {
  const ids: unknown[] = [];
  for (let page = 1; ; page++) {
    const asked = `${path}${path.includes('?') ? '&' : '?'}p=${page}`;
    const { status, body, text } = await service.call('GET', asked);
    if (status !== 200) throw new Error(`${asked} was answered ${text}`);
    ids.push(...body[of].map(({ id }: { id: unknown }) => id));
    if (body.links.next_url === null || body[of].length === 0)
      return { total: body.meta.total as number, ids };
  }
}

async function idsOf(settings: DatabaseSettings, rows: string): Promise<string[]> {
  const found = await asking(settings, (ask) => ask(`SELECT id FROM ${rows}`));
  return found.map(({ id }) => String(id)).sort();
}

/** Kept totals that a recount does not give. */
export async function totalProblems(settings: DatabaseSettings): Promise<string[]> {
  const counts = (kind: string, channel: string) => {
    const rows = `FROM ${kind} WHERE deleted_at IS NULL AND ${channel} IN ${shownChannels}`;
    return `SELECT '${kind}' AS kind, 'account' AS part, 0 AS part_id, COUNT(*) AS total ${rows}
      UNION ALL SELECT '${kind}', 'manager', manager_id, COUNT(*) ${rows} GROUP BY manager_id`;
  };
  const { kept, counted } = await asking(settings, async (ask) => ({
    kept: await ask('SELECT kind, part, part_id, total FROM totals WHERE account_id = 1'),
    counted: await ask(`${counts('channels', 'id')} UNION ALL ${counts('videos', 'channel_id')}
      UNION ALL SELECT 'jobs', 'account', 0, COUNT(*) FROM jobs WHERE account_id = 1
      UNION ALL SELECT 'videos', 'channel', channel_id, COUNT(*) FROM videos
      WHERE deleted_at IS NULL AND channel_id IN ${shownChannels} GROUP BY channel_id`),
  }));
  const named = (rows: Record<string, unknown>[]) =>
    new Map(
      rows.map(({ kind, part, part_id, total }) => [`${kind} ${part} ${part_id}`, Number(total)]),
    );
  const [keptBy, countedBy] = [named(kept), named(counted)];
  const hidden = new Set(
    (
      await asking(settings, (ask) => ask('SELECT id FROM channels WHERE deleted_at IS NOT NULL'))
    ).map(({ id }) => `videos channel ${id}`),
  );
  return (
    [...new Set([...keptBy.keys(), ...countedBy.keys()])]
      // What a deleted channel has is kept for when it is brought back.
      .filter((part) => !hidden.has(part))
      .filter((part) => (keptBy.get(part) ?? 0) !== (countedBy.get(part) ?? 0))
      .map((part) => `the total of ${part} is ${keptBy.get(part)}, counted ${countedBy.get(part)}`)
  );
}

/**
 * Waits until every row has its files and every file its row; what is left over when that takes too long. Of a channel
 * on air one recording grows, which has no row yet.
 */
export async function fileProblems(
  settings: DatabaseSettings,
  isGrowing: (channel_id: number) => boolean,
): Promise<string[]> {
  let problems: string[] = [];
  const isSettled = async () => {
    problems = [
      ...(await recordingProblems(settings, isGrowing)),
      ...(await uploadFileProblems(settings)),
      ...namesIn(settings, 'clips').map((name) => `clips/${name} was left over`),
    ];
    return problems.length === 0;
  };
  await until(isSettled, { withinMs: settledWithinMs, otherwise: 'not settled' }).catch(() => {});
  return problems;
}

async function recordingProblems(
  settings: DatabaseSettings,
  isGrowing: (channel_id: number) => boolean,
): Promise<string[]> {
  const names = namesIn(settings, 'recordings');
  const rows = await asking(settings, (ask) =>
    ask('SELECT id, recording FROM videos WHERE recording IS NOT NULL'),
  );
  const root = recordingsFolder(settings.DATA_DIR);
  const known = new Set(rows.map(({ recording }) => String(recording)));
  const growing = new Set<number>();
  const problems = rows
    .filter(({ recording }) => !existsSync(join(root, String(recording), sourceFile)))
    .map(({ id, recording }) => `video ${id} has no file in ${recording}`);
  for (const name of names) {
    if (known.has(name)) continue;
    const note = await readNote(join(root, name));
    const channel = note?.channel_id ?? 0;
    if (!isGrowing(channel) || growing.has(channel))
      problems.push(`recordings/${name} of channel ${channel} is no video`);
    growing.add(channel);
  }
  return problems;
}

async function uploadFileProblems(settings: DatabaseSettings): Promise<string[]> {
  const rows = await asking(settings, (ask) =>
    ask("SELECT id FROM uploads WHERE state IN ('coming', 'reading')"),
  );
  const ids = new Set(rows.map(({ id }) => String(id)));
  const names = new Set(namesIn(settings, 'uploads'));
  return [
    ...[...names].filter((name) => !ids.has(name)).map((name) => `uploads/${name} has no row`),
    ...[...ids].filter((id) => !names.has(id)).map((id) => `the upload ${id} has no file`),
  ];
}

function namesIn({ DATA_DIR }: DatabaseSettings, folder: string): string[] {
  const path = join(DATA_DIR, folder);
  return existsSync(path) ? readdirSync(path) : [];
}

/** What the report of a show says. */
interface ToldShow {
  id: number;
  begin: string;
  end: string;
  uv: number;
  pv: number;
  peak: number;
  watch_seconds: number;
  minutes: unknown;
  records: string;
}

/** Reports of a channel's shows, none of which is on, that differ from a recount of `sessions.ndjson`; how many there are. */
export async function reportProblems(
  service: ServiceProcess,
  settings: DatabaseSettings,
  channel_id: number,
): Promise<{ shows: number; problems: string[] }> {
  const exported = await service.call('GET', `/manage/v1/channels/${channel_id}/sessions.ndjson`);
  if (exported.status !== 200) throw new Error(`the export was answered ${exported.text}`);
  const sessions = sessionsIn(exported.text);
  const shows = await asking(settings, (ask) =>
    ask(`SELECT id, begin_at FROM shows WHERE channel_id = ${channel_id}`),
  );
  const problems: string[] = [];
  for (const { id, begin_at } of shows) {
    const path = `/v1/activities/${channel_id}/report?show=${id}`;
    const { body } = await service.call('GET', path);
    const told: ToldShow = body.shows[0];
    const counted = countedShow(Number(begin_at), sessions);
    const { uv, pv, peak, watch_seconds, minutes, records } = told;
    const found = JSON.stringify({ uv, pv, peak, watch_seconds, minutes, records });
    if (told.end === '') problems.push(`show ${id} has not ended`);
    if (found !== counted) problems.push(`show ${id} is ${found}, counted ${counted}`);
  }
  return { shows: shows.length, problems };
}

function countedShow(begin: number, sessions: readonly ShowSession[]): string {
  const own = sessions.map(({ viewer_id, spans }) => ({
    viewer_id,
    spans: spans.filter(({ show }) => show === begin),
  }));
  const { uv, pv, peak, watch_ms, minutes } = judgedShow(begin, own, 1);
  const watch_seconds = Math.floor(watch_ms / 1_000);
  return JSON.stringify({ uv, pv, peak, watch_seconds, minutes, records: 'whole' });
}
