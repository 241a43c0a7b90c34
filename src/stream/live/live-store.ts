// What the database knows of live channels: their rows, and those of their shows, follow the hub.
import { flush, placeholders, type Sql, write } from '../../base/db/sql.ts';
import { nodeSilentMsMax } from '../../library/channels/channel-limits.ts';
import {
  type BegunShow,
  type EndedShow,
  type LiveOwner,
  tellLive,
  tellOffline,
} from '../../library/events/live-events.ts';
import type { VideoTrack } from '../formats/packet.ts';
import type { LiveChannel } from './live-stream.ts';
import { endPush, isOvertaken, type LostPush } from './push-lease-store.ts';
import { type ShowRow, writeShow } from './show-store.ts';

export async function channelOfKey(sql: Sql, key: string): Promise<LiveChannel | undefined> {
  return await sql.one<LiveChannel>(
    `SELECT c.id, c.account_id, c.stream_key, c.play_id, a.auto_save_live_video, a.live_ladder
     FROM channels c JOIN accounts a ON a.id = c.account_id WHERE c.stream_key = $1 AND c.deleted_at IS NULL`,
    [key],
  );
}

/** Those of the channels whose publish key is another now, and those that are deleted. */
export async function lostKeys(
  sql: Sql,
  channels: readonly LiveChannel[],
): Promise<{ changed: number[]; deleted: number[] }> {
  if (channels.length === 0) return { changed: [], deleted: [] };
  const rows = await sql.all<{ id: number; stream_key: string }>(
    `SELECT id, stream_key FROM channels WHERE id IN ${placeholders(1, channels.length)}
     AND deleted_at IS NULL`,
    channels.map(({ id }) => id),
  );
  const keys = new Map(rows.map(({ id, stream_key }) => [id, stream_key]));
  const lost = channels.filter(({ id, stream_key }) => keys.get(id) !== stream_key);
  const [deleted, changed] = [false, true].map((isThere) =>
    lost.filter(({ id }) => keys.has(id) === isThere).map(({ id }) => id),
  ) as [number[], number[]];
  return { changed, deleted };
}

/** Those of the play addresses that no channel has any more. */
export async function lostAddresses(sql: Sql, playIds: readonly string[]): Promise<string[]> {
  if (playIds.length === 0) return [];
  const rows = await sql.all<{ play_id: string }>(
    `SELECT play_id FROM channels WHERE play_id IN ${placeholders(1, playIds.length)}
     AND deleted_at IS NULL`,
    playIds,
  );
  const known = new Set(rows.map(({ play_id }) => play_id));
  return playIds.filter((playId) => !known.has(playId));
}

export interface LiveClaim {
  /** Which service has the push, and by which epoch where others could have it. */
  node: string;
  epoch?: number | undefined;
  /** Start of the push. */
  startedAt: number;
  show: ShowRow;
  /** Of the push, where it has one. */
  picture?: Pick<VideoTrack, 'width' | 'height'> | undefined;
  now: number;
}

/** False where the channel is deleted: then nothing is written, and its push must end. A delete that comes later finds it live. */
export const startLive = write('live.start', async (sql, claim: LiveClaim): Promise<boolean> => {
  const { show, node, epoch, now, startedAt } = claim;
  if (await isOvertaken(sql, { channel_id: show.channel_id, epoch })) return true;
  // Without a lock: whoever writes shows and their channel takes the show's row first.
  const { channel_id, begin_at } = show;
  const channel = await sql.one<LiveOwner>(
    'SELECT account_id, manager_id FROM channels WHERE id = $1 AND deleted_at IS NULL',
    [channel_id],
  );
  if (!channel) return false;
  // One that a node has left open, which is gone.
  const left = await sql.all<EndedShow>(
    `UPDATE shows SET end_at = (SELECT live_seen_at FROM channels WHERE id = $1)
     WHERE channel_id = $1 AND end_at IS NULL AND begin_at <> $2
     RETURNING id, channel_id, begin_at, end_at`,
    [channel_id, begin_at],
  );
  const id = await writeShow(sql, show);
  const makeLive = (wasLive: 0 | 1) =>
    sql.run(
      `UPDATE channels SET live = 1, live_node = $2, live_seen_at = $3, last_push_stream_at = $4
       WHERE id = $1 AND deleted_at IS NULL AND live = ${wasLive}`,
      [channel_id, node, now, startedAt],
    );
  const isNews = (await makeLive(0)) > 0;
  // Nothing is written, and the next try finds it so.
  if (!isNews && (await makeLive(1)) === 0)
    throw new Error(`channel ${channel_id} was deleted as its show began`);
  await keepPicture(sql, claim);
  if (!isNews) tellOffline(sql, channel, left);
  // Said twice it is no news.
  if (isNews || left.length > 0) tellLive(sql, channel, { id, channel_id, begin_at });
  return true;
});

/** What is shown of a live channel has changed, and that alone. */
export const changeShow = flush(
  'live.show',
  async (sql, change: Pick<LiveClaim, 'show' | 'epoch' | 'picture'>) => {
    const { show, epoch } = change;
    if (await isOvertaken(sql, { channel_id: show.channel_id, epoch })) return;
    await writeShow(sql, show);
    await keepPicture(sql, change);
  },
);

/** It stays when the push is over: the next one is likely to look the same. */
async function keepPicture(
  sql: Sql,
  { show, picture }: Pick<LiveClaim, 'show' | 'picture'>,
): Promise<void> {
  if (!picture) return;
  await sql.run(
    `UPDATE channels SET picture_width = $2, picture_height = $3
     WHERE id = $1 AND (picture_width <> $2 OR picture_height <> $3)`,
    [show.channel_id, picture.width, picture.height],
  );
}

type EndClaim = Pick<LiveClaim, 'show' | 'node' | 'epoch'>;

/** The channel stays live where another show of it has begun. */
export const endLive = write('live.end', async (sql, claim: EndClaim) => {
  const { show, node, epoch } = claim;
  if (await isOvertaken(sql, { channel_id: show.channel_id, epoch })) return;
  const id = await writeShow(sql, show);
  const channel = await sql.one<LiveOwner>(
    `UPDATE channels SET live = 0, live_node = NULL WHERE id = $1 AND live_node = $2
     AND NOT EXISTS (SELECT 1 FROM shows WHERE channel_id = $1 AND end_at IS NULL)
     RETURNING account_id, manager_id`,
    [show.channel_id, node],
  );
  if (channel) tellOffline(sql, channel, [{ ...show, id, end_at: show.end_at ?? show.begin_at }]);
});

/** A show that a node had on when it was last heard of. */
export interface WasLive {
  channel_id: number;
  begin_at: number;
  anchors: string;
  seen_at: number;
}

/** What the node had live, for a service that was killed and starts again. */
export async function liveOf(sql: Sql, node: string): Promise<WasLive[]> {
  return await sql.all<WasLive>(
    `SELECT s.channel_id, s.begin_at, s.anchors, c.live_seen_at AS seen_at
     FROM channels c JOIN shows s ON s.channel_id = c.id AND s.end_at IS NULL
     WHERE c.live = 1 AND c.live_node = $1 ORDER BY c.id`,
    [node],
  );
}

type ShowName = Pick<ShowRow, 'channel_id' | 'begin_at'> & Pick<LiveClaim, 'epoch'>;

/**
 * Says again what this node has live, also where others thought it gone; whatever it or a node that is gone
 * no longer has is not live, and the shows of it ended when they were last heard of. Where it shares its channels with
 * other nodes a push that may still go on is none of these: it was handed over, or its encoder is on its way.
 */
export const keepLive = flush('live.keep', async (sql, input: Keep) => {
  const { node, shows, now, isShared = false } = input;
  const ids = shows.map(({ channel_id }) => channel_id);
  if (ids.length > 0) {
    const listed = placeholders(1, ids.length, 3);
    const forgotten = await sql.all<{ id: number }>(
      `SELECT id FROM channels WHERE live = 0 AND deleted_at IS NULL AND id IN ${placeholders(1, ids.length)}`,
      ids,
    );
    for (const { id } of forgotten)
      await goOn(sql, { node, now, show: shows.find((show) => show.channel_id === id) });
    await sql.run(
      `UPDATE channels SET live_seen_at = $1
         WHERE live = 1 AND live_node = $2 AND deleted_at IS NULL AND id IN ${listed}`,
      [now, node, ...ids],
    );
  }
  const others = ids.length > 0 ? `AND id NOT IN ${placeholders(1, ids.length, 3)}` : '';
  const gone = `live = 1 AND ((live_node = $1 ${others}) OR live_seen_at < $2 OR live_node IS NULL)`;
  const over = isShared ? `AND ${pushIsOver}` : '';
  await endGone(sql, `${gone} ${over}`, [node, now - nodeSilentMsMax, ...ids]);
});

interface Keep {
  node: string;
  shows: readonly ShowName[];
  now: number;
  isShared?: boolean | undefined;
}

/** Whoever ends a push that nobody comes back to says so of its channel, too. */
const pushIsOver = `NOT EXISTS (SELECT 1 FROM pushes
  WHERE pushes.channel_id = channels.id AND pushes.state <> 'ended')`;

/** Channels that are not live any more, and their shows, which ended when they were last heard of. */
async function endGone(sql: Sql, gone: string, params: readonly (string | number)[]) {
  const ended = await sql.all<EndedShow>(
    `UPDATE shows SET end_at = c.live_seen_at FROM (SELECT id, live_seen_at FROM channels WHERE ${gone}) c
     WHERE shows.channel_id = c.id AND shows.end_at IS NULL
     RETURNING shows.id, shows.channel_id, shows.begin_at, shows.end_at`,
    params,
  );
  const channels = await sql.all<LiveOwner & { id: number }>(
    `UPDATE channels SET live = 0, live_node = NULL WHERE ${gone}
     RETURNING id, account_id, manager_id`,
    params,
  );
  for (const channel of channels)
    tellOffline(
      sql,
      channel,
      ended.filter(({ channel_id }) => channel_id === channel.id),
    );
}

/** Nobody has come back to a push: it is over, and its show with it. False where somebody has. */
export const endLostPush = write('live.endLost', async (sql, lost: LostPush): Promise<boolean> => {
  if (!(await endPush(sql, lost))) return false;
  await endGone(sql, 'live = 1 AND id = $1 AND live_node = $2', [lost.channel_id, lost.node]);
  return true;
});

/** The show was taken for ended. */
async function goOn(
  sql: Sql,
  given: { show: ShowName | undefined; node: string; now: number },
): Promise<void> {
  const { show, node, now } = given;
  if (!show) return;
  const { channel_id, begin_at, epoch } = show;
  if (await isOvertaken(sql, { channel_id, epoch })) return;
  const on = await sql.one<BegunShow>(
    `UPDATE shows SET end_at = NULL, told = 0 WHERE channel_id = $1 AND begin_at = $2
     RETURNING id, channel_id, begin_at`,
    [channel_id, begin_at],
  );
  // Its beginning is about to be written.
  if (!on) return;
  const channel = await sql.one<LiveOwner>(
    `UPDATE channels SET live = 1, live_node = $2, live_seen_at = $3
     WHERE id = $1 AND live = 0 AND deleted_at IS NULL RETURNING account_id, manager_id`,
    [channel_id, node, now],
  );
  if (channel) tellLive(sql, channel, on);
}
