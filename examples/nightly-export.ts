// Takes every channel's visitors and new watch records into a folder: run it every night; it goes on where it stopped.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createClient, FootlightError } from 'footlight-client';

const { FOOTLIGHT_URL, FOOTLIGHT_TOKEN, ROWS_PER_PAGE = '100' } = process.env;
const [, , folder = ''] = process.argv;
if (!FOOTLIGHT_URL || !FOOTLIGHT_TOKEN || folder === '')
  throw new Error('usage: nightly-export.ts FOLDER, with FOOTLIGHT_URL and FOOTLIGHT_TOKEN');
const footlight = createClient({ baseUrl: FOOTLIGHT_URL, token: FOOTLIGHT_TOKEN });
const perPage = Number(ROWS_PER_PAGE);

/** Days are those of the service's time zone. What was entered until yesterday does not move from page to page. */
const { data: me } = await footlight.GET('/manage/v1/me');
const yesterday = movedBy(me.now.slice(0, 10), -1);

let isLimited = false;
for await (const { id, name, create_at } of footlight.rows('/v1/activities')) {
  const visitors = await exportVisitors(id);
  const records = isLimited ? 0 : await exportRecords(id, create_at.slice(0, 10));
  console.log(`channel ${id} (${name}): ${visitors} visitors, ${records} new records`);
}
if (isLimited)
  console.log("The day's calls of watch records are used up: the next run goes on from here.");

/** Who came, with their sums: all of them, as those who came again have others. */
async function exportVisitors(channel_id: number): Promise<number> {
  const making = emptyFile();
  let count = 0;
  const params = { path: { channel_id } };
  const body = { perPage, direction: 'asc' } as const;
  for await (const { data } of footlight.pages('/v1/activities/{channel_id}/visitors', {
    params,
    body,
  })) {
    appendFileSync(making, linesOf(data));
    count += data.length;
  }
  keep(making, join(folder, 'visitors', `${channel_id}.ndjson`));
  return count;
}

/** Those since the last run; what the day's calls were not enough for is left to the next. */
async function exportRecords(channel_id: number, created: string): Promise<number> {
  const home = join(folder, 'records', String(channel_id));
  let count = 0;
  try {
    for (let period = nextPeriod(home, created); period; period = nextPeriod(home, created))
      for await (const rows of newPages(channel_id, period)) count += rows;
  } catch (error) {
    if (!(error instanceof FootlightError && error.status === 429)) throw error;
    isLimited = true;
  }
  return count;
}

interface Period {
  from: string;
  until: string;
  folder: string;
}

/** One that was begun is ended with the same bounds before another one begins. */
function nextPeriod(home: string, created: string): Period | undefined {
  mkdirSync(home, { recursive: true });
  const last = readdirSync(home).sort().at(-1);
  const [lastFrom = '', lastUntil = ''] = last?.split('_') ?? [];
  if (last !== undefined && !existsSync(join(home, last, 'whole')))
    return { from: lastFrom, until: lastUntil, folder: join(home, last) };
  const from = last === undefined ? created : movedBy(lastUntil, 1);
  if (from > yesterday) return undefined;
  return { from, until: yesterday, folder: join(home, `${from}_${yesterday}`) };
}

/** A file a page. A call is one of ten a day, so no page is asked for twice: what lies there is done. */
async function* newPages(
  channel_id: number,
  { from, until, folder: home }: Period,
): AsyncGenerator<number> {
  mkdirSync(home, { recursive: true });
  let p = readdirSync(home).length + 1;
  const params = { path: { channel_id } };
  const times = { start_time: `${from} 00:00:00`, end_time: `${until} 23:59:59` };
  const body = { ...times, filter_watch_time: 0, perPage, p } as const;
  for await (const { data } of footlight.pages('/v1/activities/{channel_id}/userRecords', {
    params,
    body,
  })) {
    const making = emptyFile();
    appendFileSync(making, linesOf(data));
    keep(making, join(home, `${String(p).padStart(6, '0')}.ndjson`));
    p += 1;
    yield data.length;
  }
  keep(emptyFile(), join(home, 'whole'));
}

function linesOf(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** Where a file is made, to be renamed when it is whole: who is killed meanwhile leaves no half of one among the others. */
function emptyFile(): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'making');
  writeFileSync(file, '');
  return file;
}

function keep(made: string, file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  renameSync(made, file);
}

function movedBy(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}
