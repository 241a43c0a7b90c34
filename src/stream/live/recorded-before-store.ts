// What the rows know of a push's recording: read by the claim of whoever goes on with it.
import type { Sql } from '../../base/db/sql.ts';
import type { RecordedBefore } from './push-lease.ts';

/** The first recording of a push has the push's own name, so that all nodes mean the same before any row says so. */
export async function recordedBefore(sql: Sql, push: string): Promise<RecordedBefore> {
  const open = await sql.one<{ recording: string; pushed_ms: number }>(
    `SELECT s.recording, MIN(s.pushed_ms) AS pushed_ms FROM recording_stints s
     WHERE s.push = $1 AND NOT EXISTS (SELECT 1 FROM videos v WHERE v.recording = s.recording)
     GROUP BY s.recording HAVING MAX(s.is_last) = 0
     ORDER BY MAX(s.epoch) DESC, MAX(s.pushed_ms) DESC LIMIT 1`,
    [push],
  );
  if (!open) {
    const used = await sql.one(
      `SELECT 1 AS used FROM recording_stints WHERE recording = $1
       UNION ALL SELECT 1 FROM videos WHERE recording = $1`,
      [push],
    );
    return { recording: used ? undefined : push, pushedMs: 0, durationMs: 0, segments: 0 };
  }
  const named = await sql.one<{ n: number; ms: number }>(
    `SELECT COUNT(*) AS n, CAST(COALESCE(SUM(duration_ms), 0) AS BIGINT) AS ms
     FROM segments WHERE push = $1`,
    [open.recording],
  );
  const durationMs = named?.ms ?? 0;
  return {
    recording: open.recording,
    pushedMs: open.pushed_ms + durationMs,
    durationMs,
    segments: named?.n ?? 0,
  };
}
