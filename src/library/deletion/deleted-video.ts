// A deleted video as it is listed: of which channel, since when, and until when it can be brought back.
import * as z from 'zod';
import type { Zone } from '../../base/lib/time.ts';
import type { DeletedVideoRow } from './deleted-video-store.ts';

export const deletedVideosPerPage = 30;

export const deletedVideoAnswer = z
  .object({
    id: z.int().meta({ description: 'video id' }),
    act_id: z.int().meta({ description: 'id of the channel the video belongs to' }),
    channel: z.string().meta({ description: 'name of that channel; empty where it is gone' }),
    name: z.string().meta({ description: 'video name' }),
    deleted_at: z.string().meta({ description: 'when it was deleted' }),
    goes_at: z.string().meta({ description: 'until when it can be restored' }),
  })
  .meta({ title: 'DeletedVideo' });

export function deletedVideoView(
  { id, channel_id, channel_name, name, deleted_at }: DeletedVideoRow,
  { zone, keptMs }: { zone: Zone; keptMs: number },
): z.output<typeof deletedVideoAnswer> {
  return {
    id,
    act_id: channel_id,
    channel: channel_name ?? '',
    name,
    deleted_at: zone.dateTime(deleted_at),
    goes_at: zone.dateTime(deleted_at + keptMs),
  };
}
