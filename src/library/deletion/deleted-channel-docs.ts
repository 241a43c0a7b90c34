// What `/openapi.json` says of deleting a channel and bringing it back.
import * as z from 'zod';
import { linksAnswer, metaFields } from '../../base/api/paging.ts';
import { docs } from '../../base/api/route.ts';
import type { Zone } from '../../base/lib/time.ts';
import { briefChannel } from '../channels/channel-docs.ts';
import type { PageFields } from '../channels/page.ts';
import { deletedAnswer, deletedChannelsPerPage } from './deleted-channel.ts';

export const deleteResult = z
  .object({
    id: z.int().meta({ description: 'of what was deleted' }),
    result: z.literal('success'),
  })
  .meta({ title: 'DeleteResult' });

export function deletedChannelDocs(zone: Zone, page: PageFields) {
  return {
    deleteChannel: docs({
      summary: 'Delete a channel with its videos and records',
      note: 'Every address and record of it is 404 at once, and its publish key is refused. For some days it can be restored; then its files and rows are removed.',
      answer: deleteResult,
      example: { id: 1024, result: 'success' },
      errors: ['onAir'],
    }),
    restoreChannel: docs({
      summary: 'Bring a deleted channel back with all that was its own',
      note: 'One that is not deleted stays as it is.',
      ...briefChannel(zone, page),
    }),
    listDeletedChannels: docs({
      summary: 'List the deleted channels that can be restored, the last deleted first',
      note: `A page has ${deletedChannelsPerPage} of them.`,
      answer: z
        .object({
          channels: z.array(deletedAnswer),
          meta: z.object(metaFields),
          links: linksAnswer,
        })
        .meta({ title: 'DeletedChannelList' }),
      example: {
        channels: [
          {
            id: 1024,
            name: 'Spring launch',
            deleted_at: '2026-05-04 09:12:00',
            goes_at: '2026-05-11 09:12:00',
            videos: 3,
          },
        ],
        meta: { total: 1, page: 1, current: 1 },
        links: {
          next_url: null,
          end_url: 'https://live.example.com/manage/v1/deleted-channels?p=1',
        },
      },
    }),
  };
}
