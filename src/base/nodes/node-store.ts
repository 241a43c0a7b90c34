// The rows of nodes: who runs on this database, and when each last gave a sign of life.
import { dialectWords } from '../db/dialect.ts';
import { type Sql, write } from '../db/sql.ts';

export interface NodeRow {
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
export type NewNode = Pick<NodeRow, 'node' | 'run' | 'link_url' | 'version'>;

/** The database's clock then, and everybody that it knows. */
export interface NodesNow {
  at: number;
  nodes: NodeRow[];
}

/** The same, and the row of the run before under this name, which a kill has left. */
export interface Joined extends NodesNow {
  before: NodeRow | undefined;
}

const columns = `node, run, link_url, version, draining, started_at, seen_at, renewals, clock_ahead_ms,
  flushed_until`;

/** A node that has been silent for so long is not listed any more. */
const forgottenMs = 7 * 86_400_000;

/** Its row is there before it holds anything. That of an earlier run becomes its own. */
export const joinNodes = write('nodes.join', async (sql, joined: NewNode): Promise<Joined> => {
  const { clockMs, lockTable } = dialectWords(sql.dialect);
  const lock = lockTable('nodes');
  if (lock) await sql.run(lock);
  const { node, run, link_url, version } = joined;
  await sql.run(`DELETE FROM nodes WHERE seen_at < ${clockMs} - $1`, [forgottenMs]);
  const before = (await listNodes(sql)).find((row) => row.node === node && row.run !== run);
  await sql.run(
    `INSERT INTO nodes (${columns}) VALUES ($1, $2, $3, $4, 0, ${clockMs}, ${clockMs}, 0, 0, 0)
     ON CONFLICT (node) DO UPDATE SET run = excluded.run, link_url = excluded.link_url,
       version = excluded.version, draining = 0, started_at = excluded.started_at,
       seen_at = excluded.seen_at, renewals = nodes.renewals + 1, clock_ahead_ms = 0, flushed_until = 0`,
    [node, run, link_url, version],
  );
  return { ...(await nodesNow(sql)), before };
});

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

/** The last statement of what asks: its clock is read close to the answer. */
async function nodesNow(sql: Sql): Promise<NodesNow> {
  const nodes = await listNodes(sql);
  const { clockMs } = dialectWords(sql.dialect);
  const row = await sql.one<{ at: number }>(`SELECT ${clockMs} AS at`);
  return { at: row?.at ?? 0, nodes };
}

export async function listNodes(sql: Sql): Promise<NodeRow[]> {
  return await sql.all<NodeRow>(`SELECT ${columns} FROM nodes ORDER BY node`);
}

/** The last sign of life of a node, and how long ago it was; undefined where there is none. */
export async function lastSign(
  sql: Sql,
  node: string,
): Promise<{ renewals: number; age_ms: number } | undefined> {
  const { clockMs } = dialectWords(sql.dialect);
  return await sql.one(
    `SELECT renewals, ${clockMs} - seen_at AS age_ms FROM nodes WHERE node = $1`,
    [node],
  );
}
