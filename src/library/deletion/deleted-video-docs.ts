// What `/openapi.json` says of deleting a video and bringing it back.
import * as z from 'zod';
import { linksAnswer, metaFields } from '../../base/api/paging.ts';
import { docs } from '../../base/api/route.ts';
import { videoAnswer, videoExample } from '../videos/video.ts';
import { deleteResult } from './deleted-channel-docs.ts';
import { deletedVideoAnswer, deletedVideosPerPage } from './deleted-video.ts';

export const deletedVideoDocs = {
  deleteVideo: docs({
    summary: 'Delete a video',
    note: 'Every address of it is 404 at once. For some days it can be restored; then its files are removed.',
    answer: deleteResult,
    example: { id: 311, result: 'success' },
  }),
  restoreVideo: docs({
    summary: 'Bring a deleted video back',
    note: 'One that is not deleted stays as it is; one that went with its channel comes back with that.',
    answer: videoAnswer,
    example: videoExample,
  }),
  listDeletedVideos: docs({
    summary: 'List the deleted videos that can be restored, the last deleted first',
    note: `A page has ${deletedVideosPerPage} of them.`,
    answer: z
      .object({
        videos: z.array(deletedVideoAnswer),
        meta: z.object(metaFields),
        links: linksAnswer,
      })
      .meta({ title: 'DeletedVideoList' }),
    example: {
      videos: [
        {
          id: 311,
          act_id: 1024,
          channel: 'Spring launch',
          name: 'Spring launch 2026-05-01 19:30',
          deleted_at: '2026-05-04 09:12:00',
          goes_at: '2026-05-11 09:12:00',
        },
      ],
      meta: { total: 1, page: 1, current: 1 },
      links: { next_url: null, end_url: 'https://live.example.com/manage/v1/deleted-videos?p=1' },
    },
  }),
};
