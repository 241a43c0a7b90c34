// Judges what visitors watched against the plain union of what their pages did, millisecond by millisecond.
// It marks each in an array and counts the marks, so that it shares no mistake with src/audience.

/** Watched without a break, by whatever clock all have in common. */
export interface Watched {
  from: number;
  to: number;
}

/** Milliseconds that are in any of them. */
export function unionMs(watched: readonly Watched[]): number {
  const first = Math.min(...watched.map(({ from }) => from));
  const last = Math.max(...watched.map(({ to }) => to));
  if (watched.length === 0) return 0;
  const marks = new Uint8Array(last - first);
  for (const { from, to } of watched) marks.fill(1, from - first, to - first);
  return marks.reduce((sum, mark) => sum + mark, 0);
}

/** A row of the visitors, and its sessions' rows. */
export interface VisitorRows {
  viewer_id: string;
  watch_ms: number;
  visit_times: number;
  sessions: readonly { record_id: number; watch_ms: number; spans: readonly Watched[] }[];
}

/** What one page of a viewer did, by its own clock. */
export interface PageHistory {
  viewer_id: string;
  /** Sessions that it was given, each once; more than `mayHave` is one visit counted twice. */
  records: readonly number[];
  mayHave: number;
  played: readonly Watched[];
  /** How much of that nobody may have heard, or later than it was said. */
  mayLoseMs: number;
}

/** Rows that contradict each other, or what the pages did; `doubtMs` is how exactly a page's clock is known. */
export function visitorProblems(given: {
  visitors: readonly VisitorRows[];
  pages: readonly PageHistory[];
  doubtMs: number;
}): string[] {
  const { visitors, pages, doubtMs } = given;
  const byViewer = new Map(visitors.map((row) => [row.viewer_id, row]));
  const problems = visitors.flatMap(rowProblems);
  const records = pages.flatMap((page) => page.records);
  if (new Set(records).size !== records.length) problems.push('two pages had one session');
  for (const [viewer_id, own] of Map.groupBy(pages, (page) => page.viewer_id)) {
    const row = byViewer.get(viewer_id);
    if (row) problems.push(...pageProblems(row, own, doubtMs));
    else problems.push(`${viewer_id} was let in and is not known`);
  }
  return problems;
}

function rowProblems({ viewer_id, watch_ms, visit_times, sessions }: VisitorRows): string[] {
  const problems: string[] = [];
  const union = unionMs(sessions.flatMap(({ spans }) => spans));
  if (union !== watch_ms)
    problems.push(`${viewer_id} has ${watch_ms} ms, and the sessions' spans come to ${union}`);
  if (visit_times !== sessions.length)
    problems.push(`${viewer_id} has ${visit_times} visits, and ${sessions.length} sessions`);
  for (const one of sessions) {
    const spansMs = one.spans.reduce((sum, { from, to }) => sum + to - from, 0);
    if (spansMs !== one.watch_ms)
      problems.push(`session ${one.record_id} has ${one.watch_ms} ms, its spans ${spansMs}`);
  }
  return problems;
}

function pageProblems(row: VisitorRows, pages: readonly PageHistory[], doubtMs: number): string[] {
  const { viewer_id, watch_ms, sessions } = row;
  const problems: string[] = [];
  for (const { records, mayHave } of pages)
    if (records.length > mayHave)
      problems.push(`a page of ${viewer_id} had the sessions ${records}, not ${mayHave}`);
  for (const { records, played } of pages) {
    const own = sessions.filter(({ record_id }) => records.includes(record_id));
    const countedMs = own.reduce((sum, one) => sum + one.watch_ms, 0);
    const saidMs = played.reduce((sum, { from, to }) => sum + to - from, 0);
    if (countedMs > saidMs + doubtMs)
      problems.push(`a page of ${viewer_id} has ${countedMs} ms and played ${saidMs}`);
  }
  const known = new Set(pages.flatMap(({ records }) => records));
  for (const { record_id } of sessions)
    if (!known.has(record_id)) problems.push(`session ${record_id} of ${viewer_id} is nobody's`);
  const playedMs = unionMs(pages.flatMap(({ played }) => played));
  const mayLoseMs = pages.reduce((sum, page) => sum + page.mayLoseMs, 0);
  // What two pages played at once may have been heard one after the other.
  if (watch_ms > playedMs + mayLoseMs + doubtMs)
    problems.push(`${viewer_id} has ${watch_ms} ms, and the pages played ${playedMs}`);
  if (watch_ms < playedMs - mayLoseMs - doubtMs)
    problems.push(`${viewer_id} has ${watch_ms} ms of ${playedMs}, and may lose ${mayLoseMs}`);
  return problems;
}

/** Sessions that are told to be over twice, by the events' data. */
export function endedTwice(ended: readonly { sessions: readonly number[] }[]): string[] {
  const all = ended.flatMap(({ sessions }) => sessions);
  return all
    .filter((record_id, at) => all.indexOf(record_id) !== at)
    .map((record_id) => `session ${record_id} is told to be over twice`);
}
