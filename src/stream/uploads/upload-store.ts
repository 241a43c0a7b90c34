// Uploads in the database: whose they are, what has become of them, and which a node has on its disk.
import type { Owner } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { flush, limitFrom, read, type Sql, telling, where, write } from '../../base/db/sql.ts';
import { ofAccount, ofOwner } from '../../base/db/whose.ts';
import { shareOf } from '../../base/turns/share.ts';
import { lockChannel } from '../../library/channels/channel-store.ts';
import type { ImportProblem } from './import-problem.ts';
import type { UploadRow, UploadState } from './upload.ts';
import { uploadLimits } from './upload-limits.ts';

const columns = `u.id, u.account_id, u.channel_id, u.node, u.recording, u.name, u.filename, u.size, u.came, u.state,
  u.problem, u.reason, u.video_id, u.created_at, u.touched_at`;

/** Of an owner: a manager's are those of their channels. None of a channel that is deleted is shown. */
const ofCallers = 'FROM uploads u JOIN channels c ON c.id = u.channel_id';

export async function findUpload(sql: Sql, id: string, owner: Owner): Promise<UploadRow> {
  const row = await sql.one<UploadRow>(
    `SELECT ${columns} ${ofCallers} WHERE u.id = $1 AND u.account_id = $2
     AND (CAST($3 AS BIGINT) = 0 OR c.manager_id = $3) AND c.deleted_at IS NULL`,
    [id, owner.account_id, owner.manager_id],
  );
  if (!row) throw new ApiError('noUpload');
  return row;
}

export interface UploadQuery {
  owner: Owner;
  /** Undefined: of all. */
  channel_id: number | undefined;
  limit: number;
  offset: number;
}

/** The newest first. */
export const listUploads = read('uploads.list', ofOwner, async (sql, query: UploadQuery) => {
  const { account_id, manager_id } = query.owner;
  const { text, params, next } = where([
    ['u.account_id = ?', account_id],
    ['c.manager_id = ?', manager_id === 0 ? undefined : manager_id],
    ['u.channel_id = ?', query.channel_id],
    'c.deleted_at IS NULL',
  ]);
  const all = await sql.one<{ total: number }>(
    `SELECT COUNT(*) AS total ${ofCallers} ${text}`,
    params,
  );
  const rows = await sql.all<UploadRow>(
    `SELECT ${columns} ${ofCallers} ${text} ORDER BY u.created_at DESC, u.id ${limitFrom(next)}`,
    [...params, query.limit, query.offset],
  );
  return { total: all?.total ?? 0, rows };
});

export interface UploadOrder
  extends Pick<
    UploadRow,
    'id' | 'channel_id' | 'node' | 'recording' | 'name' | 'filename' | 'size'
  > {
  owner: Owner;
  now: number;
}

/** Throws where the account, or the manager within it, has as many unfinished ones as they may. */
export const addUpload = telling(
  {
    of: ({ channel_id }) => ({ kind: 'channel', id: channel_id }),
    told: ({ name }) => ({ name }),
  },
  write('uploads.add', ofOwner, async (sql, order: UploadOrder) => {
    const { id, owner, channel_id, node, recording, filename, size, now } = order;
    // Whoever begins another at the same time waits here, so none is one too many.
    await sql.one(`SELECT id FROM accounts WHERE id = $1 ${dialectWords(sql.dialect).forUpdate}`, [
      owner.account_id,
    ]);
    const { account_id, name: channelName } = await lockChannel(sql, channel_id, owner);
    await checkUnfinished(sql, owner);
    const name = order.name || channelName;
    await sql.run(
      `INSERT INTO uploads (id, account_id, channel_id, node, recording, name, filename, size, came, state, problem,
       reason, created_at, touched_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 'coming', '', '', $9, $9)`,
      [id, account_id, channel_id, node, recording, name, filename, size, now],
    );
    return await findUpload(sql, id, owner);
  }),
);

/** A manager's are those of their channels. The account's own side may have all that there are. */
async function checkUnfinished(sql: Sql, { account_id, manager_id }: Owner): Promise<void> {
  const { all, own } = (await sql.one<{ all: number; own: number }>(
    `SELECT COUNT(*) AS "all", COUNT(CASE WHEN c.manager_id = $2 THEN 1 END) AS own ${ofCallers}
     WHERE u.account_id = $1 AND u.state IN ('coming', 'reading')`,
    [account_id, manager_id],
  )) ?? { all: 0, own: 0 };
  const { unfinishedMax } = uploadLimits;
  if (all >= unfinishedMax)
    throw new ApiError('tooManyUploads', {
      message: `The account has ${all} unfinished uploads and may have no more; end one or wait for it`,
    });
  if (manager_id !== 0 && own >= shareOf(unfinishedMax, all - own))
    throw new ApiError('tooManyUploads', {
      message: `The manager has ${own} unfinished uploads, half of what the others leave; end one or wait for it`,
    });
}

interface Noted {
  id: string;
  account_id: number;
  came: number;
  now: number;
}

/** So much has come, and somebody uses it; false where it comes no more. */
export const noteUpload = write(
  'uploads.note',
  ofAccount,
  async (sql, { id, came, now }: Noted): Promise<boolean> => {
    const changed = await sql.run(
      "UPDATE uploads SET came = $2, touched_at = $3 WHERE id = $1 AND state = 'coming'",
      [id, came, now],
    );
    return changed === 1;
  },
);

type Whole = Pick<UploadRow, 'id' | 'account_id' | 'channel_id' | 'name'> & { now: number };

/** All of it has come. The same however often it is asked; whether this was the first time. */
export const beginReading = telling(
  {
    of: ({ channel_id }) => ({ kind: 'channel', id: channel_id }),
    changed: (isFirst) => isFirst,
    told: (_, { name }) => ({ name }),
  },
  write('uploads.whole', ofAccount, async (sql, { id, now }: Whole): Promise<boolean> => {
    const changed = await sql.run(
      "UPDATE uploads SET came = size, state = 'reading', touched_at = $2 WHERE id = $1 AND state = 'coming'",
      [id, now],
    );
    return changed === 1;
  }),
);

export interface EndedUpload {
  id: string;
  state: Extract<UploadState, 'done' | 'refused'>;
  problem: string;
  reason: ImportProblem | null;
  video_id: number | null;
  /** Of one that is lost nothing has come. */
  isLost: boolean;
  now: number;
}

export const endUpload = write(
  'uploads.end',
  async (
    sql,
    { id, state, problem, reason, video_id, isLost, now }: EndedUpload,
  ): Promise<void> => {
    await sql.run(
      `UPDATE uploads SET state = $2, problem = $3, reason = $4, video_id = $5,
         came = CASE WHEN CAST($6 AS BIGINT) = 1 THEN 0 ELSE came END, touched_at = $7 WHERE id = $1 AND state IN ('coming', 'reading')`,
      [id, state, problem, reason ? JSON.stringify(reason) : '', video_id, isLost ? 1 : 0, now],
    );
  },
);

/** False where it is a video, or not there. */
export const removeUpload = telling(
  { of: ({ channel_id }) => ({ kind: 'channel', id: channel_id }), changed: (isGone) => isGone },
  write(
    'uploads.remove',
    ofAccount,
    async (sql, { id }: Pick<UploadRow, 'id' | 'account_id' | 'channel_id'>): Promise<boolean> =>
      (await sql.run("DELETE FROM uploads WHERE id = $1 AND state <> 'done'", [id])) === 1,
  ),
);

/** Those that a node has files of. */
export const heldUploads = read(
  'uploads.held',
  async (sql, { node }: { node: string }): Promise<UploadRow[]> =>
    await sql.all<UploadRow>(
      `SELECT ${columns} FROM uploads u WHERE u.node = $1 AND u.state IN ('coming', 'reading')
       ORDER BY u.created_at, u.id`,
      [node],
    ),
);

/** Other nodes that have files of some. */
export async function nodesOfUploads(sql: Sql, { but }: { but: string }): Promise<string[]> {
  const rows = await sql.all<{ node: string }>(
    "SELECT DISTINCT node FROM uploads WHERE state IN ('coming', 'reading') AND node <> $1",
    [but],
  );
  return rows.map(({ node }) => node);
}

/** Rows of one step: a few milliseconds of the writer. */
export const sweptAtOnce = 250;

/** Forgets what nobody has used since, of any node, but what is being read; how many. Files follow where they lie. */
export const sweepUploads = flush(
  'uploads.sweep',
  async (sql, { before }: { before: number }): Promise<number> =>
    await sql.run(
      `DELETE FROM uploads WHERE state <> 'reading' AND id IN (
         SELECT id FROM uploads WHERE touched_at <= $1 AND state <> 'reading'
         ORDER BY touched_at LIMIT ${sweptAtOnce})`,
      [before],
    ),
);

/** Asked first: nearly always there is none, and the writer is not asked for that. */
export async function isAnyOld(sql: Sql, { before }: { before: number }): Promise<boolean> {
  const row = await sql.one(
    "SELECT id FROM uploads WHERE touched_at <= $1 AND state <> 'reading' LIMIT 1",
    [before],
  );
  return row !== undefined;
}
