// What `/openapi.json` says of the operations on videos that are not in the interface.
import * as z from 'zod';
import { linksAnswer, metaFields } from '../../base/api/paging.ts';
import { docs } from '../../base/api/route.ts';
import { managedVideoAnswer, managedVideoExample } from './managed-video.ts';

const one = { answer: managedVideoAnswer, example: managedVideoExample } as const;

export const managedVideoDocs = {
  listManagedVideos: docs({
    summary: 'List videos with the state of their files, newest first',
    answer: z
      .object({
        videos: z.array(managedVideoAnswer),
        meta: z.object(metaFields),
        links: linksAnswer,
      })
      .meta({ title: 'ManagedVideoList' }),
    example: {
      videos: [managedVideoExample],
      meta: { total: 1, page: 1, current: 1 },
      links: { next_url: null, end_url: 'https://live.example.com/manage/v1/videos?p=1' },
    },
  }),
  getManagedVideo: docs({ ...one, summary: 'Get a video with the state of its files' }),
  renameVideo: docs({ ...one, summary: 'Rename a video' }),
  retryVideo: docs({
    ...one,
    summary: 'Make files of a video again that have failed',
    note: 'Without `file` it is all of them.',
    errors: ['notFailed'],
  }),
};
