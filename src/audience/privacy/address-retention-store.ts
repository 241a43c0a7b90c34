// Truncates the IP addresses of old sessions and visitors, in steps short enough for the writer's other callers.
import { batchStatement } from '../../base/db/batch.ts';
import { flush, type Sql } from '../../base/db/sql.ts';
import { addressMarks } from '../../library/channels/channel-marks.ts';
import { firstEntry } from '../records/audience-page-store.ts';
import { lockAudience } from '../records/channel-audience-store.ts';
import { type OldIn, stepRows } from './record-retention-store.ts';
import { truncatedAddress } from './truncated-address.ts';

/** Whether a step would find any. */
export async function hasOldAddresses(sql: Sql, old: OldIn): Promise<boolean> {
  const seq = await truncatedUpTo(sql, old.channel_id);
  return (await sessionsAfter(sql, old, { seq, limit: 1 })).length > 0;
}

/**
 * The oldest sessions that still have addresses, and the visitors who have not come since; it tells whether
 * there may be more. How far it came is marked, as nothing in a row tells it. A beat never writes an address,
 * so it does not matter whether anybody is still there.
 */
export const truncateOldAddresses = flush(
  'privacy.truncateOldAddresses',
  async (sql, old: OldIn): Promise<boolean> => {
    const { channel_id } = old;
    const { numbering } = await lockAudience(sql, channel_id);
    const seq = await truncatedUpTo(sql, channel_id);
    const sessions = await sessionsAfter(sql, old, { seq, limit: stepRows });
    const last = sessions.at(-1);
    if (!last) return false;
    const viewers = new Set(sessions.map(({ viewer_id }) => viewer_id));
    const visitors = await visitorsUpTo.all<Addressed>(
      sql,
      Array.from(viewers, (viewer_id) => ({ channel_id, viewer_id, seq: last.seq })),
    );
    await writeSessions.run(sql, truncated(channel_id, sessions));
    await writeVisitors.run(sql, truncated(channel_id, visitors));
    const marks = addressMarks(channel_id);
    await saveMark(sql, marks.place, last.seq);
    await saveMark(sql, marks.numbering, numbering);
    return sessions.length === stepRows;
  },
);

/** The last session whose address is truncated; before all where an import has numbered the rows anew since. */
async function truncatedUpTo(sql: Sql, channel_id: number): Promise<number> {
  const marks = addressMarks(channel_id);
  const row = await sql.one<{ seq: number }>(
    `SELECT place.value AS seq FROM marks place JOIN marks numbered ON numbered.name = $2
     JOIN channel_audience a ON a.channel_id = $3 AND a.numbering = numbered.value
     WHERE place.name = $1`,
    [marks.place, marks.numbering, channel_id],
  );
  return row?.seq ?? -1;
}

interface Addressed {
  seq: number;
  ip: string;
}

/** Old sessions that follow one. Numbers follow the order of entry: the first that is young enough ends the range. */
async function sessionsAfter(
  sql: Sql,
  { channel_id, before }: OldIn,
  { seq, limit }: { seq: number; limit: number },
): Promise<(Addressed & { viewer_id: string })[]> {
  const young = await firstEntry(sql, { channel_id, enteredAt: before });
  return await sql.all(
    `SELECT seq, ip, viewer_id FROM sessions WHERE channel_id = $1 AND seq > $2 AND seq < $3
     ORDER BY seq LIMIT CAST($4 AS BIGINT)`,
    [channel_id, seq, young ?? Number.MAX_SAFE_INTEGER, limit],
  );
}

/** Visitors who have not entered after session `seq`: their address is of one that is old. */
const visitorsUpTo = batchStatement(
  { channel_id: 'int', viewer_id: 'text', seq: 'int' },
  ({ channel_id, viewer_id, seq }, from) => `
    SELECT visitors.seq, visitors.last_ip AS ip ${from('visitors')}
    WHERE visitors.channel_id = ${channel_id} AND visitors.viewer_id = ${viewer_id} AND NOT EXISTS (
      SELECT 1 FROM sessions s WHERE s.channel_id = visitors.channel_id
        AND s.viewer_id = visitors.viewer_id AND s.seq > ${seq})`,
);

/** Those that change, with what is left of their addresses. */
function truncated(channel_id: number, rows: readonly Addressed[]) {
  return rows.flatMap(({ seq, ip }) => {
    const address = truncatedAddress(ip);
    return address === ip ? [] : [{ address, channel_id, seq }];
  });
}

const writeSessions = batchStatement(
  { address: 'text', channel_id: 'int', seq: 'int' },
  ({ address, channel_id, seq }, from) => `UPDATE sessions SET ip = ${address} ${from()}
    WHERE sessions.channel_id = ${channel_id} AND sessions.seq = ${seq}`,
);

const writeVisitors = batchStatement(
  { address: 'text', channel_id: 'int', seq: 'int' },
  ({ address, channel_id, seq }, from) => `UPDATE visitors SET last_ip = ${address} ${from()}
    WHERE visitors.channel_id = ${channel_id} AND visitors.seq = ${seq}`,
);

async function saveMark(sql: Sql, name: string, value: number): Promise<void> {
  await sql.run(
    `INSERT INTO marks (name, value) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [name, value],
  );
}
