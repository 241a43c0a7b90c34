// What the records say of viewers who are there: who they are, and whether they may write.
import { placeholders, type Sql } from '../base/db/sql.ts';

export interface PresentRow {
  viewer_id: string;
  addr: string;
  phone: string;
  device: string;
  browser: string;
  muted: number;
}

/** Of their last visit; none of who was erased. A page's worth of viewers. */
export async function presentRows(
  sql: Sql,
  { channel_id, viewer_ids, now }: { channel_id: number; viewer_ids: string[]; now: number },
): Promise<PresentRow[]> {
  if (viewer_ids.length === 0) return [];
  return await sql.all<PresentRow>(
    `SELECT v.viewer_id, v.addr, v.phone, v.device, v.browser,
       CASE WHEN s.viewer_id IS NULL THEN 0 ELSE 1 END AS muted
     FROM visitors v LEFT JOIN chat_silences s ON s.channel_id = v.channel_id
       AND s.viewer_id = v.viewer_id AND s.kind = 'mute' AND (s.until IS NULL OR s.until > $2)
     WHERE v.channel_id = $1 AND v.viewer_id IN ${placeholders(1, viewer_ids.length, 3)}`,
    [channel_id, now, ...viewer_ids],
  );
}
