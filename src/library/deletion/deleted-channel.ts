// A deleted channel: hidden at once with all that is its own, kept for some days, then gone.
import * as z from 'zod';
import type { Zone } from '../../base/lib/time.ts';
import type { DeletedRow } from './deleted-channel-store.ts';

const dayMs = 86_400_000;

/** For how long it may be brought back. */
export function keptMsOf({ deletedChannelDays }: { deletedChannelDays: number }): number {
  return deletedChannelDays * dayMs;
}

export const deletedChannelsPerPage = 30;

export const deletedAnswer = z
  .object({
    id: z.int().meta({ description: 'channel id' }),
    name: z.string().meta({ description: 'channel name' }),
    deleted_at: z.string().meta({ description: 'when it was deleted' }),
    goes_at: z.string().meta({ description: 'until when it can be restored' }),
    videos: z.int().meta({ description: 'number of its videos' }),
  })
  .meta({ title: 'DeletedChannel' });

export function deletedView(
  { id, name, deleted_at, videos }: DeletedRow,
  { zone, keptMs }: { zone: Zone; keptMs: number },
): z.output<typeof deletedAnswer> {
  return {
    id,
    name,
    deleted_at: zone.dateTime(deleted_at),
    goes_at: zone.dateTime(deleted_at + keptMs),
    videos,
  };
}
