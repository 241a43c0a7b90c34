// The rows of nodes: who runs on this database, and when each last gave a sign of life.
import { dialectWords } from '../db/dialect.ts';
import { type Sql, telling, write } from '../db/sql.ts';
import { bucketClash, type NodeBucket } from './node-bucket.ts';

export interface NodeRow extends NodeBucket {
  node: string;
  run: string;
  link_url: string;
  version: string;
  draining: number;
  started_at: number;
  seen_at: number;
  renewals: number;
  clock_ahead_ms: number;
  flushed_until: number;
}

/** What a node says of itself when it comes. */
export type NewNode = Pick<
  NodeRow,
  'node' | 'run' | 'link_url' | 'version' | 'bucket' | 'bucket_url'
>;

/** A row that was seen to stand still: a kill has left it. */
export type StillRow = Pick<NodeRow, 'run' | 'renewals'>;

/** The database's clock then, and everybody that it knows. */
export interface NodesNow {
  at: number;
  nodes: NodeRow[];
}

/** The same, and the row of the run before under this name, which a kill has left. */
export interface Joined extends NodesNow {
  before: NodeRow | undefined;
  /** A running service beside which it cannot run: nothing was written. */
  refusing: NodeRow | undefined;
}

const columns = `node, run, link_url, version, draining, started_at, seen_at, renewals, clock_ahead_ms,
  flushed_until, bucket, bucket_url`;

/** A node that has been silent for so long is not listed any more. */
const forgottenMs = 7 * 86_400_000;

/**
 * Its row is there before it holds anything. That of an earlier run becomes its own. `still`: who comes is refused
 * by every row beside these that it cannot run with; without it, as for a node that is there already, by none.
 */
export const joinNodes = write(
  'nodes.join',
  async (sql, { joined, still }: { joined: NewNode; still?: StillRow[] }): Promise<Joined> => {
    const { clockMs, lockTable } = dialectWords(sql.dialect);
    const lock = lockTable('nodes');
    if (lock) await sql.run(lock);
    const { node, run, link_url, version, bucket, bucket_url } = joined;
    await sql.run(`DELETE FROM nodes WHERE seen_at < ${clockMs} - $1`, [forgottenMs]);
    const rows = await listNodes(sql);
    const before = rows.find((row) => row.node === node && row.run !== run);
    const refusing = still && rows.find((row) => isInTheWay(joined, row) && !isOneOf(still, row));
    if (refusing) return { ...(await nodesNow(sql)), before, refusing };
    await sql.run(
      `INSERT INTO nodes (${columns}) VALUES ($1, $2, $3, $4, 0, ${clockMs}, ${clockMs}, 0, 0, 0, $5, $6)
       ON CONFLICT (node) DO UPDATE SET run = excluded.run, link_url = excluded.link_url,
         version = excluded.version, draining = 0, started_at = excluded.started_at,
         seen_at = excluded.seen_at, renewals = nodes.renewals + 1, clock_ahead_ms = 0, flushed_until = 0,
         bucket = excluded.bucket, bucket_url = excluded.bucket_url`,
      [node, run, link_url, version, bucket, bucket_url],
    );
    return { ...(await nodesNow(sql)), before, refusing: undefined };
  },
);

/** Whether it is another node, which may not run beside this one. */
export function isInTheWay(
  own: NodeBucket & Pick<NodeRow, 'node'>,
  row: NodeBucket & Pick<NodeRow, 'node'>,
): boolean {
  return row.node !== own.node && bucketClash(own, row) !== undefined;
}

function isOneOf(still: readonly StillRow[], { run, renewals }: NodeRow): boolean {
  return still.some((one) => one.run === run && one.renewals === renewals);
}

/** Says that it is there. Where the row is another run's it stays as it is. */
export const renewNode = write(
  'nodes.renew',
  async (
    sql,
    given: Pick<NodeRow, 'node' | 'run' | 'clock_ahead_ms' | 'flushed_until' | 'draining'>,
  ): Promise<NodesNow> => {
    const { clockMs, largest } = dialectWords(sql.dialect);
    await sql.run(
      `UPDATE nodes SET seen_at = ${clockMs}, renewals = renewals + 1, clock_ahead_ms = $3, flushed_until = $5,
         draining = ${largest('draining', 'CAST($4 AS BIGINT)')}
       WHERE node = $1 AND run = $2`,
      [given.node, given.run, given.clock_ahead_ms, given.draining, given.flushed_until],
    );
    return await nodesNow(sql);
  },
);

/** It has stopped of its own accord. */
export const leaveNodes = write(
  'nodes.leave',
  async (sql, { node, run }: Pick<NodeRow, 'node' | 'run'>): Promise<void> => {
    await sql.run('DELETE FROM nodes WHERE node = $1 AND run = $2', [node, run]);
  },
);

/** It learns that with its next sign of life; false where that run of it is gone. */
export const drainNode = telling(
  { changed: (isTold: boolean) => isTold },
  write('nodes.drain', async (sql, { node, run }: Pick<NodeRow, 'node' | 'run'>) => {
    const text = 'UPDATE nodes SET draining = 1 WHERE node = $1 AND run = $2';
    return (await sql.run(text, [node, run])) > 0;
  }),
);

/** The last statement of what asks: its clock is read close to the answer. */
export async function nodesNow(sql: Sql): Promise<NodesNow> {
  const nodes = await listNodes(sql);
  const { clockMs } = dialectWords(sql.dialect);
  const row = await sql.one<{ at: number }>(`SELECT ${clockMs} AS at`);
  return { at: row?.at ?? 0, nodes };
}

export async function listNodes(sql: Sql): Promise<NodeRow[]> {
  return await sql.all<NodeRow>(`SELECT ${columns} FROM nodes ORDER BY node`);
}
