// The video operations of the interface: list and get.
import * as z from 'zod';
import { idMax, integer, text } from '../../base/api/fields.ts';
import { envelope, linksAnswer, metaFields, pageNumber, pageSize } from '../../base/api/paging.ts';
import { type AnyRoute, route } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount, ofOwner } from '../../base/db/whose.ts';
import type { Zone } from '../../base/lib/time.ts';
import { inTurns } from '../../base/turns/turn-slice.ts';
import { ownerOf } from '../access/owner.ts';
import { videoAnswer, videoExample, videoView } from './video.ts';
import { findVideo, isTotalKept, listVideos } from './video-store.ts';

const videosPerPage = { default: 10, max: 1_000 };
/** Pages further in than this, and searches, are read off the main thread. */
const nearRows = 3_000;
/** So are longer pages than this: a thousand rows take 10 ms to read. */
const shortRows = 100;

export function videoRoutes({ store, zone }: { store: Store; zone: Zone }): AnyRoute[] {
  return [
    route({
      operationId: 'listVideos',
      method: 'GET',
      path: '/v1/videos',
      summary: 'List videos, newest first',
      section: '4.8',
      scope: 'videos:read',
      params: {},
      query: {
        title: text('part of the video name, in any case', { max: 255 }),
        act_id: integer('id of the owning channel', { min: 0, max: idMax }),
        manager: integer('channel manager id; 0 = those of no manager', { min: 0, max: idMax }),
        perPage: pageSize(videosPerPage),
        p: pageNumber,
      },
      answer: z
        .object({
          videos: z.array(videoAnswer),
          meta: z.object({
            ...metaFields,
            auto_save_live_video: z.boolean().meta({
              description: 'whether live videos are moved to the media library automatically',
            }),
          }),
          links: linksAnswer,
        })
        .meta({ title: 'VideoList' }),
      example: {
        videos: [videoExample],
        meta: { total: 1, page: 1, current: 1, auto_save_live_video: true },
        links: { next_url: null, end_url: 'https://live.example.com/v1/videos?p=1' },
      },
      handle: async (call) => {
        const { title, act_id, manager, perPage = videosPerPage.default, p = 1 } = call.query;
        const offset = (p - 1) * perPage;
        const { auto_save_live_video } = call.caller;
        const owner = ownerOf(call.caller);
        const query = { owner, title, act_id, manager, limit: perPage, offset };
        const isShort = perPage <= shortRows && offset + perPage <= nearRows;
        const isNear = isShort && isTotalKept(query);
        const { total, rows } = isNear
          ? await listVideos.run(store.for(ofOwner(query)), query)
          : await store.perform(listVideos, query);
        const { meta, links } = envelope(total, { p, perPage }, call);
        const views = rows.values().map((row) => videoView(row, call.baseUrl, zone));
        const videos = await inTurns(views);
        return { body: { videos, meta: { ...meta, auto_save_live_video }, links } };
      },
    }),
    route({
      operationId: 'getVideo',
      method: 'GET',
      path: '/v1/videos/{video_id}',
      summary: 'Get a video',
      section: '4.9',
      scope: 'videos:read',
      params: { video_id: integer('video id', { min: 1, max: idMax }) },
      query: {},
      answer: videoAnswer,
      example: videoExample,
      single: true,
      absent: 'noVideo',
      handle: async (call) => {
        const row = await findVideo(
          store.for(ofAccount(call.caller)),
          call.params.video_id,
          call.caller,
        );
        return { body: videoView(row, call.baseUrl, zone) };
      },
    }),
  ];
}
