// What `/openapi.json` says of the video operations.
import * as z from 'zod';
import { linksAnswer, metaFields } from '../../base/api/paging.ts';
import { docs } from '../../base/api/route.ts';
import { videoAnswer, videoExample } from './video.ts';

export const videoDocs = {
  listVideos: docs({
    summary: 'List videos, newest first',
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
  }),
  getVideo: docs({
    summary: 'Get a video',
    answer: videoAnswer,
    example: videoExample,
  }),
};
