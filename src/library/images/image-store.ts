// Pictures of channels' pages in the database, bytes and all: every service on it shows them.
import type { Owner } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { flush, read, type Sql, where, write } from '../../base/db/sql.ts';
import { ofNetwork, ofOwner } from '../../base/db/whose.ts';
import { randomText } from '../../base/lib/secret.ts';
import { lockChannel } from '../channels/channel-store.ts';
import type { ImageFacts } from './image-file.ts';
import { type ImageType, imageLimits } from './image-limits.ts';

export interface ImageOrder extends ImageFacts {
  channel_id: number;
  owner: Owner;
  bytes: Uint8Array;
  now: number;
}

const idBits = 128;

/** What the pictures of an account take; an index has their lengths. */
export async function imageBytes(
  sql: Sql,
  { account_id }: { account_id: number },
): Promise<number> {
  const row = await sql.one<{ bytes: number }>(
    'SELECT CAST(COALESCE(SUM(LENGTH(bytes)), 0) AS BIGINT) AS bytes FROM images WHERE account_id = $1',
    [account_id],
  );
  return row?.bytes ?? 0;
}

/** Its id. Where the channel has as many as it may, the oldest that no saved page names makes room. */
export const addImage = write('images.add', ofOwner, async (sql, order: ImageOrder) => {
  const { owner, type, width, height, bytes, now } = order;
  const { id: channel_id, account_id } = await lockChannel(sql, order.channel_id, owner);
  await makeRoom(sql, channel_id);
  const id = randomText(idBits);
  await sql.run(
    `INSERT INTO images (id, account_id, channel_id, type, width, height, made_at, unnamed_at, bytes)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8)`,
    [id, account_id, channel_id, type, width, height, now, bytes],
  );
  return id;
});

/** One of them, and what decides whether it stays. */
interface KeptImage {
  id: string;
  account_id: number;
  channel_id: number;
  /** Since when no saved page is known to name it; null while one does. */
  unnamed_at: number | null;
}

const selectKept = 'SELECT id, account_id, channel_id, unnamed_at FROM images';

async function makeRoom(sql: Sql, channel_id: number): Promise<void> {
  const kept = await sql.all<KeptImage>(
    `${selectKept} WHERE channel_id = $1 ORDER BY made_at, id`,
    [channel_id],
  );
  let tooMany = kept.length + 1 - imageLimits.ofChannelMax;
  for (const image of kept) {
    if (tooMany <= 0) return;
    if (await isNamed(sql, image)) continue;
    await removeImage(sql, image);
    tooMany -= 1;
  }
  if (tooMany > 0)
    throw new ApiError('noPermission', {
      message: `Saved pages show all ${imageLimits.ofChannelMax} pictures of this channel, and it may have no more`,
    });
}

async function removeImage(sql: Sql, { id }: KeptImage): Promise<void> {
  await sql.run('DELETE FROM images WHERE id = $1', [id]);
}

/** By a page of the account, also of a deleted channel, which may come back. An id is found in any form of its address. */
async function isNamed(sql: Sql, { id, account_id, channel_id }: KeptImage): Promise<boolean> {
  const { contains } = dialectWords(sql.dialect);
  // Nearly always its own, which is found at once.
  for (const whose of [
    ['id = ?', channel_id],
    ['account_id = ?', account_id],
  ] as const) {
    const { text, params } = where([whose, [contains('page'), id]]);
    if (await sql.one(`SELECT id FROM channels ${text} LIMIT 1`, params)) return true;
  }
  return false;
}

export interface ShownImage {
  type: ImageType;
}

/** For whoever knows its address; none of a channel that is deleted. */
export async function findImage(sql: Sql, id: string): Promise<ShownImage | undefined> {
  return await sql.one<ShownImage>(
    `SELECT i.type FROM images i JOIN channels c ON c.id = i.channel_id
     WHERE i.id = $1 AND c.deleted_at IS NULL`,
    [id],
  );
}

/** Off the main thread: it may be megabytes. */
export const readImageBytes = read(
  'images.bytes',
  ({ address }: { id: string; address: string }) => ofNetwork(address),
  async (sql, { id }): Promise<Uint8Array | undefined> => {
    const row = await sql.one<{ bytes: Uint8Array }>('SELECT bytes FROM images WHERE id = $1', [
      id,
    ]);
    return row?.bytes;
  },
);

/** Pictures that one look is for: each may be looked for in every page of its account. */
const lookedAtOnce = 10;

/** A moment of the sweep, and before when nobody may have named what is removed. */
interface SweepTime {
  before: number;
  now: number;
}

/** Of some pictures behind an id: those that are to be noted or removed, and the last that was looked at. */
export interface SweepLook {
  due: string[];
  /** Undefined where there is none behind the id. */
  last: string | undefined;
}

/** Beside the writer: nobody waits while pages are searched, and nearly always there is nothing to be done. */
export const lookAtImages = read(
  'images.look',
  async (sql, { after, ...time }: SweepTime & { after: string }): Promise<SweepLook> => {
    const some = await sql.all<KeptImage>(
      `${selectKept} WHERE id > $1 ORDER BY id LIMIT ${lookedAtOnce}`,
      [after],
    );
    const due: string[] = [];
    for (const image of some) if ((await fateOf(sql, image, time)) !== 'stays') due.push(image.id);
    return { due, last: some.at(-1)?.id };
  },
);

/** Notes whether one picture is named, or removes it: one, as its account's pages are searched once more. */
export const sweepImage = flush(
  'images.sweep',
  async (sql, { id, ...time }: SweepTime & { id: string }): Promise<void> => {
    const image = await sql.one<KeptImage>(`${selectKept} WHERE id = $1`, [id]);
    if (!image) return;
    // Whoever saves its page at this moment is waited for, or waits.
    await sql.one(`SELECT id FROM channels WHERE id = $1 ${dialectWords(sql.dialect).forUpdate}`, [
      image.channel_id,
    ]);
    const fate = await fateOf(sql, image, time);
    if (fate === 'goes') await removeImage(sql, image);
    else if (fate !== 'stays')
      await sql.run('UPDATE images SET unnamed_at = $2 WHERE id = $1', [id, fate.unnamed_at]);
  },
);

type Fate = 'stays' | 'goes' | Pick<KeptImage, 'unnamed_at'>;

async function fateOf(sql: Sql, image: KeptImage, { before, now }: SweepTime): Promise<Fate> {
  const unnamed_at = (await isNamed(sql, image)) ? null : (image.unnamed_at ?? now);
  if (unnamed_at !== null && unnamed_at <= before) return 'goes';
  return unnamed_at === image.unnamed_at ? 'stays' : { unnamed_at };
}
