// The visitors of imported sessions: who they are, how often they came, how long they watched.
import { dialectWords } from '../../base/db/dialect.ts';
import type { Sql } from '../../base/db/sql.ts';
import { addBlock, blockOf, countAdded, isMatching, recountBlocks } from './block-count-store.ts';
import { levels } from './block-counts.ts';

/** A run of `numbered_sessions`. */
export interface Visits {
  channel_id: number;
  from: number;
  until: number;
}

export async function createVisitTables(sql: Sql): Promise<void> {
  const { int } = dialectWords(sql.dialect);
  await sql.run('DROP TABLE IF EXISTS touched_viewers');
  await sql.run(`CREATE TEMP TABLE touched_viewers (
    viewer_id TEXT PRIMARY KEY, visits ${int} NOT NULL, first_n ${int} NOT NULL, last_n ${int} NOT NULL,
    last_seen_at ${int} NOT NULL, before_ms ${int} NOT NULL, after_ms ${int} NOT NULL,
    visitor_seq ${int}, was_ms ${int} NOT NULL)`);
}

/** Gathers who comes with a run of lines and what their earlier imported sessions come to. */
export async function measureBefore(sql: Sql, { channel_id, from, until }: Visits): Promise<void> {
  await sql.run('DELETE FROM touched_viewers');
  await sql.run(
    `INSERT INTO touched_viewers (viewer_id, visits, first_n, last_n, last_seen_at, before_ms, after_ms, was_ms)
     SELECT viewer_id, COUNT(*), MIN(n), MAX(n), MAX(last_seen_at), 0, 0, 0
     FROM numbered_sessions WHERE n >= $1 AND n < $2 AND is_new = 1 GROUP BY viewer_id`,
    [from, until],
  );
  if (sql.dialect === 'postgres') await sql.run('ANALYZE touched_viewers');
  await sql.run(
    `UPDATE touched_viewers SET visitor_seq = v.seq, was_ms = v.watch_ms FROM visitors v
     WHERE v.channel_id = $1 AND v.viewer_id = touched_viewers.viewer_id`,
    [channel_id],
  );
  await measure(sql, channel_id, 'before_ms');
}

/** Adds the visits of lines that are now sessions; the next free visitor number. */
export async function addVisits(sql: Sql, visits: Visits, nextSeq: number): Promise<number> {
  const { channel_id } = visits;
  await measure(sql, channel_id, 'after_ms');
  await describeKnown(sql, channel_id);
  await sql.run(
    `UPDATE visitors SET watch_ms = visitors.watch_ms + t.after_ms - t.before_ms,
       visit_times = visitors.visit_times + t.visits,
       first_entered_at = CASE WHEN f.entered_at < visitors.first_entered_at THEN f.entered_at
         ELSE visitors.first_entered_at END,
       last_seen_at = CASE WHEN t.last_seen_at > visitors.last_seen_at THEN t.last_seen_at
         ELSE visitors.last_seen_at END
     FROM touched_viewers t JOIN numbered_sessions f ON f.n = t.first_n
     WHERE visitors.channel_id = $1 AND visitors.seq = t.visitor_seq`,
    [channel_id],
  );
  const isNow = isMatching('visitor', 'was_ms + after_ms - before_ms');
  for (const level of levels) {
    const block = blockOf('visitor_seq', level);
    await sql.run(
      `INSERT INTO audience_block (channel_id, kind, level, block, rows, matching)
       SELECT CAST($1 AS BIGINT), 'visitor', CAST($2 AS BIGINT), ${block}, 0,
         SUM(${isNow} - ${isMatching('visitor', 'was_ms')})
       FROM touched_viewers WHERE visitor_seq IS NOT NULL GROUP BY ${block} ${addBlock}`,
      [channel_id, level],
    );
  }
  return await addNewVisitors(sql, channel_id, nextSeq);
}

/** Gives a channel's visitors new numbers in order of first entry; the next free one. */
export async function renumberVisitors(sql: Sql, channel_id: number): Promise<number> {
  const columns = `viewer_id, nick, addr, phone, device, browser, referer, last_ip, first_entered_at,
    last_seen_at, watch_ms, credited_until, visit_times, share_times, comment_count, settled_until,
    stretch_from, stretches, wrote_at`;
  await sql.run('DROP TABLE IF EXISTS numbered_visitors');
  await sql.run(
    `CREATE TEMP TABLE numbered_visitors AS
     SELECT ROW_NUMBER() OVER (ORDER BY first_entered_at, seq) AS n, ${columns}
     FROM visitors WHERE channel_id = ${channel_id}`,
  );
  await sql.run('DELETE FROM visitors WHERE channel_id = $1', [channel_id]);
  const count = await sql.run(
    `INSERT INTO visitors (channel_id, seq, ${columns})
     SELECT CAST($1 AS BIGINT), n, ${columns} FROM numbered_visitors ORDER BY n`,
    [channel_id],
  );
  await sql.run('DROP TABLE numbered_visitors');
  await recountBlocks(sql, { channel_id, kind: 'visitor', fromSeq: 0 });
  return count + 1;
}

/**
 * What the imported sessions of the touched viewers come to. Of an imported session only sums are
 * known, so sessions that overlap are taken together: their sum, but never more than the time they
 * cover. Sessions that do not overlap simply add up.
 */
async function measure(
  sql: Sql,
  channel_id: number,
  column: 'before_ms' | 'after_ms',
): Promise<void> {
  const order = 'PARTITION BY viewer_id ORDER BY entered_at, seq';
  await sql.run(
    `WITH marked AS (
       SELECT s.viewer_id, s.seq, s.entered_at, s.last_seen_at, s.watch_ms,
         MAX(s.last_seen_at) OVER (PARTITION BY s.viewer_id ORDER BY s.entered_at, s.seq
           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached_at
       FROM touched_viewers t CROSS JOIN sessions s
       WHERE s.channel_id = $1 AND s.viewer_id = t.viewer_id AND COALESCE(s.external_id, '') <> ''
     ), grouped AS (
       SELECT viewer_id, entered_at, last_seen_at, watch_ms,
         SUM(CASE WHEN entered_at < reached_at THEN 0 ELSE 1 END) OVER (${order}) AS cluster
       FROM marked
     ), summed AS (
       SELECT viewer_id, SUM(watch_ms) AS watched, MAX(last_seen_at) - MIN(entered_at) AS covered
       FROM grouped GROUP BY viewer_id, cluster
     )
     UPDATE touched_viewers SET ${column} = w.ms FROM (
       SELECT viewer_id, SUM(CASE WHEN watched < covered THEN watched ELSE covered END) AS ms
       FROM summed GROUP BY viewer_id
     ) w WHERE w.viewer_id = touched_viewers.viewer_id`,
    [channel_id],
  );
}

/** A viewer's last session in the channel, imported or not, says how they came and who they are. */
async function describeKnown(sql: Sql, channel_id: number): Promise<void> {
  await sql.run(
    `UPDATE visitors SET nick = l.nick, addr = l.addr, phone = l.phone, device = l.device,
       browser = l.browser, referer = l.origin, last_ip = l.ip
     FROM touched_viewers t JOIN sessions l ON l.channel_id = $1 AND l.seq = (
       SELECT MAX(s.seq) FROM sessions s WHERE s.channel_id = $1 AND s.viewer_id = t.viewer_id)
     WHERE visitors.channel_id = $1 AND visitors.seq = t.visitor_seq`,
    [channel_id],
  );
}

/** The next free visitor number. */
async function addNewVisitors(sql: Sql, channel_id: number, nextSeq: number): Promise<number> {
  const count = await sql.run(
    `INSERT INTO visitors (channel_id, seq, viewer_id, nick, addr, phone, device, browser, referer, last_ip,
       first_entered_at, last_seen_at, watch_ms, credited_until, visit_times, share_times, comment_count)
     SELECT CAST($1 AS BIGINT), ROW_NUMBER() OVER (ORDER BY t.first_n) + $2, t.viewer_id, l.nick, l.addr, l.phone,
       l.device, l.browser, l.origin, l.ip, f.entered_at, t.last_seen_at, t.after_ms, t.last_seen_at,
       t.visits, 0, 0
     FROM touched_viewers t JOIN numbered_sessions f ON f.n = t.first_n JOIN numbered_sessions l ON l.n = t.last_n
     WHERE t.visitor_seq IS NULL ORDER BY t.first_n`,
    [channel_id, nextSeq - 1],
  );
  await countAdded(sql, { channel_id, kind: 'visitor', fromSeq: nextSeq });
  return nextSeq + count;
}
