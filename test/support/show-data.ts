// Shows made of sessions that `paging-data.ts` has made: rows as a large audience would leave them.
import { spanText } from '../../src/audience/records/span.ts';
import { batchStatement } from '../../src/base/db/batch.ts';
import type { Sql } from '../../src/base/db/sql.ts';
import { seeded } from './random.ts';

const showMs = 2 * 3_600_000;

/** A stretch of a channel's sessions becomes the audience of a show of two hours; its id. */
export async function makeShow(
  store: Sql,
  { channel_id, viewers, first }: { channel_id: number; viewers: number; first: number },
): Promise<number> {
  const from = await store.one<{ entered_at: number }>(
    'SELECT entered_at FROM sessions WHERE channel_id = $1 AND seq = $2',
    [channel_id, first],
  );
  const begin_at = from?.entered_at ?? 0;
  const random = seeded(channel_id * viewers);
  const below = (n: number) => Math.floor(random.next() * n);
  let last = begin_at;
  for (let at = 0; at < viewers; at += 1_000) {
    const rows = Array.from({ length: Math.min(1_000, viewers - at) }, (_, n) => {
      const seq = first + at + n;
      // Most come in the first minutes; they enter in the order of their numbers.
      const entered_at = begin_at + Math.floor((showMs / 4) * ((at + n) / viewers) ** 2);
      last = entered_at;
      const spans = [];
      let end = entered_at;
      for (let span = 0; span <= below(4); span++) {
        const start = end + below(300_000);
        end = start + 1_000 + below(1_200_000);
        spans.push({ show: begin_at, from: start, to: end, position: start - begin_at });
      }
      const watch_ms = spans.reduce((ms, span) => ms + span.to - span.from, 0);
      return { channel_id, seq, entered_at, watch_ms, spans: spanText(spans) };
    });
    await watched.run(store, rows);
  }
  await store.run(
    `INSERT INTO shows (channel_id, begin_at, end_at, media_ms, anchors, first_entry_at, last_entry_at, changes)
     VALUES ($1, $2, $3, 0, '[]', $2, $4, 1)`,
    [channel_id, begin_at, begin_at + showMs, last],
  );
  const show = await store.one<{ id: number }>(
    'SELECT id FROM shows WHERE channel_id = $1 AND begin_at = $2',
    [channel_id, begin_at],
  );
  return show?.id ?? 0;
}

const watched = batchStatement(
  { channel_id: 'int', seq: 'int', entered_at: 'int', watch_ms: 'int', spans: 'text' },
  ({ channel_id, seq, entered_at, watch_ms, spans }, from) => `
    UPDATE sessions SET entered_at = ${entered_at}, watch_ms = ${watch_ms}, spans = ${spans}
    ${from()} WHERE sessions.channel_id = ${channel_id} AND sessions.seq = ${seq}`,
);
