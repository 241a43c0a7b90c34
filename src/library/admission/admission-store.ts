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
  type Admitted,
  type ChannelAccess,
  channelAdmission,
  openToAll,
  readAdmission,
  type StoredAdmission,
  type VideoAccess,
  videoAdmission,
} from './admission.ts';
import { admissionLimits } from './admission-limits.ts';
import { type Until, withEnded, withoutEnded, withoutExpired } from './ended-passes.ts';
import { expiryOfLink, holderOfRegistration, holderOfUid } from './pass.ts';
import type { FormField } from './registration-form.ts';
import { endRegistration, registrationOfViewer } from './registration-store.ts';

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
  /** Other fields of the registration form. */
  form?: FormField[] | undefined;
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
    const { list, place, now } = change;
    const before = withoutExpired(readAdmission(await locked(sql, change)), now);
    const after = changed(before, change);
    const gone = list ? await setListed(sql, place, { list, now }) : [];
    await keep(sql, change, after && withoutHolders(withListed(after, list), gone, now));
  }),
);

function changed(before: StoredAdmission, change: AdmissionChange): StoredAdmission | undefined {
  const { rule, password_hash, show_cover = before.show_cover, form = before.form } = change;
  if (rule === 'channel') return undefined;
  const { kind } = rule;
  if (kind === 'password' && password_hash === undefined && before.password_hash === undefined)
    throw missing('password');
  if (kind === 'form' && form === undefined) throw missing('form');
  const goesOn = kind === before.kind && password_hash === undefined;
  const kept = kind === 'password' ? (password_hash ?? before.password_hash) : undefined;
  return {
    kind,
    revision: goesOn ? before.revision : newRevision(),
    ...(kept !== undefined && { password_hash: kept }),
    show_cover,
    ...(form && { form }),
    ...(goesOn ? endedOf(before) : { ended: [] }),
  };
}

function endedOf({ ended, ended_until }: StoredAdmission) {
  return { ended, ...(ended_until && { ended_until }) };
}

function missing(name: string): ApiError {
  return new ApiError('missing', { fields: [{ name, message: `${name} must be given` }] });
}

interface Ended extends Named {
  /** Undefined: of everybody. */
  holder: string | undefined;
  /** A code by its id: nobody comes in by it any more, either. */
  code: string | undefined;
  /** One of the account's users; whoever a list names so, who is on it no more; a viewer who has registered. */
  uid: string | undefined;
  /** By its id: its viewer cannot register again. */
  registration: string | undefined;
  place: KeyPlace;
  now: number;
}

/** Who is on the list again comes in again. */
function withListed(rule: StoredAdmission, list: readonly string[] = []): StoredAdmission {
  return withoutEnded(rule, new Set(list.map(keyOfListed)));
}

/** Those who came in by the list; where they are very many, nobody's passes are worth anything. */
function withoutHolders(
  rule: StoredAdmission,
  holders: readonly string[],
  now: number,
): StoredAdmission {
  return withEnded(rule, holders, { until: untilOfDoor(now), now }) ?? withoutPasses(rule);
}

/** Whom a watch link names makes new passes by it: who was sent away for good stays so. */
function withoutPasses({ ended_until = {}, ...rule }: StoredAdmission): StoredAdmission {
  const ended = rule.ended.filter((holder) => !Object.hasOwn(ended_until, holder));
  return { ...rule, revision: newRevision(), ended };
}

/** Of passes that the door gives: those that were given so far are over then. */
function untilOfDoor(now: number): number {
  return Math.ceil(now / 1_000) + admissionLimits.cookieSeconds;
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
    const { now } = given;
    const rule = withoutExpired(readAdmission(await locked(sql, given)), now);
    if (rule.kind === 'open')
      throw new ApiError('invalid', { message: 'Everybody may watch: there are no passes' });
    const ending = await endedBy(sql, rule, given);
    if (ending && rule.ended.includes(ending.holder)) return;
    const after = ending
      ? withEnded(rule, [ending.holder], { ...ending, now })
      : withoutPasses(rule);
    if (!after)
      throw new ApiError('noPermission', {
        message: `${admissionLimits.endedMax} passes were ended one by one: end all of them; those of users stay so until another kind is set`,
      });
    await keep(sql, given, after);
  }),
);

interface Ending {
  holder: string;
  until: Until;
}

/** Whose passes, once nobody comes in anew by what let them in; undefined where everybody's are meant. */
async function endedBy(
  sql: Sql,
  { kind }: Pick<StoredAdmission, 'kind'>,
  { holder, code, uid, registration, place, now }: Ended,
): Promise<Ending | undefined> {
  const until = untilOfDoor(now);
  if (code !== undefined) {
    if (!(await removeCode(sql, place, code))) throw notKnown('code');
    return { holder: holderOfCode(code), until };
  }
  if (uid !== undefined && kind === 'list') {
    await removeListed(sql, place, uid);
    return { holder: keyOfListed(uid), until };
  }
  const registered =
    uid !== undefined && kind === 'form'
      ? await registrationOfViewer(sql, { ...place, viewer_id: uid })
      : undefined;
  const id = registration ?? registered;
  if (id !== undefined) {
    if (!(await endRegistration(sql, { ...place, id, now }))) throw notKnown('registration');
    return { holder: holderOfRegistration(id), until };
  }
  // A watch link may be good for years, and makes new ones.
  if (uid !== undefined) return { holder: holderOfUid(uid), until: undefined };
  if (holder === undefined) return undefined;
  const longest = Math.ceil(now / 1_000) + admissionLimits.linkSecondsMax;
  return { holder, until: Math.min(expiryOfLink(holder) ?? longest, longest) };
}

/** Part of the write that erases somebody: what let them in by name is gone, and their passes go, too. */
export async function endErased(
  sql: Sql,
  { thing, holders, now }: { thing: Admitted; holders: readonly string[]; now: number },
): Promise<void> {
  const named = {
    kind: thing.startsWith('c') ? 'channel' : 'video',
    id: Number(thing.slice(1)),
  } as const;
  const table = tableOf(named.kind);
  await sql.run(`UPDATE ${table} SET access = access WHERE id = $1`, [named.id]);
  const row = await sql.one<{ access: string }>(`SELECT access FROM ${table} WHERE id = $1`, [
    named.id,
  ]);
  const rule = readAdmission(row?.access ?? '');
  // Passes by what held before are worth nothing anyway.
  if (rule.kind !== 'form' && rule.kind !== 'list') return;
  await keep(sql, named, withoutHolders(rule, holders, now));
}

function notKnown(name: string): ApiError {
  return new ApiError('invalid', { fields: [{ name, message: `${name} is not known` }] });
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

async function keep(
  sql: Sql,
  { kind, id }: Pick<Named, 'kind' | 'id'>,
  rule: StoredAdmission | undefined,
) {
  const access = rule && (kind === 'video' || !isAsNew(rule)) ? JSON.stringify(rule) : '';
  await sql.run(`UPDATE ${tableOf(kind)} SET access = $2 WHERE id = $1`, [id, access]);
}

/** As a channel of which nothing was ever said. */
function isAsNew({ kind, show_cover, form }: StoredAdmission): boolean {
  return kind === 'open' && show_cover === openToAll.show_cover && !form;
}

function tableOf(kind: Named['kind']): string {
  return kind === 'channel' ? 'channels' : 'videos';
}

const revisionBits = 72;

/** No pass of before is of it. */
function newRevision(): string {
  return randomText(revisionBits);
}
