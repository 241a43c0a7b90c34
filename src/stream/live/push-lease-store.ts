// The rows of pushes: which node has a channel's push, and until when. All times are the database's.
import { type BatchStatement, batchStatement } from '../../base/db/batch.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { type Sql, write } from '../../base/db/sql.ts';

/** A holder that says nothing for so long may be taken from. */
export const holdMs = 3_000;
/** A publisher that has been silent this long gives way to another connection with its key. */
export const takeOverMs = 2_000;

/** While somebody publishes, while one who was cut may come back, and when it is over. */
export type PushState = 'live' | 'cut' | 'ended';

export interface PushRow {
  channel_id: number;
  push: string;
  epoch: number;
  node: string;
  state: PushState;
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
  /** The epoch that the claimer's run holds it by, of a publisher who was cut; it stays then. */
  heldEpoch: number | undefined;
  /** How often its holder had renewed it when it was last heard of: where that is still so, it counts as gone. */
  silentSince: number | undefined;
}

/** What the claim came to: the row as it is now, and whether it is the claimer's. */
export interface Claimed {
  isGranted: boolean;
  row: PushRow;
}

const columns = `channel_id, push, epoch, node, state, held_until, renewals, media_at, started_at,
  sequence_mark, discontinuities`;

/**
 * Takes the channel's push, which goes on where it was cut and its reconnect window is open. A holder keeps it while
 * it renews and its publisher, who has the same key, sends.
 */
export const claimPush = write('pushes.claim', async (sql, claim: PushClaim): Promise<Claimed> => {
  const { clockMs } = dialectWords(sql.dialect);
  const { channel_id, node, key_hash, push, reconnectMs, silentSince, heldEpoch } = claim;
  // Its holder had heard nothing from its publisher for so long, when it last renewed.
  const isSilent = `pushes.held_until - ${holdMs} - pushes.media_at >= ${takeOverMs}`;
  const goesOn = `pushes.state <> 'ended' AND pushes.key_hash = excluded.key_hash
    AND pushes.media_at + $5 > ${clockMs}`;
  const isOwn = 'pushes.node = excluded.node AND pushes.epoch = $7';
  const kept = (column: string) =>
    `${column} = CASE WHEN ${goesOn} THEN pushes.${column} ELSE excluded.${column} END`;
  const taken = await sql.one<PushRow>(
    `INSERT INTO pushes (${columns}, key_hash)
     VALUES ($1, $3, 1, $2, 'live', ${clockMs} + ${holdMs}, 1, ${clockMs}, ${clockMs}, 0, 0, $4)
     ON CONFLICT (channel_id) DO UPDATE SET
       epoch = CASE WHEN ${isOwn} AND ${goesOn} THEN pushes.epoch ELSE pushes.epoch + 1 END,
       node = excluded.node, state = 'live', key_hash = excluded.key_hash, held_until = excluded.held_until,
       renewals = pushes.renewals + 1, media_at = excluded.media_at,
       ${kept('push')}, ${kept('started_at')}, ${kept('discontinuities')}
     WHERE pushes.state <> 'live' OR pushes.node = excluded.node
       OR pushes.key_hash <> excluded.key_hash OR pushes.renewals = $6 OR ${isSilent}
     RETURNING ${columns}`,
    [channel_id, node, push, key_hash, reconnectMs, silentSince ?? -1, heldEpoch ?? -1],
  );
  if (taken) return { isGranted: true, row: taken };
  const held = await findPush(sql, channel_id);
  if (!held) throw new Error(`the push of channel ${channel_id} is neither free nor held`);
  return { isGranted: false, row: held };
});

export async function findPush(sql: Sql, channel_id: number): Promise<PushRow | undefined> {
  return await sql.one<PushRow>(`SELECT ${columns} FROM pushes WHERE channel_id = $1`, [
    channel_id,
  ]);
}

/** What a holder says of one of its pushes. */
export interface PushRenewal {
  channel_id: number;
  epoch: number;
  state: PushState;
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
    const rows = await renewal[sql.dialect].all<{ channel_id: number }>(sql, given);
    return rows.map(({ channel_id }) => channel_id);
  },
);

const renewal = {
  sqlite: renewalOn('sqlite'),
  postgres: renewalOn('postgres'),
};

function renewalOn(dialect: Sql['dialect']): BatchStatement<PushRenewal & { node: string }> {
  const { clockMs } = dialectWords(dialect);
  return batchStatement(
    {
      channel_id: 'int',
      node: 'text',
      epoch: 'int',
      state: 'text',
      silent_ms: 'int',
      sequence_mark: 'int',
      discontinuities: 'int',
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

/** It was cut, or is over; false where another node has taken it, or it was ended. */
export const releasePush = write(
  'pushes.release',
  async (sql, { node, ...push }: PushRenewal & { node: string }): Promise<boolean> => {
    const released = await renewal[sql.dialect].all(sql, [{ node, ...push }]);
    return released.length > 0;
  },
);
