// What the outbox is told of jobs: that one is given up, and that of a video's files none is still to be made.
import { type Sql, where } from '../../base/db/sql.ts';
import { appendEvents } from '../events/event-store.ts';
import { type JobKind, type JobRow, jobKinds } from './job.ts';

/** What events say of a video. */
interface ToldVideo {
  account_id: number;
  channel_id: number;
  manager_id: number;
  name: string;
}

/** Part of the write that gives it up. Of a video that is no more nothing is told. */
export async function tellFailed(
  sql: Sql,
  job: Pick<JobRow, 'id' | 'kind' | 'video_id' | 'tries' | 'problem'>,
): Promise<void> {
  const { id: job_id, kind, video_id, tries, problem } = job;
  const video = await sql.one<ToldVideo>(
    'SELECT account_id, channel_id, manager_id, name FROM videos WHERE id = $1',
    [video_id],
  );
  if (!video) return;
  const { account_id, channel_id, manager_id } = video;
  const data = { job_id, kind, video_id, channel_id, tries, problem };
  appendEvents(sql, [{ type: 'job.failed', account_id, manager_id, data }]);
}

/** Part of every write after which none of the video's files may be still to be made; nothing where one is. */
export async function tellIfReady(sql: Sql, video_id: number): Promise<void> {
  const undone = where([
    ['v.id = ?', video_id],
    `NOT EXISTS (SELECT 1 FROM jobs j WHERE j.video_id = v.id AND j.state IN ('waiting', 'running'))`,
  ]);
  const video = await sql.one<ToldVideo>(
    `SELECT v.account_id, v.channel_id, v.manager_id, v.name FROM videos v ${undone.text}`,
    undone.params,
  );
  if (!video) return;
  const failed = await sql.all<{ kind: JobKind }>(
    "SELECT kind FROM jobs WHERE video_id = $1 AND state = 'failed'",
    [video_id],
  );
  tellReady(sql, video_id, video, new Set(failed.map(({ kind }) => kind)));
}

/** Part of the write that makes a video whose files are all there, or that finds it so. */
export function tellReady(
  sql: Sql,
  video_id: number,
  video: ToldVideo,
  failed: ReadonlySet<JobKind> = new Set(),
): void {
  const { account_id, manager_id, channel_id, name } = video;
  const data = { video_id, channel_id, name, failed: jobKinds.filter((one) => failed.has(one)) };
  appendEvents(sql, [{ type: 'video.ready', account_id, manager_id, data }]);
}
