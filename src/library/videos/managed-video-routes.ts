// Videos as those who run them see and change them: their files' states, a new name, another try.
import { get, post, put } from '../../base/api/endpoint.ts';
import { choice, idMax, integer, text } from '../../base/api/fields.ts';
import { envelope, pageNumber, pageSize } from '../../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { inTurns } from '../../base/turns/turn-slice.ts';
import { ownerOf } from '../access/owner.ts';
import { jobKinds } from '../jobs/job.ts';
import { managedVideoView, videoStates } from './managed-video.ts';
import { managedVideoDocs } from './managed-video-docs.ts';
import * as managedStore from './managed-video-store.ts';
import { videoById } from './video.ts';

interface Parts {
  store: Store;
  zone: Zone;
  now: () => number;
  /** There may be a job to be done. */
  wakeJobs(): void;
}

export function managedVideoRoutes(parts: Parts): AnyRoute[] {
  const handlers = { listManagedVideos, getManagedVideo, renameVideo, retryVideo };
  return routes({ table: managedVideoTable, docs: managedVideoDocs, handlers, parts });
}

const videosPerPage = { default: 20, max: 100 };

/** Each is answered by the function of its name. */
const managedVideoTable = {
  listManagedVideos: get('/manage/v1/videos', 'videos:read', {
    query: {
      q: text('part of the video name, in any case', { max: 255 }),
      channel: integer('id of the owning channel', { min: 0, max: idMax }),
      state: choice('only those', { of: ['all', ...videoStates], cleared: 'all' }),
      perPage: pageSize(videosPerPage),
      p: pageNumber,
    },
  }),
  getManagedVideo: get('/manage/v1/videos/{video_id}', 'videos:read', {
    ...videoById,
    single: true,
  }),
  renameVideo: put('/manage/v1/videos/{video_id}', 'videos:write', {
    told: ['name'],
    ...videoById,
    body: { name: text('video name', { min: 1, max: 255, trim: true, examples: ['The launch'] }) },
    required: ['name'],
  }),
  retryVideo: post('/manage/v1/videos/{video_id}/retry', 'videos:write', {
    ...videoById,
    body: { file: choice('which of them', { of: ['all', ...jobKinds], cleared: 'all' }) },
  }),
};

type Handle = Handlers<typeof managedVideoTable, typeof managedVideoDocs, Parts>;

const listManagedVideos: Handle['listManagedVideos'] = async (call, { store, zone }) => {
  const { q, channel, state = 'all', p = 1, perPage = videosPerPage.default } = call.query;
  const { total, rows } = await store.perform(managedStore.listManaged, {
    owner: ownerOf(call.caller),
    title: q === '' ? undefined : q,
    act_id: channel,
    manager: undefined,
    state: state === 'all' ? undefined : state,
    limit: perPage,
    offset: (p - 1) * perPage,
  });
  const { meta, links } = envelope(total, { p, perPage }, call);
  const views = rows.values().map((row) => managedVideoView(row, call.baseUrl, zone));
  return { body: { videos: await inTurns(views), meta, links } };
};

const getManagedVideo: Handle['getManagedVideo'] = async (call, { store, zone }) => {
  const order = { id: call.params.video_id, owner: ownerOf(call.caller) };
  const row = await store.perform(managedStore.findManaged, order);
  return { body: managedVideoView(row, call.baseUrl, zone) };
};

const renameVideo: Handle['renameVideo'] = async (call, { store, zone }) => {
  const order = { id: call.params.video_id, owner: ownerOf(call.caller) };
  const row = await store.perform(managedStore.renameVideo, { ...order, name: call.body.name });
  return { body: managedVideoView(row, call.baseUrl, zone) };
};

const retryVideo: Handle['retryVideo'] = async (call, { store, zone, now, wakeJobs }) => {
  const { file = 'all' } = call.body;
  const row = await store.perform(managedStore.retryVideo, {
    id: call.params.video_id,
    owner: ownerOf(call.caller),
    kinds: file === 'all' ? jobKinds : [file],
    now: now(),
  });
  wakeJobs();
  return { body: managedVideoView(row, call.baseUrl, zone) };
};
