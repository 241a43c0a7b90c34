// A watch session: one viewer on a channel's page from entering to leaving (interface 2.4), and the period that is asked for.
import * as z from 'zod';
import { invalidField } from '../../base/api/errors.ts';
import { alsoAs, periodEnd } from '../../base/api/fields.ts';
import type { Given } from '../../base/api/shape.ts';
import { duration, type Zone } from '../../base/lib/time.ts';

export interface SessionRow {
  channel_id: number;
  seq: number;
  record_id: number;
  viewer_id: string;
  nick: string;
  addr: string;
  phone: string;
  device: string;
  browser: string;
  origin: string;
  ip: string;
  entered_at: number;
  last_seen_at: number;
  online_ms: number;
  watch_ms: number;
  /** Where the last time that counts as watched ended. A session that goes on is counted from `last_seen_at`. */
  credited_until: number;
  external_id: string | null;
  /** What was watched when (`span.ts`); their lengths come to `watch_ms`. Null in rows from before there were any, and of imports. */
  spans: string | null;
}

export const watchRecordAnswer = z
  .object({
    record_id: z.int().meta({ description: 'watch record id' }),
    user_id: z.string().meta({ description: 'viewer id' }),
    nick: z.string().meta({ description: 'viewer nickname' }),
    addr: z.string().meta({ description: 'viewer location text' }),
    online_time: z.string().meta({ description: 'time online, `HH:MM:SS`; hours may pass 24' }),
    watch_time: z.string().meta({ description: 'time watched, `HH:MM:SS`; hours may pass 24' }),
    phone: z.string().meta({ description: 'viewer telephone number' }),
    first_login_time: z.string().meta({ description: 'time of entering, `YYYY-MM-DD HH:MM`' }),
    last_online_time: z.string().meta({ description: 'time of going offline, `YYYY-MM-DD HH:MM`' }),
    device: z.string().meta({ description: 'viewing device' }),
    browser: z.string().meta({ description: 'viewing method' }),
    origin: z.string().meta({ description: 'access source' }),
  })
  .meta({ title: 'WatchRecord' });

export function watchRecordView(row: SessionRow, zone: Zone): z.output<typeof watchRecordAnswer> {
  return {
    record_id: row.record_id,
    user_id: row.viewer_id,
    nick: row.nick,
    addr: row.addr,
    online_time: duration(row.online_ms),
    watch_time: duration(row.watch_ms),
    phone: row.phone,
    first_login_time: zone.dateMinute(row.entered_at),
    last_online_time: zone.dateMinute(row.last_seen_at),
    device: row.device,
    browser: row.browser,
    origin: row.origin,
  };
}

export const watchRecordExample: z.output<typeof watchRecordAnswer> = {
  record_id: 90211,
  user_id: 'u-58213',
  nick: 'Li Wei',
  addr: '广东省深圳市',
  online_time: '01:02:10',
  watch_time: '00:58:41',
  phone: '',
  first_login_time: '2026-05-01 19:29',
  last_online_time: '2026-05-01 20:31',
  device: 'iPhone',
  browser: 'WeChat',
  origin: 'example.com',
};

/** The period in which the sessions that are asked for were entered. */
export function periodFields(zone: Zone) {
  return {
    start_time: alsoAs(periodEnd('start of the period', zone, 'start'), 'startTime'),
    end_time: alsoAs(periodEnd('end of the period', zone, 'end'), 'endTime'),
  };
}

export function enteredWithin({ start_time, end_time }: Given<ReturnType<typeof periodFields>>) {
  if (start_time != null && end_time != null && start_time > end_time)
    throw invalidField('start_time', 'start_time must not be after end_time');
  return {
    enteredFrom: start_time ?? undefined,
    // A time of entering is cut to its second, so the end's whole second belongs to the period.
    enteredBefore: end_time == null ? undefined : end_time + 1_000,
  };
}
