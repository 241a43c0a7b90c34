// The segments of recordings that are on their way into the bucket, named one by one.
import { read, type Sql, type Store, write } from '../../base/db/sql.ts';
import { type Fence, mayName, removeStints } from './stint-store.ts';

export interface NamedSegment {
  /** The name of its recording. */
  push: string;
  epoch: number;
  /** Of a recording that nodes share the number that players see, which only rises; else from 0 on. */
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
 * Whether the segment is this object now; the same however often it is asked. Refused where another object was named,
 * or by the fence: then somebody else goes on with the push. This is the one place where a segment is named, and so
 * where the epoch of the push is compared.
 */
export const nameSegment = write(
  'segments.name',
  async (sql, segment: NamedSegment & { fence?: Fence | undefined }): Promise<boolean> => {
    const { push, epoch, sequence, key, fence } = segment;
    const known = await namedKey(sql, segment);
    if (known !== undefined) return known === key;
    if (fence && !(await mayName(sql, { ...fence, recording: push, epoch, sequence })))
      return false;
    await sql.run(
      `INSERT INTO segments (${columns.join(', ')})
       VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')}) ON CONFLICT (push, sequence) DO NOTHING`,
      columns.map((column) => segment[column]),
    );
    return (await namedKey(sql, segment)) === key;
  },
);

async function namedKey(
  sql: Sql,
  { push, sequence }: Pick<NamedSegment, 'push' | 'sequence'>,
): Promise<string | undefined> {
  const named = await sql.one<{ key: string }>(
    'SELECT key FROM segments WHERE push = $1 AND sequence = $2',
    [push, sequence],
  );
  return named?.key;
}

/** The last that is named by an epoch: they are named in their order. -1 where none is. */
export const lastNamed = read(
  'segments.lastNamed',
  async (sql, { push, epoch }: { push: string; epoch: number }): Promise<number> => {
    const last = await sql.one<{ last: number | null }>(
      'SELECT MAX(sequence) AS last FROM segments WHERE push = $1 AND epoch = $2',
      [push, epoch],
    );
    return last?.last ?? -1;
  },
);

/** Some of a recording in the order of its media, behind the one that was last read. */
export const segmentsBehind = read(
  'segments.behind',
  async (
    sql,
    given: { push: string; epoch: number; sequence: number; limit: number },
  ): Promise<NamedSegment[]> => {
    const { push, epoch, sequence, limit } = given;
    return await sql.all<NamedSegment>(
      `SELECT ${columns.join(', ')} FROM segments
       WHERE push = $1 AND (epoch > $2 OR (epoch = $2 AND sequence > $3))
       ORDER BY epoch, sequence LIMIT CAST($4 AS BIGINT)`,
      [push, epoch, sequence, limit],
    );
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

export const forgetStints = write(
  'stints.forget',
  async (sql, { recording }: { recording: string }) => {
    await removeStints(sql, recording);
  },
);

/** What is on its way of a recording is not any more. */
export async function forgetAll(store: Store, push: string): Promise<void> {
  await store.perform(forgetStints, { recording: push });
  while (await store.perform(forgetSegments, { push, limit: forgottenAtOnce }));
}
