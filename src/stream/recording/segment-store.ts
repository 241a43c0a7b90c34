// The segments of recordings that are on their way into the bucket, named one by one.
import { read, type Store, write } from '../../base/db/sql.ts';

export interface NamedSegment {
  /** The name of its recording: a push has one, until a takeover goes on with it on another node. */
  push: string;
  epoch: number;
  /** From 0 on, without a gap. */
  sequence: number;
  key: string;
  size: number;
  init_size: number;
  width: number;
  height: number;
  duration_ms: number;
  flags: number;
  starts_at: number;
}

const columns = [
  'push',
  'epoch',
  'sequence',
  'key',
  'size',
  'init_size',
  'width',
  'height',
  'duration_ms',
  'flags',
  'starts_at',
] as const;

/**
 * Whether the segment is this object now; the same however often it is asked. False where another object was named:
 * then somebody else goes on with the push. This is the one place where a segment is named; the epoch of the push is
 * not compared yet.
 */
export const nameSegment = write('segments.name', async (sql, segment: NamedSegment) => {
  await sql.run(
    `INSERT INTO segments (${columns.join(', ')})
     VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')}) ON CONFLICT (push, sequence) DO NOTHING`,
    columns.map((column) => segment[column]),
  );
  const named = await sql.one<{ key: string }>(
    'SELECT key FROM segments WHERE push = $1 AND sequence = $2',
    [segment.push, segment.sequence],
  );
  return named?.key === segment.key;
});

/** How many of a push are named: they are named in their order. */
export const namedSegments = read(
  'segments.named',
  async (sql, { push }: { push: string }): Promise<number> => {
    const last = await sql.one<{ last: number | null }>(
      'SELECT MAX(sequence) AS last FROM segments WHERE push = $1',
      [push],
    );
    return (last?.last ?? -1) + 1;
  },
);

/** Some rows at a time; whether there may be more. */
export const forgetSegments = write(
  'segments.forget',
  async (sql, { push, limit }: { push: string; limit: number }): Promise<boolean> => {
    const gone = await sql.run(
      `DELETE FROM segments WHERE push = $1 AND sequence IN (
         SELECT sequence FROM segments WHERE push = $1 ORDER BY sequence LIMIT CAST($2 AS BIGINT))`,
      [push, limit],
    );
    return gone === limit;
  },
);

/** Rows that are removed in a step, so that others get their turn. */
const forgottenAtOnce = 1_000;

export async function forgetAll(store: Store, push: string): Promise<void> {
  while (await store.perform(forgetSegments, { push, limit: forgottenAtOnce }));
}
