// The video operations of the interface: list and get.
import { get } from '../../base/api/endpoint.ts';
import { idMax, integer, text } from '../../base/api/fields.ts';
import { envelope, pageNumber, pageSize } from '../../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount, ofOwner } from '../../base/db/whose.ts';
import type { Zone } from '../../base/lib/time.ts';
import { inTurns } from '../../base/turns/turn-slice.ts';
import { ownerOf } from '../access/owner.ts';
import { videoById, videoView } from './video.ts';
import { videoDocs } from './video-docs.ts';
import * as videoStore from './video-store.ts';

interface Parts {
  store: Store;
  zone: Zone;
}

export function videoRoutes(parts: Parts): AnyRoute[] {
  const handlers = { listVideos, getVideo };
  return routes({ table: videoTable, docs: videoDocs, handlers, parts });
}

const videosPerPage = { default: 10, max: 1_000 };

/** Each is answered by the function of its name. */
const videoTable = {
  listVideos: get('/v1/videos', 'videos:read', {
    query: {
      title: text('part of the video name, in any case', { max: 255 }),
      act_id: integer('id of the owning channel', { min: 0, max: idMax }),
      manager: integer('channel manager id; 0 = those of no manager', { min: 0, max: idMax }),
      perPage: pageSize(videosPerPage),
      p: pageNumber,
    },
  }),
  getVideo: get('/v1/videos/{video_id}', 'videos:read', {
    ...videoById,
    single: true,
  }),
};

type Handle = Handlers<typeof videoTable, typeof videoDocs, Parts>;

/** Pages further in than this, and searches, are read off the main thread. */
const nearRows = 3_000;
/** So are longer pages than this: a thousand rows take 10 ms to read. */
const shortRows = 100;

const listVideos: Handle['listVideos'] = async (call, { store, zone }) => {
  const { title, act_id, manager, perPage = videosPerPage.default, p = 1 } = call.query;
  const offset = (p - 1) * perPage;
  const { auto_save_live_video } = call.caller;
  const owner = ownerOf(call.caller);
  const query = { owner, title, act_id, manager, limit: perPage, offset };
  const isShort = perPage <= shortRows && offset + perPage <= nearRows;
  const isNear = isShort && videoStore.isTotalKept(query);
  const near = isNear
    ? await videoStore.listNearVideos(store.for(ofOwner(query)), query)
    : undefined;
  const { total, rows } = near ?? (await store.perform(videoStore.listVideos, query));
  const { meta, links } = envelope(total, { p, perPage }, call);
  const videos = await inTurns(rows.values().map((row) => videoView(row, call.baseUrl, zone)));
  return { body: { videos, meta: { ...meta, auto_save_live_video }, links } };
};

const getVideo: Handle['getVideo'] = async (call, { store, zone }) => {
  const sql = store.for(ofAccount(call.caller));
  const row = await videoStore.findVideo(sql, call.params.video_id, call.caller);
  return { body: videoView(row, call.baseUrl, zone) };
};
