// A channel as the interface shows it: its fields, addresses and views.
import * as z from 'zod';
import type { Caller } from '../../base/api/caller.ts';
import { idMax, integer } from '../../base/api/fields.ts';
import type { Zone } from '../../base/lib/time.ts';
import type { ChannelRow } from './channel-store.ts';
import type { PageFields } from './page.ts';

/** Of the list, which has no parameter for it. */
export const channelsPerPage = 30;

/** How every operation on one channel names it: by the id in its path. */
export const channelById = {
  params: { channel_id: integer('channel id', { min: 1, max: idMax }) },
  absent: 'noChannel',
} as const;

/** Interface 2.1, without the list-only fields; `page` is brief or whole. */
export function channelAnswer(page: z.ZodType) {
  return z.object({
    id: z.int().meta({ description: 'channel id' }),
    name: z.string().meta({ description: 'channel name' }),
    create_at: z.string().meta({ description: 'creation time' }),
    live_status: z.int().min(0).max(1).meta({ description: '0 = not live, 1 = live' }),
    watch_url: z.object({
      pc: z.string().meta({ description: 'desktop watch address' }),
      mobile: z.string().meta({ description: 'mobile watch address' }),
    }),
    embed_url: z.string().meta({ description: 'embed address of the live stream' }),
    page,
    rtmp_publish_addr: z.string().meta({ description: 'RTMP publish address' }),
    hls_play_addr: z
      .string()
      .optional()
      .meta({ description: 'HLS play address; traffic plan only' }),
    rtmp_play_addr: z
      .string()
      .optional()
      .meta({ description: 'RTMP play address; traffic plan only' }),
  });
}

/** What only the channel list adds. */
export const listedFields = {
  manager: z.int().meta({ description: 'channel manager id; 0 when there is none' }),
  manager_username: z
    .string()
    .meta({ description: 'channel manager username; empty when there is none' }),
  last_push_stream_at: z
    .string()
    .meta({ description: 'time of the last stream push; empty before the first' }),
};

export interface ChannelViews {
  zone: Zone;
  page: PageFields;
  /** `rtmp://host:port` for callers who reached us at this base address. */
  rtmpUrl(baseUrl: string): string;
}

type For = { caller: Caller; baseUrl: string };

/** Objects are made whole, never spread: of thirty rows the copying took longer than the rest. */
export function channelViews({ zone, page, rtmpUrl }: ChannelViews) {
  const view = (row: ChannelRow, { caller, baseUrl }: For, shownPage: Record<string, unknown>) => {
    const rtmp = rtmpUrl(baseUrl);
    const shown = {
      id: row.id,
      name: row.name,
      create_at: zone.dateTime(row.created_at),
      live_status: row.live,
      watch_url: { pc: `${baseUrl}/watch/${row.id}`, mobile: `${baseUrl}/m/${row.id}` },
      embed_url: `${baseUrl}/embed/${row.id}`,
      page: shownPage,
      rtmp_publish_addr: `${rtmp}/live/${row.stream_key}`,
    } as Shown;
    if (caller.plan === 'traffic') {
      shown.hls_play_addr = `${baseUrl}/hls/${row.play_id}/live.m3u8`;
      shown.rtmp_play_addr = `${rtmp}/play/${row.play_id}`;
    }
    return shown;
  };

  return {
    brief: (row: ChannelRow, call: For) => view(row, call, page.brief.show(row.page)),
    whole: (row: ChannelRow, call: For) => view(row, call, page.whole.show(row.page)),
    listed: (row: ChannelRow, call: For) => {
      const shown = view(row, call, page.brief.show(row.page)) as Listed;
      shown.manager = row.manager_id;
      shown.manager_username = row.manager_username ?? '';
      shown.last_push_stream_at =
        row.last_push_stream_at === null ? '' : zone.dateTime(row.last_push_stream_at);
      return shown;
    },
  };
}

type Shown = z.output<ReturnType<typeof channelAnswer>>;
type Listed = Shown & { [K in keyof typeof listedFields]: z.output<(typeof listedFields)[K]> };
