// Takes every channel's visitors and new watch records into a folder: run it every night; it goes on where it stopped.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createClient } from 'footlight-client';

const { FOOTLIGHT_URL, FOOTLIGHT_TOKEN } = process.env;
const [, , folder = ''] = process.argv;
if (!FOOTLIGHT_URL || !FOOTLIGHT_TOKEN || folder === '')
  throw new Error('usage: nightly-export.ts FOLDER, with FOOTLIGHT_URL and FOOTLIGHT_TOKEN');
const footlight = createClient({ baseUrl: FOOTLIGHT_URL, token: FOOTLIGHT_TOKEN });
const linesPerWrite = 1_000;

/** Days are those of the service's time zone. Nobody enters yesterday any more, so that day is taken whole. */
const { data: me } = await footlight.GET('/manage/v1/me');
const yesterday = movedBy(me.now.slice(0, 10), -1);

for await (const { id, name } of footlight.rows('/v1/activities')) {
  const visitors = await exportVisitors(id);
  const records = await exportRecords(id);
  console.log(
    `channel ${id} (${name}): ${visitors} visitors, ${records} new records until ${yesterday} (today's come tomorrow)`,
  );
}

/** Who came, with their sums: all of them, as those who came again have others. */
async function exportVisitors(channel_id: number): Promise<number> {
  const params = { path: { channel_id } };
  return await keep(
    footlight.lines('/manage/v1/channels/{channel_id}/visitors.ndjson', { params }),
    join(folder, 'visitors', `${channel_id}.ndjson`),
  );
}

/** Those of the days since the last file, in a file that is named for the last day in it. */
async function exportRecords(channel_id: number): Promise<number> {
  const home = join(folder, 'records', String(channel_id));
  const last = existsSync(home) ? readdirSync(home).sort().at(-1)?.slice(0, 10) : undefined;
  if (last !== undefined && last >= yesterday) return 0;
  const query = {
    ...(last !== undefined && { start_time: `${movedBy(last, 1)} 00:00:00` }),
    end_time: `${yesterday} 23:59:59`,
  };
  const params = { path: { channel_id }, query };
  return await keep(
    footlight.lines('/manage/v1/channels/{channel_id}/sessions.ndjson', { params }),
    join(home, `${yesterday}.ndjson`),
  );
}

/** It is renamed when it is whole: who is killed meanwhile leaves no half of one. Of nothing there is no file. */
async function keep(rows: AsyncIterable<object>, file: string): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const making = join(folder, 'making');
  writeFileSync(making, '');
  let count = 0;
  let lines: string[] = [];
  const write = () => {
    appendFileSync(making, lines.join(''));
    lines = [];
  };
  for await (const row of rows) {
    lines.push(`${JSON.stringify(row)}\n`);
    count += 1;
    if (lines.length === linesPerWrite) write();
  }
  write();
  if (count === 0) {
    rmSync(making);
    // What an earlier run has kept of people who are erased by now goes too.
    rmSync(file, { force: true });
  } else {
    mkdirSync(dirname(file), { recursive: true });
    renameSync(making, file);
  }
  return count;
}

function movedBy(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}
