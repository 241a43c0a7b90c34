// The rows of pushes: which node has a channel's push. All times are the database's.
import { type BatchStatement, batchStatement } from '../../base/db/batch.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { type Dialect, read, type Sql, write } from '../../base/db/sql.ts';
import { ofChannel } from '../../base/db/whose.ts';
import { type RecordedBefore, takeOverMs } from './push-lease.ts';
import { recordedBefore } from './recorded-before-store.ts';
import { openShow, type ShowRow } from './show-store.ts';

/** A holder that has not renewed for so long may be taken from. */
export const holdMs = 3_000;
/**
 * Who lets go of a push in good order says for so long, as if it were to renew it then, that its numbers are exact. No
 * push waits longer for its end by it than by the usual reconnect window.
 */
const handedOverMs = 10_000;
/** A holder that cannot renew goes on counting segments meanwhile, one in so long. */
const segmentMs = 2_000;

/** While somebody publishes, while one who was cut may come back, and when it is over. */
export type PushState = 'live' | 'cut' | 'ended';

export interface PushRow {
  channel_id: number;
  push: string;
  epoch: number;
  node: string;
  state: PushState;
  key_hash: string;
  held_until: number;
  renewals: number;
  media_at: number;
  started_at: number;
  sequence_mark: number;
  discontinuities: number;
}

export interface PushClaim {
  channel_id: number;
  node: string;
  /** Of the publish key that whoever publishes has shown. */
  key_hash: string;
  /** What it is called where no push goes on. */
  push: string;
  reconnectMs: number;
  /** The epoch that the claimer's run holds it by, where its publisher was cut; that stays. */
  heldEpoch: number | undefined;
  /** How often its holder had renewed it when it was last heard of: where that is still so, it counts as gone. */
  silentSince: number | undefined;
  /** By the claimer's clock. */
  now: number;
}

/** What the claim came to. */
export interface Claimed {
  isGranted: boolean;
  /** As it is now. */
  row: PushRow;
  /** What goes on by a new epoch: the row as it was, the show that is on, and what was recorded. */
  before:
    | { row: PushRow; isHandedOver: boolean; show: ShowRow | undefined; recorded: RecordedBefore }
    | undefined;
}

const columns = `channel_id, push, epoch, node, state, key_hash, held_until, renewals, media_at,
  started_at, sequence_mark, discontinuities`;

/**
 * Takes the channel's push, which goes on where its reconnect window is open. A holder keeps it while it renews and its
 * publisher, who has the same key, sends.
 */
export const claimPush = write(
  'pushes.claim',
  ofChannel,
  async (sql, claim: PushClaim): Promise<Claimed> => {
    const { channel_id } = claim;
    const known = await lockedPush(sql, claim);
    const { at } = known;
    if (!isFree(known, claim)) return { isGranted: false, row: known, before: undefined };
    const { row, goesOn } = taken(known, claim);
    await sql.run(
      `UPDATE pushes SET push = $2, epoch = $3, node = $4, state = 'live', key_hash = $5,
         held_until = $6, renewals = $7, media_at = $8, started_at = $9, sequence_mark = $10,
         discontinuities = $11 WHERE channel_id = $1`,
      [
        ...[channel_id, row.push, row.epoch, row.node, row.key_hash, at + holdMs, row.renewals],
        ...[at, row.started_at, row.sequence_mark, row.discontinuities],
      ],
    );
    const isNext = goesOn && row.epoch !== known.epoch;
    if (!isNext) return { isGranted: true, row, before: undefined };
    const recorded = await recordedBefore(sql, row.push);
    const show = await goOn(sql, claim);
    const isHandedOver = known.state === 'cut' && renewedAt(known) > at;
    return { isGranted: true, row, before: { row: known, isHandedOver, show, recorded } };
  },
);

/** The row, made where there is none, and the database's clock; nobody else changes it before this transaction ends. */
async function lockedPush(sql: Sql, claim: PushClaim): Promise<PushRow & { at: number }> {
  const { clockMs, forUpdate } = dialectWords(sql.dialect);
  const { channel_id, push, node, key_hash } = claim;
  await sql.run(
    `INSERT INTO pushes (${columns}) VALUES ($1, $2, 0, $3, 'ended', $4, 0, 0, 0, 0, 0, 0)
     ON CONFLICT (channel_id) DO NOTHING`,
    [channel_id, push, node, key_hash],
  );
  const row = await sql.one<PushRow & { at: number }>(
    `SELECT ${columns}, ${clockMs} AS at FROM pushes WHERE channel_id = $1 ${forUpdate}`,
    [channel_id],
  );
  if (!row) throw new Error(`channel ${channel_id} has no row of its push`);
  return row;
}

/** Whether whoever claims it may have it. */
function isFree(known: PushRow, { node, key_hash, silentSince }: PushClaim): boolean {
  if (known.state !== 'live' || known.node === node || known.key_hash !== key_hash) return true;
  // When its holder last renewed it, it had heard nothing from its publisher for so long.
  const isSilent = renewedAt(known) - known.media_at >= takeOverMs;
  return isSilent || known.renewals === silentSince;
}

/** The row as the claimer's, and whether its push goes on. */
function taken(known: PushRow & { at: number }, claim: PushClaim) {
  const { at, ...row } = known;
  const { node, key_hash, push, reconnectMs, heldEpoch } = claim;
  const goesOn =
    row.state !== 'ended' && row.key_hash === key_hash && row.media_at + reconnectMs > at;
  const isOwn = goesOn && row.node === node && row.epoch === heldEpoch;
  // A holder that could not renew has counted on meanwhile.
  const unheardMs = row.state === 'ended' ? 0 : Math.max(0, at - renewedAt(row));
  const own: PushRow = {
    ...row,
    ...{ node, key_hash, state: 'live', media_at: at, held_until: at + holdMs },
    ...(!goesOn && { push, started_at: at, discontinuities: 0 }),
    epoch: isOwn ? row.epoch : row.epoch + 1,
    renewals: row.renewals + 1,
    sequence_mark: row.sequence_mark + Math.floor(unheardMs / segmentMs),
  };
  return { row: own, goesOn };
}

function renewedAt({ held_until }: PushRow): number {
  return held_until - holdMs;
}

/** The show that goes on; from here on it is this node that says that the channel is live. */
async function goOn(sql: Sql, claim: PushClaim): Promise<ShowRow | undefined> {
  const { channel_id, node, now } = claim;
  const show = await openShow(sql, channel_id);
  await sql.run(
    'UPDATE channels SET live_node = $2, live_seen_at = $3 WHERE id = $1 AND live = 1',
    [channel_id, node, now],
  );
  return show;
}

export async function findPush(sql: Sql, channel_id: number): Promise<PushRow | undefined> {
  return await sql.one<PushRow>(`SELECT ${columns} FROM pushes WHERE channel_id = $1`, [
    channel_id,
  ]);
}

/** What a holder says of one of its pushes. */
export interface PushRenewal {
  channel_id: number;
  epoch: number;
  state: 'live' | 'cut';
  /** For how long nothing has come of it. */
  silent_ms: number;
  sequence_mark: number;
  discontinuities: number;
}

/** The channels that are still the node's own; whichever is missing was taken by another. */
export const renewPushes = write(
  'pushes.renew',
  async (sql, { node, pushes }: { node: string; pushes: readonly PushRenewal[] }) => {
    const given = pushes.map((push) => ({ node, ...push }));
    const rows = await renewals[sql.dialect].all<{ channel_id: number }>(sql, given);
    return rows.map(({ channel_id }) => channel_id);
  },
);

const renewals = { sqlite: renewalOn('sqlite'), postgres: renewalOn('postgres') };

function renewalOn(dialect: Dialect): BatchStatement<PushRenewal & { node: string }> {
  const { clockMs } = dialectWords(dialect);
  return batchStatement(
    {
      ...{ channel_id: 'int', node: 'text', epoch: 'int', state: 'text', silent_ms: 'int' },
      ...{ sequence_mark: 'int', discontinuities: 'int' },
    },
    (push, from) =>
      `UPDATE pushes SET state = ${push.state}, held_until = ${clockMs} + ${holdMs},
         renewals = renewals + 1, media_at = ${clockMs} - ${push.silent_ms},
         sequence_mark = ${push.sequence_mark}, discontinuities = ${push.discontinuities}
       ${from()} WHERE pushes.channel_id = ${push.channel_id} AND pushes.epoch = ${push.epoch}
         AND pushes.node = ${push.node} AND pushes.state <> 'ended'
       RETURNING pushes.channel_id`,
  );
}

/** A push that nobody has come back to in time, as far as the rows know. */
export type LostPush = Pick<PushRow, 'channel_id' | 'push' | 'epoch' | 'node' | 'renewals'>;

/** Whose reconnect window is over and whose holder does not renew it. */
export const lostPushes = read(
  'pushes.lost',
  async (sql, given: { reconnectMs: number; limit: number }): Promise<LostPush[]> => {
    const { clockMs } = dialectWords(sql.dialect);
    return await sql.all<LostPush>(
      `SELECT channel_id, push, epoch, node, renewals FROM pushes
       WHERE state <> 'ended' AND media_at < ${clockMs} - $1 AND held_until < ${clockMs}
       ORDER BY media_at LIMIT CAST($2 AS BIGINT)`,
      [given.reconnectMs + holdMs, given.limit],
    );
  },
);

/** Part of the write that ends it; false where somebody has renewed or taken it. */
export async function endPush(sql: Sql, lost: LostPush): Promise<boolean> {
  const { channel_id, push, epoch, renewals } = lost;
  const ended = await sql.run(
    `UPDATE pushes SET state = 'ended', renewals = renewals + 1
     WHERE channel_id = $1 AND push = $2 AND epoch = $3 AND renewals = $4 AND state <> 'ended'`,
    [channel_id, push, epoch, renewals],
  );
  return ended > 0;
}

/** A push that its holder lets go of. */
export interface LetGo {
  channel_id: number;
  node: string;
  epoch: number;
  /** One that was cut may have come back meanwhile: then nothing is changed. */
  was: 'live' | 'cut';
  /** Over for good, or for whoever comes back in time. */
  state: 'cut' | 'ended';
  /** The highest number that it has shown, of one that goes on above it. */
  lastSequence?: number | undefined;
}

/** False where another node has taken it, or its publisher came back. */
export const letGoOfPush = write('pushes.letGo', ofChannel, async (sql, push: LetGo) => {
  const { channel_id, node, epoch, was, state, lastSequence } = push;
  const { clockMs } = dialectWords(sql.dialect);
  const isShown = lastSequence !== undefined;
  const mark = `, sequence_mark = $5, held_until = ${clockMs} + ${holdMs + handedOverMs}`;
  const states = was === 'live' ? "('live', 'cut')" : "('cut')";
  const changed = await sql.run(
    `UPDATE pushes SET state = $4, renewals = renewals + 1${isShown ? mark : ''}
     WHERE channel_id = $1 AND node = $2 AND epoch = $3 AND state IN ${states}`,
    [channel_id, node, epoch, state, ...(isShown ? [lastSequence] : [])],
  );
  return changed > 0;
});

/** Whether a later epoch has the channel's push: what an earlier one says of it is old. It stays so until the transaction ends. */
export async function isOvertaken(
  sql: Sql,
  { channel_id, epoch = 0 }: { channel_id: number; epoch?: number | undefined },
): Promise<boolean> {
  if (epoch === 0) return false;
  const row = await sql.one<{ epoch: number }>(
    `SELECT epoch FROM pushes WHERE channel_id = $1 ${dialectWords(sql.dialect).forShare}`,
    [channel_id],
  );
  return row !== undefined && row.epoch > epoch;
}
