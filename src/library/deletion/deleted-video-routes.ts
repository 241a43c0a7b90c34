// Deleting a video, bringing it back, and the list of those that can be.
import { get, post, remove } from '../../base/api/endpoint.ts';
import { envelope, pageNumber } from '../../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { ownerOf } from '../access/owner.ts';
import { videoById, videoView } from '../videos/video.ts';
import { deletedVideosPerPage, deletedVideoView } from './deleted-video.ts';
import { deletedVideoDocs } from './deleted-video-docs.ts';
import * as deletedStore from './deleted-video-store.ts';

interface Parts {
  store: Store;
  now: () => number;
  zone: Zone;
  /** For how long a deleted video is kept. */
  keptMs: number;
}

export function deletedVideoRoutes(parts: Parts): AnyRoute[] {
  const handlers = { deleteVideo, restoreVideo, listDeletedVideos };
  return routes({ table: deletionTable, docs: deletedVideoDocs, handlers, parts });
}

/** Each is answered by the function of its name. */
const deletionTable = {
  deleteVideo: remove('/manage/v1/videos/{video_id}', 'videos:write', videoById),
  listDeletedVideos: get('/manage/v1/deleted-videos', 'videos:write', {
    query: { p: pageNumber },
    // What is too old is not in it, and time alone makes it so.
    fresh: true,
  }),
  restoreVideo: post('/manage/v1/videos/{video_id}/restore', 'videos:write', {
    ...videoById,
    body: {},
  }),
};

type Handle = Handlers<typeof deletionTable, typeof deletedVideoDocs, Parts>;

const deleteVideo: Handle['deleteVideo'] = async (call, { store, now }) => {
  const order = { id: call.params.video_id, owner: ownerOf(call.caller), now: now() };
  const { id } = await store.perform(deletedStore.deleteVideo, order);
  return { body: { id, result: 'success' } };
};

const restoreVideo: Handle['restoreVideo'] = async (call, { store, zone, keptMs, now }) => {
  const video = { id: call.params.video_id, owner: ownerOf(call.caller) };
  const row = await store.perform(deletedStore.restoreVideo, { ...video, keptMs, now: now() });
  return { body: videoView(row, call.baseUrl, zone) };
};

const listDeletedVideos: Handle['listDeletedVideos'] = async (call, parts) => {
  const { store, keptMs, now } = parts;
  const p = call.query.p ?? 1;
  const { total, rows } = await store.perform(deletedStore.listDeletedVideos, {
    owner: ownerOf(call.caller),
    keptMs,
    now: now(),
    limit: deletedVideosPerPage,
    offset: (p - 1) * deletedVideosPerPage,
  });
  const { meta, links } = envelope(total, { p, perPage: deletedVideosPerPage }, call);
  const videos = rows.map((row) => deletedVideoView(row, parts));
  return { body: { videos, meta, links } };
};
