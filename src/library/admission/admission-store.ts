// Who may watch, in the database: a column of each channel and of each video.
import type { Owner } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import { type Sql, telling, write } from '../../base/db/sql.ts';
import { ofOwner } from '../../base/db/whose.ts';
import { randomText } from '../../base/lib/secret.ts';
import { lockChannel } from '../channels/channel-store.ts';
import { findVideo } from '../videos/video-store.ts';
import { holderOfCode, keyOfListed } from './access-code.ts';
import {
  addCodes,
  type KeyPlace,
  type NewCodes,
  removeCode,
  removeListed,
  setListed,
} from './access-key-store.ts';
import {
  type Admission,
  type ChannelAccess,
  channelAdmission,
  openToAll,
  readAdmission,
  type StoredAdmission,
  type VideoAccess,
  videoAdmission,
} from './admission.ts';
import { admissionLimits } from './admission-limits.ts';
import { holderOfUid } from './pass.ts';

/** Undefined where there is no such thing, or none any more. */
export async function admissionOfPlay(sql: Sql, play_id: string): Promise<Admission | undefined> {
  const row = await sql.one<ChannelAccess>(
    'SELECT id, account_id, access FROM channels WHERE play_id = $1 AND deleted_at IS NULL',
    [play_id],
  );
  return row && channelAdmission(row);
}

export async function admissionOfChannel(sql: Sql, id: number): Promise<Admission | undefined> {
  const row = await sql.one<ChannelAccess>(
    'SELECT id, account_id, access FROM channels WHERE id = $1 AND deleted_at IS NULL',
    [id],
  );
  return row && channelAdmission(row);
}

export async function admissionOfVideo(sql: Sql, id: number): Promise<Admission | undefined> {
  const row = await sql.one<VideoAccess>(
    `SELECT v.id, v.channel_id, v.account_id, v.access AS own, c.access AS of_channel
     FROM videos v LEFT JOIN channels c ON c.id = v.channel_id AND c.account_id = v.account_id
     WHERE v.id = $1`,
    [id],
  );
  return row && videoAdmission(row);
}

/** A channel or a video, by its id and who asks. */
interface Named {
  kind: 'channel' | 'video';
  id: number;
  owner: Owner;
}

export interface AdmissionChange extends Named {
  /** `channel`: a video goes by its channel. */
  rule: 'channel' | Pick<StoredAdmission, 'kind'>;
  /** A new password. */
  password_hash?: string | undefined;
  show_cover?: boolean | undefined;
  /** Those whom a list lets in, and where it is kept. */
  list?: readonly string[] | undefined;
  place: KeyPlace;
  now: number;
}

/** What was said of the thing itself: `own` is empty where nothing was. */
export async function ownAdmission(sql: Sql, { kind, id, owner }: Named): Promise<string> {
  const { account_id, manager_id } = owner;
  const row = await sql.one<{ access: string }>(
    `SELECT access FROM ${tableOf(kind)} WHERE id = $1 AND account_id = $2
     AND (CAST($3 AS BIGINT) = 0 OR manager_id = $3) AND deleted_at IS NULL`,
    [id, account_id, manager_id],
  );
  if (!row) throw new ApiError(kind === 'channel' ? 'noChannel' : 'noVideo');
  return row.access;
}

/** Who watches by what held before watches no more where that is another kind, or another password. */
export const setAdmission = telling(
  { of: ({ kind, id }) => ({ kind, id }) },
  write('admission.set', ofOwner, async (sql, change: AdmissionChange): Promise<void> => {
    const before = readAdmission(await locked(sql, change));
    const after = changed(before, change);
    const { list, place, now } = change;
    const gone = list ? await setListed(sql, place, { list, now }) : [];
    await keep(sql, change, after && withoutHolders(withListed(after, list), gone));
  }),
);

function changed(before: StoredAdmission, change: AdmissionChange): StoredAdmission | undefined {
  const { rule, password_hash, show_cover = before.show_cover } = change;
  if (rule === 'channel') return undefined;
  const { kind } = rule;
  if (kind === 'password' && password_hash === undefined && before.password_hash === undefined)
    throw new ApiError('missing', {
      fields: [{ name: 'password', message: 'password must be given' }],
    });
  const goesOn = kind === before.kind && password_hash === undefined;
  const kept = kind === 'password' ? (password_hash ?? before.password_hash) : undefined;
  return {
    kind,
    revision: goesOn ? before.revision : newRevision(),
    ...(kept !== undefined && { password_hash: kept }),
    show_cover,
    ended: goesOn ? before.ended : [],
  };
}

interface Ended extends Named {
  /** Undefined: of everybody. */
  holder: string | undefined;
  /** A code by its id: nobody comes in by it any more, either. */
  code: string | undefined;
  /** One of the account's users, or whoever a list names so, who is on it no more. */
  uid: string | undefined;
  place: KeyPlace;
}

/** Who is on the list again comes in again. */
function withListed(rule: StoredAdmission, list: readonly string[] = []): StoredAdmission {
  const listed = new Set(list.map(keyOfListed));
  return { ...rule, ended: rule.ended.filter((holder) => !listed.has(holder)) };
}

/** Their passes are worth nothing any more; where they are very many, nobody's is. */
function withoutHolders(rule: StoredAdmission, holders: readonly string[]): StoredAdmission {
  const ended = [...new Set([...rule.ended, ...holders])];
  if (ended.length <= admissionLimits.endedMax) return { ...rule, ended };
  return { ...rule, revision: newRevision(), ended: [] };
}

export const makeCodes = telling(
  { of: ({ kind, id }) => ({ kind, id }) },
  write('admission.makeCodes', ofOwner, async (sql, order: Named & NewCodes): Promise<void> => {
    await locked(sql, order);
    await addCodes(sql, order);
  }),
);

/** Ends one holder's passes, or all there are; of which thing they are that is so now. */
export const endPasses = telling(
  { of: ({ kind, id }) => ({ kind, id }) },
  write('admission.endPasses', ofOwner, async (sql, given: Ended): Promise<void> => {
    const rule = readAdmission(await locked(sql, given));
    const { code, uid, place } = given;
    if (code !== undefined && !(await removeCode(sql, place, code)))
      throw new ApiError('invalid', { fields: [{ name: 'code', message: 'code is not known' }] });
    if (uid !== undefined && rule.kind === 'list') await removeListed(sql, place, uid);
    const holder = holderOf(rule, given);
    if (rule.kind === 'open')
      throw new ApiError('invalid', { message: 'Everybody may watch: there are no passes' });
    if (holder === undefined) {
      await keep(sql, given, { ...rule, revision: newRevision(), ended: [] });
      return;
    }
    if (rule.ended.includes(holder)) return;
    if (rule.ended.length >= admissionLimits.endedMax)
      throw new ApiError('noPermission', {
        message: `${admissionLimits.endedMax} passes were ended one by one: end all of them`,
      });
    await keep(sql, given, withoutHolders(rule, [holder]));
  }),
);

function holderOf(
  { kind }: Pick<StoredAdmission, 'kind'>,
  { holder, code, uid }: Pick<Ended, 'holder' | 'code' | 'uid'>,
): string | undefined {
  if (code !== undefined) return holderOfCode(code);
  if (uid === undefined) return holder;
  return kind === 'list' ? keyOfListed(uid) : holderOfUid(uid);
}

/** Its column, which nobody else writes until this transaction ends. */
async function locked(sql: Sql, named: Named): Promise<string> {
  const { kind, id, owner } = named;
  if (kind === 'channel') await lockChannel(sql, id, owner);
  else {
    await findVideo(sql, id, owner);
    await sql.run('UPDATE videos SET access = access WHERE id = $1', [id]);
  }
  return await ownAdmission(sql, named);
}

async function keep(sql: Sql, { kind, id }: Named, rule: StoredAdmission | undefined) {
  const access = rule && (kind === 'video' || !isAsNew(rule)) ? JSON.stringify(rule) : '';
  await sql.run(`UPDATE ${tableOf(kind)} SET access = $2 WHERE id = $1`, [id, access]);
}

/** As a channel of which nothing was ever said. */
function isAsNew({ kind, show_cover }: StoredAdmission): boolean {
  return kind === 'open' && show_cover === openToAll.show_cover;
}

function tableOf(kind: Named['kind']): string {
  return kind === 'channel' ? 'channels' : 'videos';
}

const revisionBits = 72;

/** No pass of before is of it. */
function newRevision(): string {
  return randomText(revisionBits);
}
