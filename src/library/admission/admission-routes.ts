// Who may watch a channel or a video, beside the interface: shown, set, passes ended, links that play.
import type { Caller } from '../../base/api/caller.ts';
import { get, post, put } from '../../base/api/endpoint.ts';
import { ApiError, invalidField } from '../../base/api/errors.ts';
import { choice, flag, integer, secretText, text, textList } from '../../base/api/fields.ts';
import { envelope, pageNumber, pageSize } from '../../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { randomText } from '../../base/lib/secret.ts';
import type { Zone } from '../../base/lib/time.ts';
import { ownerOf } from '../access/owner.ts';
import { channelById } from '../channels/channel.ts';
import { callersChannel } from '../channels/channel-store.ts';
import { videoById } from '../videos/video.ts';
import { findVideo } from '../videos/video-store.ts';
import { idOfKey, keyOfCode, newCode } from './access-code.ts';
import { type KeyPlace, listCodes, listedOf, placeOf } from './access-key-store.ts';
import { type Admission, admissionKinds } from './admission.ts';
import { admissionDocs } from './admission-docs.ts';
import { admissionLimits } from './admission-limits.ts';
import * as admissionStore from './admission-store.ts';
import type { Admissions } from './admissions.ts';
import type { Doorkeeper } from './doorkeeper.ts';

interface Parts {
  store: Store;
  zone: Zone;
  now: () => number;
  /** The service's own, for codes. */
  secret: string;
  admissions: Pick<Admissions, 'pass' | 'sign'>;
  doorkeeper: Pick<Doorkeeper, 'hash'>;
  rtmpUrl: (baseUrl: string) => string;
  /** Where media lies behind a pass. */
  passPath(pass: string): string;
  /** Of a channel, or of a video of it: every node looks at once. */
  changed(channel_id: number): void;
}

export function admissionRoutes(parts: Parts): AnyRoute[] {
  const handlers = {
    getChannelAccess,
    setChannelAccess,
    revokeChannelPasses,
    makeChannelPlayLink,
    getVideoAccess,
    setVideoAccess,
    revokeVideoPasses,
    makeVideoPlayLink,
    makeChannelCodes,
    listChannelCodes,
    makeVideoCodes,
    listVideoCodes,
  };
  return routes({ table: admissionTable, docs: admissionDocs, handlers, parts });
}

const { passwordCharactersMin: min, passwordCharactersMax: max } = admissionLimits;

const kindField = choice('who may watch', { of: admissionKinds, cleared: 'open' });
/** A video goes by its channel unless it has a word of its own. */
const videoKinds = ['channel', ...admissionKinds] as const;
const ruleFields = {
  password: secretText('for `password`: the password; absent: the one that was set before', {
    min,
    max,
    examples: ['spring-2026'],
  }),
  list: textList('for `list`: uids or phones that may watch; absent: as they were set before', {
    countMax: admissionLimits.listedMax,
    max: admissionLimits.listedCharactersMax,
    examples: ['u-1029', '13800000000'],
  }),
  show_cover: flag('whether whoever may not watch is shown the cover', { cleared: true }),
};

const endedBody = {
  pass: text('`pass_id` of a link', { max: 64, examples: ['4nT2kQ9xLwB'] }),
  code: text('`id` of a code', { max: 64, examples: ['5f1c09ab77e2d410'] }),
  uid: text('user whom a watch link names', { max: 64, examples: ['u-1029'] }),
};

const codesPerPage = { default: 100, max: 1_000 };
const codesQuery = { perPage: pageSize(codesPerPage), p: pageNumber };
const codesBody = {
  count: integer('how many', {
    min: 1,
    max: admissionLimits.codesAtOnceMax,
    default: 1,
    examples: [20],
  }),
  uses: integer('how often each lets somebody in; 0: as often as it is typed', {
    min: 0,
    max: 1_000_000,
    default: 1,
    examples: [1],
  }),
  note: text('what they are for', {
    max: admissionLimits.codeNoteCharactersMax,
    trim: true,
    examples: ['class of 2026'],
  }),
};

const linkBody = {
  expires_in: integer('seconds that the link opens what it leads to', {
    min: admissionLimits.linkSecondsMin,
    max: admissionLimits.linkSecondsMax,
    default: admissionLimits.linkSeconds,
    examples: [3_600],
  }),
};

/** Each is answered by the function of its name. What is set is not remembered: who changes it sees it. */
const admissionTable = {
  getChannelAccess: get('/manage/v1/channels/{channel_id}/access', 'channels:read', channelById),
  setChannelAccess: put('/manage/v1/channels/{channel_id}/access', 'channels:write', {
    ...channelById,
    told: ['kind'],
    body: { kind: kindField, ...ruleFields },
    required: ['kind'],
  }),
  revokeChannelPasses: post('/manage/v1/channels/{channel_id}/access/revoke', 'channels:write', {
    ...channelById,
    body: endedBody,
  }),
  makeChannelPlayLink: post('/manage/v1/channels/{channel_id}/play-link', 'channels:write', {
    ...channelById,
    body: linkBody,
  }),
  getVideoAccess: get('/manage/v1/videos/{video_id}/access', 'videos:read', videoById),
  setVideoAccess: put('/manage/v1/videos/{video_id}/access', 'videos:write', {
    ...videoById,
    told: ['kind'],
    body: {
      kind: choice('who may watch; `channel`: whoever may watch its channel', {
        of: videoKinds,
        cleared: 'channel',
      }),
      ...ruleFields,
    },
    required: ['kind'],
  }),
  revokeVideoPasses: post('/manage/v1/videos/{video_id}/access/revoke', 'videos:write', {
    ...videoById,
    body: endedBody,
  }),
  makeChannelCodes: post('/manage/v1/channels/{channel_id}/access/codes', 'channels:write', {
    ...channelById,
    body: codesBody,
  }),
  listChannelCodes: get('/manage/v1/channels/{channel_id}/access/codes', 'channels:read', {
    ...channelById,
    query: codesQuery,
  }),
  makeVideoCodes: post('/manage/v1/videos/{video_id}/access/codes', 'videos:write', {
    ...videoById,
    body: codesBody,
  }),
  listVideoCodes: get('/manage/v1/videos/{video_id}/access/codes', 'videos:read', {
    ...videoById,
    query: codesQuery,
  }),
  makeVideoPlayLink: post('/manage/v1/videos/{video_id}/play-link', 'videos:write', {
    ...videoById,
    body: linkBody,
  }),
};

type Handle = Handlers<typeof admissionTable, typeof admissionDocs, Parts>;

const getChannelAccess: Handle['getChannelAccess'] = async ({ params, caller }, { store }) => {
  return await shown(store, caller, { kind: 'channel', id: params.channel_id });
};

const getVideoAccess: Handle['getVideoAccess'] = async ({ params, caller }, { store }) => {
  return await shown(store, caller, { kind: 'video', id: params.video_id });
};

const setChannelAccess: Handle['setChannelAccess'] = async (call, parts) => {
  const thing = { kind: 'channel', id: call.params.channel_id } as const;
  return await set(call, parts, { ...thing, rule: { kind: call.body.kind } });
};

const setVideoAccess: Handle['setVideoAccess'] = async (call, parts) => {
  const thing = { kind: 'video', id: call.params.video_id } as const;
  const { kind } = call.body;
  return await set(call, parts, { ...thing, rule: kind === 'channel' ? 'channel' : { kind } });
};

const revokeChannelPasses: Handle['revokeChannelPasses'] = async (call, parts) => {
  return await revoke(call, parts, { kind: 'channel', id: call.params.channel_id });
};

const revokeVideoPasses: Handle['revokeVideoPasses'] = async (call, parts) => {
  return await revoke(call, parts, { kind: 'video', id: call.params.video_id });
};

const makeChannelPlayLink: Handle['makeChannelPlayLink'] = async (call, parts) => {
  const { store, rtmpUrl } = parts;
  const { caller, baseUrl } = call;
  const { id, play_id } = await callersChannel(store, call.params.channel_id, caller);
  const link = await signed(call, parts, { kind: 'channel', id });
  return {
    body: {
      ...link.shown,
      watch_url: { pc: link.page(`/watch/${id}`), mobile: link.page(`/m/${id}`) },
      embed_url: link.page(`/embed/${id}`),
      ...(caller.plan === 'traffic' && {
        hls_play_addr: link.media(`/hls/${play_id}/live.m3u8`),
        rtmp_play_addr: `${rtmpUrl(baseUrl)}/play/${play_id}${link.query}`,
      }),
    },
  };
};

const makeVideoPlayLink: Handle['makeVideoPlayLink'] = async (call, parts) => {
  const { store } = parts;
  const { caller } = call;
  const { video_id: id } = call.params;
  const video = await findVideo(store.for(ofAccount(caller)), id, caller);
  const link = await signed(call, parts, { kind: 'video', id });
  return {
    body: {
      ...link.shown,
      watch_url: link.page(`/videos/${id}`),
      embed_url: link.page(`/embed/videos/${id}`),
      video_url: link.media(video.video_url),
      m3u8: link.media(video.m3u8),
    },
  };
};

const makeChannelCodes: Handle['makeChannelCodes'] = async (call, parts) => {
  return await makeSome(call, parts, { kind: 'channel', id: call.params.channel_id });
};

const makeVideoCodes: Handle['makeVideoCodes'] = async (call, parts) => {
  return await makeSome(call, parts, { kind: 'video', id: call.params.video_id });
};

const listChannelCodes: Handle['listChannelCodes'] = async (call, parts) => {
  return await listSome(call, parts, { kind: 'channel', id: call.params.channel_id });
};

const listVideoCodes: Handle['listVideoCodes'] = async (call, parts) => {
  return await listSome(call, parts, { kind: 'video', id: call.params.video_id });
};

interface Thing {
  kind: 'channel' | 'video';
  id: number;
}

interface Asking {
  caller: Caller;
  address(): string;
  baseUrl: string;
}

async function set(
  call: Asking & { body: { password?: string; list?: string[]; show_cover?: boolean } },
  { store, doorkeeper, changed, now }: Parts,
  rule: Pick<admissionStore.AdmissionChange, 'kind' | 'id' | 'rule'>,
) {
  const { password, list, show_cover } = call.body;
  const owner = ownerOf(call.caller);
  // Before it is hashed, which is dear: whether it is the caller's at all.
  const { place } = await find(store, call.caller, rule);
  const password_hash =
    password === undefined ? undefined : await doorkeeper.hash(password, call.address());
  const change = { ...rule, owner, password_hash, list, show_cover, place, now: now() };
  await store.perform(admissionStore.setAdmission, change);
  return await changedTo(call, { store, changed }, rule);
}

async function revoke(
  call: Asking & { body: { pass?: string; code?: string; uid?: string } },
  { store, changed }: Parts,
  thing: Thing,
) {
  const { pass, code, uid } = call.body;
  const given = Object.values({ pass, code, uid }).filter((one) => one !== undefined);
  if (given.length > 1)
    throw invalidField('pass', 'pass must be given, or code, or uid, and only one of them');
  // Nobody means everybody by a variable that is not set.
  if (given.includes(''))
    throw invalidField('pass', 'pass, code and uid must not be empty; without them all passes end');
  const { place } = await find(store, call.caller, thing);
  await store.perform(admissionStore.endPasses, {
    ...thing,
    owner: ownerOf(call.caller),
    holder: pass,
    uid,
    code,
    place,
  });
  return await changedTo(call, { store, changed }, thing);
}

/** Every node looks at once. */
async function changedTo(
  { caller }: Asking,
  { store, changed }: Pick<Parts, 'store' | 'changed'>,
  thing: Thing,
) {
  const found = await find(store, caller, thing);
  changed(found.channel_id);
  return { body: await viewOf(store, caller, { ...thing, ...found }) };
}

async function shown(store: Store, caller: Caller, thing: Thing) {
  return { body: await viewOf(store, caller, { ...thing, ...(await find(store, caller, thing)) }) };
}

async function makeSome(
  call: Asking & { body: { count?: number; uses?: number; note?: string } },
  { store, secret, now }: Parts,
  thing: Thing,
) {
  const { count = 1, uses: uses_max = 1, note = '' } = call.body;
  const { place } = await find(store, call.caller, thing);
  const made = Array.from({ length: count }, () => {
    const code = newCode();
    return { code, ...keyOfCode(secret, code) };
  });
  const codes = made.map(({ key, hint }) => ({ key, hint }));
  const order = { ...thing, ...place, owner: ownerOf(call.caller), codes, note, uses_max };
  await store.perform(admissionStore.makeCodes, { ...order, now: now() });
  return { body: { codes: made.map(({ id, code }) => ({ id, code })) } };
}

async function listSome(
  call: Asking & { query: { p?: number; perPage?: number }; target: string },
  { store, zone }: Parts,
  thing: Thing,
) {
  const { p = 1, perPage = codesPerPage.default } = call.query;
  const { place } = await find(store, call.caller, thing);
  const { account_id } = call.caller;
  const asked = { account_id, ...place, limit: perPage, offset: (p - 1) * perPage };
  const { total, rows } = await store.perform(listCodes, asked);
  const codes = rows.map(({ key, hint, note, uses, uses_max, created_at }) => ({
    ...{ id: idOfKey(key), hint, note, uses, uses_max },
    created_at: zone.dateTime(created_at),
  }));
  return { body: { codes, ...envelope(total, { p, perPage }, call) } };
}

interface Found {
  channel_id: number;
  /** Of its own codes and list. */
  place: KeyPlace;
  /** Of the thing itself, as it is stored. */
  own: string;
  admission: Admission;
}

/** Throws where it is not the caller's. */
async function find(store: Store, caller: Caller, { kind, id }: Thing): Promise<Found> {
  const sql = store.for(ofAccount(caller));
  const owner = ownerOf(caller);
  const channel_id = kind === 'channel' ? id : (await findVideo(sql, id, owner)).channel_id;
  const own = await admissionStore.ownAdmission(sql, { kind, id, owner });
  const admission =
    kind === 'channel'
      ? await admissionStore.admissionOfChannel(sql, id)
      : await admissionStore.admissionOfVideo(sql, id);
  if (!admission) throw new ApiError(kind === 'channel' ? 'noChannel' : 'noVideo');
  const place = { channel_id, thing: admission.thing };
  return { channel_id, place, own, admission };
}

async function viewOf(store: Store, caller: Caller, { kind, own, admission }: Thing & Found) {
  const { rule } = admission;
  const sql = store.for(ofAccount(caller));
  const list = rule.kind === 'list' ? await listedOf(sql, placeOf(admission)) : [];
  const view = { kind: rule.kind, has_password: rule.password_hash !== undefined };
  const more = { show_cover: rule.show_cover, ended_passes: rule.ended.length };
  return { ...view, ...more, list, of_channel: kind === 'video' && own === '' };
}

/** A pass for whoever has the link; where everybody may watch none is needed. */
async function signed(
  call: Asking & { body: { expires_in?: number } },
  { store, zone, admissions, passPath }: Parts,
  thing: Thing,
) {
  const { expires_in: seconds = admissionLimits.linkSeconds } = call.body;
  const { admission } = await find(store, call.caller, thing);
  const isOpen = admission.rule.kind === 'open';
  const holder = randomText(holderBits);
  const pass = admissions.pass(admission, { of: admission.thing, holder, seconds });
  const text = admissions.sign(pass);
  const query = isOpen ? '' : `?pass=${text}`;
  const { baseUrl } = call;
  return {
    shown: { pass_id: isOpen ? '' : holder, expires_at: zone.dateTime(pass.expires * 1_000) },
    query,
    page: (path: string) => `${baseUrl}${path}${query}`,
    /** What lies on another site is not ours to keep. */
    media: (path: string) => {
      if (!path.startsWith('/') || path.startsWith('//')) return path;
      return `${baseUrl}${isOpen ? '' : passPath(text)}${path}`;
    },
  };
}

const holderBits = 64;
