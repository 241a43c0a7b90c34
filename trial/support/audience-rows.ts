// The rows of those who watched held against each other: spans and sums, sessions and visitors, sessions and shows.
import { readSpans, type Span } from '../../src/audience/records/span.ts';
import { asking, type DatabaseSettings } from '../../test/support/snapshot.ts';
import { spansMs } from '../../test/support/some-show.ts';

/** Sessions whose spans do not come to what they watched. */
export async function spanProblems(settings: DatabaseSettings): Promise<string[]> {
  const rows = await asking(settings, (ask) =>
    ask('SELECT viewer_id, watch_ms, spans FROM sessions'),
  );
  return rows
    .filter(({ watch_ms, spans }) => spansMs(spans as string | null) !== Number(watch_ms))
    .map(({ viewer_id, watch_ms }) => `the spans of ${viewer_id} do not come to ${watch_ms} ms`);
}

/** Players lag, and a service that was killed had said last that it was live so long ago at most. */
const afterEndMs = 10_000 + 5_000;

interface WatchedRow {
  channel: string;
  viewer: string;
  spans: Span[];
  watchMs: number;
}

/** What contradicts itself while nobody watches. */
export async function audienceProblems(settings: DatabaseSettings): Promise<string[]> {
  const problems = await spanProblems(settings);
  const { sessions, visitors, shows } = await asking(settings, async (ask) => ({
    sessions: await ask('SELECT * FROM sessions ORDER BY channel_id, seq'),
    visitors: await ask('SELECT * FROM visitors'),
    shows: await ask('SELECT * FROM shows'),
  }));
  const ends = new Map(
    shows.map(({ channel_id, begin_at, end_at }) => [`${channel_id} ${begin_at}`, end_at]),
  );
  const rows: WatchedRow[] = sessions.map((row) => ({
    channel: String(row['channel_id']),
    viewer: `${row['channel_id']} ${row['viewer_id']}`,
    spans: readSpans(String(row['spans'] ?? '')),
    watchMs: Number(row['watch_ms']),
  }));
  for (const { viewer, channel, spans } of rows)
    for (const [n, { show, from, to }] of spans.entries()) {
      const end = ends.get(`${channel} ${show}`);
      const before = spans[n - 1];
      if (end === undefined) problems.push(`${viewer} watched a show that has no row`);
      else if (end === null) problems.push(`the show ${show} of ${channel} goes on for ever`);
      else if (from < show || to > Number(end) + afterEndMs)
        problems.push(`${viewer} watched ${from} to ${to} of ${show} to ${end}`);
      if (to <= from || (before && from < before.to))
        problems.push(`the spans of ${viewer} are out of order`);
    }
  for (const row of sessions)
    if (Number(row['watch_ms']) > Number(row['online_ms']))
      problems.push(`${row['viewer_id']} watched for longer than being online`);
  const byViewer = Map.groupBy(rows, ({ viewer }) => viewer);
  for (const row of visitors) {
    const viewer = `${row['channel_id']} ${row['viewer_id']}`;
    const own = byViewer.get(viewer) ?? [];
    const most = Math.max(0, ...own.map(({ watchMs }) => watchMs));
    const all = own.reduce((sum, { watchMs }) => sum + watchMs, 0);
    // When was watched is known to a second, so of two pages at once no more can be said.
    if (Number(row['watch_ms']) < most || Number(row['watch_ms']) > all)
      problems.push(`${viewer} has ${row['watch_ms']} ms, the sessions ${most} to ${all}`);
    if (Number(row['visit_times']) !== own.length)
      problems.push(`${viewer} has ${row['visit_times']} visits, and ${own.length} sessions`);
  }
  if (byViewer.size !== visitors.length)
    problems.push(`${byViewer.size} viewers have sessions, and ${visitors.length} are known`);
  return problems;
}
