// Videos with their jobs in the database: listed, renamed, tried again.
import type { Owner } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import { read, type Sql, write } from '../../base/db/sql.ts';
import { folded } from '../../base/db/title-search.ts';
import { ofOwner } from '../../base/db/whose.ts';
import type { JobKind } from '../jobs/job.ts';
import { jobsOfVideos, retryFailed } from '../jobs/job-store.ts';
import type { ManagedVideoRow } from './managed-video.ts';
import { findVideo, listVideos, type VideoQuery, type VideoRow } from './video-store.ts';

export interface OneVideo {
  id: number;
  owner: Owner;
}

/** A page of videos, newest first, each with its jobs, and how many there are in all. */
export const listManaged = read('videos.listManaged', ofOwner, async (sql, query: VideoQuery) => {
  const { total, rows } = await listVideos.run(sql, query);
  return { total, rows: await withJobs(sql, rows) };
});

export const findManaged = read('videos.findManaged', ofOwner, async (sql, order: OneVideo) =>
  findWithJobs(sql, order),
);

export const renameVideo = write(
  'videos.rename',
  ofOwner,
  async (sql, { id, owner, name }: OneVideo & { name: string }): Promise<ManagedVideoRow> => {
    await findVideo(sql, id, owner);
    await sql.run('UPDATE videos SET name = $2, folded_name = $3 WHERE id = $1', [
      id,
      name,
      folded(name),
    ]);
    return await findWithJobs(sql, { id, owner });
  },
);

/** Throws where none of them has failed. */
export const retryVideo = write(
  'videos.retry',
  ofOwner,
  async (
    sql,
    { id, owner, kinds, now }: OneVideo & { kinds: readonly JobKind[]; now: number },
  ): Promise<ManagedVideoRow> => {
    await findVideo(sql, id, owner);
    if ((await retryFailed(sql, { video_id: id, kinds, now })) === 0)
      throw new ApiError('notFailed');
    return await findWithJobs(sql, { id, owner });
  },
);

async function findWithJobs(sql: Sql, { id, owner }: OneVideo): Promise<ManagedVideoRow> {
  const [row] = await withJobs(sql, [await findVideo(sql, id, owner)]);
  if (!row) throw new ApiError('noVideo');
  return row;
}

async function withJobs(sql: Sql, rows: readonly VideoRow[]): Promise<ManagedVideoRow[]> {
  if (rows.length === 0) return [];
  const jobs = await jobsOfVideos(
    sql,
    rows.map(({ id }) => id),
  );
  const byVideo = Map.groupBy(jobs, ({ video_id }) => video_id);
  return rows.map((row) => ({ ...row, jobs: byVideo.get(row.id) ?? [] }));
}
