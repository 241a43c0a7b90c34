// What must hold of a cluster: after each fault, and when its show is over.
import { readSpans } from '../../src/audience/records/span.ts';
import type { Cluster, ClusterShow } from '../../test/support/cluster/cluster.ts';
import { numbersIn } from '../../test/support/cluster/numbered-pictures.ts';
import {
  absenceProblems,
  type Holding,
  holdingsOf,
  pushProblems,
} from '../../test/support/cluster/push-history.ts';
import { lackingOf, recordingProblems } from '../../test/support/cluster/recorded-numbers.ts';
import {
  endedTwice,
  type VisitorRows,
  visitorProblems,
} from '../../test/support/cluster/watched-union.ts';
import { until } from '../../test/support/live-channel.ts';
import { heldUpMs } from '../../test/support/machine-pace.ts';

const wellWithinMs = 60_000;
const flushedWithinMs = 15_000;
const videosWithinMs = 120_000;
/** Pages tell a millisecond, and the service rounds each report. */
const doubtMs = 250 + heldUpMs;

/** The encoder is let in, all nodes see each other, every player is shown what is new, and every page watches. */
export async function untilWell(cluster: Cluster, show: ClusterShow): Promise<void> {
  const { encoder, players, pages } = show;
  const otherwise = (what: string) => ({ withinMs: wellWithinMs, otherwise: what });
  await cluster.whole();
  await until(
    () => encoder.isLetIn,
    otherwise(`the encoder is out: ${encoder.refusals.slice(-3)}`),
  );
  await until(
    async () => (await cluster.liveEpoch(show.channel_id)) > 0,
    otherwise('the channel is not live'),
  );
  const before = players.map(({ newest }) => newest);
  for (const [at, player] of players.entries())
    await until(
      () => player.newest > (before[at] ?? 0),
      otherwise(`players of ${player.node.name} stand at ${player.newest}, of ${before}`),
    );
  for (const page of pages)
    await until(
      () => page.isWatching,
      otherwise(`a page is not let in: ${page.refusals.slice(-3)}`),
    );
  const playedMs = pages.map((page) => page.playedMs);
  for (const [at, page] of pages.entries())
    await until(
      () => page.playedMs > (playedMs[at] ?? 0),
      otherwise(`a page on ${page.node.name} is told that nothing is on`),
    );
}

/** What must hold at any time. */
export async function clusterProblems(cluster: Cluster, show: ClusterShow): Promise<string[]> {
  const history = await cluster.history();
  return [
    ...pushProblems(history),
    ...show.shown.problems,
    ...absenceProblems(holdingsOf(history, show.channel_id), show.shown.absences),
  ];
}

export async function endProblems(cluster: Cluster, show: ClusterShow) {
  const { encoder, pages, channel_id } = show;
  await Promise.all(pages.map((page) => page.leave()));
  await encoder.end();
  const history = await cluster.history();
  const holdings = holdingsOf(history, channel_id).filter(({ state }) => state === 'live');
  // By their names.
  const pushes = new Set(holdings.map(({ push }) => push));
  await until(async () => (await cluster.videos(channel_id)).length >= pushes.size, {
    withinMs: videosWithinMs,
    otherwise: `${pushes.size} pushes have not become videos`,
  });
  // Until then what one node has had alone is read on that node only.
  const onDisks = "SELECT 1 FROM videos WHERE channel_id = $1 AND storage <> 'bucket'";
  await until(async () => (await cluster.rows(onDisks, [channel_id])).length === 0, {
    withinMs: videosWithinMs,
    otherwise: 'not all videos lie in the bucket',
  });
  const found = await recordedNumbers(cluster, channel_id);
  const recorded = { sent: encoder.pushed, found, mayLack: encoder.mayLack };
  const lacking = lackingOf(recorded.sent, found);
  const videos = await cluster.videos(channel_id);
  const histories = pages.map((page) => page.history());
  let visitors: VisitorRows[] = [];
  let wrongVisitors: string[] = [];
  const isWritten = async () => {
    visitors = await visitorRows(cluster, channel_id);
    wrongVisitors = visitorProblems({ visitors, pages: histories, doubtMs });
    return wrongVisitors.length === 0;
  };
  // What pages said last is written with the next flush.
  await until(isWritten, { withinMs: flushedWithinMs, otherwise: '' }).catch(() => {});
  const ended = await cluster.rows<{ data: string }>(
    "SELECT data FROM events WHERE type = 'audience.session.ended'",
  );
  const problems = [
    ...(await clusterProblems(cluster, show)),
    ...recordingProblems(recorded),
    ...wrongVisitors,
    ...endedTwice(ended.map(({ data }) => JSON.parse(data))),
  ];
  if (videos.length !== pushes.size)
    problems.push(`${pushes.size} pushes have become ${videos.length} videos`);
  return {
    problems,
    sums: {
      takeovers: takeoversOf(holdings),
      'pictures sent': encoder.pushed.reduce((sum, { from, to }) => sum + to - from + 1, 0),
      'pictures lost': lacking.reduce((sum, { from, to }) => sum + to - from + 1, 0),
      'playlists checked': show.shown.playlists,
      'playlists said to be absent': show.shown.absences.length,
      'files compared': show.shown.files,
      'segments named': history.filter(({ kind }) => kind === 'segment').length,
      sessions: visitors.reduce((sum, one) => sum + one.sessions.length, 0),
      'seconds watched': Math.round(visitors.reduce((sum, one) => sum + one.watch_ms, 0) / 1_000),
    },
    mosts: {
      'most pictures lost at once': Math.max(0, ...lacking.map(({ from, to }) => to - from + 1)),
    },
  };
}

function takeoversOf(holdings: readonly Holding[]): number {
  return holdings.filter(({ epoch, push }, at) => {
    const before = holdings[at - 1];
    return before !== undefined && before.push === push && before.epoch < epoch;
  }).length;
}

async function recordedNumbers(cluster: Cluster, channel_id: number): Promise<number[]> {
  const videos = await cluster.videos(channel_id);
  const all = await Promise.all(videos.map(({ m3u8 }) => sourceNumbers(m3u8)));
  return all.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0)).flat();
}

/** Of the file that a recording's playlist is about, as it lists it. */
async function sourceNumbers(m3u8: string): Promise<number[]> {
  const text = await (await loaded(m3u8)).text();
  const [, uri = ''] = /^#EXT-X-MAP:URI="([^"]+)"/m.exec(text) ?? [];
  const bytes = await (await loaded(new URL(uri, m3u8).href)).bytes();
  const pieces = [...text.matchAll(/^#EXT-X-BYTERANGE:(\d+)@(\d+)/gm)];
  return pieces.flatMap(([, size, from]) =>
    numbersIn(bytes.subarray(Number(from), Number(from) + Number(size))),
  );
}

async function loaded(url: string): Promise<Response> {
  const answer = await fetch(url);
  if (answer.status !== 200) throw new Error(`${url} is answered ${answer.status}`);
  return answer;
}

async function visitorRows(cluster: Cluster, channel_id: number): Promise<VisitorRows[]> {
  // Both of one moment: a flush changes them together.
  const { visitors, sessions } = await cluster.asked(async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    const of = async (table: string) =>
      (await client.query(`SELECT * FROM ${table} WHERE channel_id = $1`, [channel_id])).rows;
    return { visitors: await of('visitors'), sessions: await of('sessions') };
  });
  return visitors.map((row) => ({
    viewer_id: String(row['viewer_id']),
    watch_ms: Number(row['watch_ms']),
    visit_times: Number(row['visit_times']),
    sessions: sessions
      .filter(({ viewer_id }) => viewer_id === row['viewer_id'])
      .map((one) => ({
        record_id: Number(one['record_id']),
        watch_ms: Number(one['watch_ms']),
        spans: readSpans(String(one['spans'] ?? '')),
      })),
  }));
}
