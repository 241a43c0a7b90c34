// A show's report as callers see it.
import * as z from 'zod';
import type { Zone } from '../../base/lib/time.ts';
import type { CountedShow } from './show-report-store.ts';

const count = (description: string) => z.int().meta({ description });

export const showAnswer = z
  .object({
    id: count('show id'),
    begin: z.string().meta({ description: 'when its first part could be played' }),
    end: z.string().meta({ description: 'when it was live no more; empty while it is on' }),
    videos: z
      .array(z.int())
      .meta({ description: 'ids of the videos that it became, in the order of what they show' }),
    peak: count('most viewers at once'),
    average: z.number().meta({ description: 'viewers at once on average, to a hundredth' }),
    uv: count('viewers'),
    pv: count('their sessions'),
    watch_seconds: count('all viewers together; what one watched in two tabs at once counts once'),
    minutes: z
      .array(
        z.object({
          viewers: count('most viewers at once in this minute of the show'),
          came: count('viewers who watched for the first time in it'),
          left: count('viewers who watched for the last time in it'),
          seen: count("viewers who watched some of this minute of the show's media, whenever"),
          stayed: count('viewers who watched so many whole minutes at least'),
        }),
      )
      .meta({ description: 'minute by minute from its beginning' }),
    unplaced: z
      .object({ sessions: count('sessions'), watch_seconds: count('what they watched') })
      .meta({
        description:
          'sessions that entered during the show and do not say when they watched: imported ones, and those from before that was kept. They are in no other number',
      }),
  })
  .meta({ title: 'Show' });

export function showView(show: CountedShow, { zone, now }: { zone: Zone; now: number }) {
  const { id, begin_at, end_at, videos, uv, pv, peak, watch_ms, minutes, unplaced } = show;
  const lastedMs = Math.max(1, (end_at ?? now) - begin_at);
  return {
    id,
    begin: zone.dateTime(begin_at),
    end: end_at === null ? '' : zone.dateTime(end_at),
    videos,
    peak,
    average: Math.round((watch_ms / lastedMs) * 100) / 100,
    uv,
    pv,
    watch_seconds: Math.floor(watch_ms / 1_000),
    minutes,
    unplaced: {
      sessions: unplaced.sessions,
      watch_seconds: Math.floor(unplaced.watch_ms / 1_000),
    },
  };
}
