// A visitor: all of one viewer's sessions on a channel, summed up (interface 2.5).
import * as z from 'zod';
import { duration, type Zone } from '../../base/lib/time.ts';

export interface VisitorRow {
  channel_id: number;
  seq: number;
  viewer_id: string;
  nick: string;
  addr: string;
  phone: string;
  device: string;
  browser: string;
  referer: string;
  last_ip: string;
  first_entered_at: number;
  last_seen_at: number;
  watch_ms: number;
  /** The end of the latest stretch that was watched, whichever session saw it. */
  credited_until: number;
  /** Time before it counts no more; null in rows from before there were stretches: all before `credited_until`. */
  settled_until: number | null;
  /** Where the stretch begins that ends at `credited_until`; null: it is empty. */
  stretch_from: number | null;
  /** Others that end after `settled_until`, as JSON: their beginnings and ends, rising. Null: none. */
  stretches: string | null;
  visit_times: number;
  share_times: number;
  comment_count: number;
}

export const visitorAnswer = z
  .object({
    id: z.int().meta({ description: 'channel id' }),
    uin: z.int().meta({ description: 'administrator id' }),
    name: z.string().meta({ description: 'channel name' }),
    addr: z.string().meta({ description: 'viewer location text' }),
    visitor_id: z.string().meta({ description: 'viewer id' }),
    nick: z.string().meta({ description: 'viewer nickname' }),
    watch_time: z.string().meta({ description: 'time watched, `HH:MM:SS`; hours may pass 24' }),
    phone: z.string().meta({ description: 'viewer telephone number' }),
    referer: z.string().meta({ description: 'access source' }),
    refer: z.string().meta({ description: 'the same as `referer`: both spellings are in use' }),
    visit_times: z.int().meta({ description: 'number of visits' }),
    first_login_time: z.string().meta({ description: 'first entry time' }),
    last_online_time: z.string().meta({ description: 'last online time' }),
    device: z.string().meta({ description: 'last viewing device' }),
    browser: z.string().meta({ description: 'last viewing method' }),
    last_ip: z.string().meta({ description: 'last login IP' }),
    share_times: z.int().meta({ description: 'number of shares' }),
    comment_count: z.int().meta({ description: 'number of chat messages' }),
  })
  .meta({ title: 'Visitor' });

export function visitorView(
  row: VisitorRow,
  channel: { id: number; name: string; account_id: number },
  zone: Zone,
): z.output<typeof visitorAnswer> {
  return {
    id: channel.id,
    uin: channel.account_id,
    name: channel.name,
    addr: row.addr,
    visitor_id: row.viewer_id,
    nick: row.nick,
    watch_time: duration(row.watch_ms),
    phone: row.phone,
    referer: row.referer,
    refer: row.referer,
    visit_times: row.visit_times,
    first_login_time: zone.dateTime(row.first_entered_at),
    last_online_time: zone.dateTime(row.last_seen_at),
    device: row.device,
    browser: row.browser,
    last_ip: row.last_ip,
    share_times: row.share_times,
    comment_count: row.comment_count,
  };
}

export const visitorExample: z.output<typeof visitorAnswer> = {
  id: 1024,
  uin: 1,
  name: 'Spring launch',
  addr: '广东省深圳市',
  visitor_id: 'u-58213',
  nick: 'Li Wei',
  watch_time: '01:20:03',
  phone: '',
  referer: 'example.com',
  refer: 'example.com',
  visit_times: 2,
  first_login_time: '2026-05-01 19:29:44',
  last_online_time: '2026-05-02 08:03:10',
  device: 'iPhone',
  browser: 'WeChat',
  last_ip: '203.0.113.9',
  share_times: 1,
  comment_count: 4,
};
