// Who may watch a channel or a video, beside the interface: shown, set, passes ended, links that play.
import type { Caller } from '../../base/api/caller.ts';
import { get, post, put } from '../../base/api/endpoint.ts';
import { invalidField } from '../../base/api/errors.ts';
import { integer, text } from '../../base/api/fields.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Field } from '../../base/api/shape.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { randomText } from '../../base/lib/secret.ts';
import type { Zone } from '../../base/lib/time.ts';
import { ownerOf } from '../access/owner.ts';
import { channelById } from '../channels/channel.ts';
import { callersChannel } from '../channels/channel-store.ts';
import { videoById } from '../videos/video.ts';
import { findVideo } from '../videos/video-store.ts';
import { admissionDocs } from './admission-docs.ts';
import { channelKindField, ruleFields, videoKindField } from './admission-fields.ts';
import { admissionLimits } from './admission-limits.ts';
import * as admissionStore from './admission-store.ts';
import type { Admissions } from './admissions.ts';
import { accessView, findThing, type Thing } from './asked-thing.ts';
import type { Doorkeeper } from './doorkeeper.ts';
import { holderOfLink } from './pass.ts';
import type { FormField } from './registration-form.ts';

interface Parts {
  store: Store;
  zone: Zone;
  now: () => number;
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
  };
  return routes({ table: admissionTable, docs: admissionDocs, handlers, parts });
}

const endedBody = {
  pass: ofOne(text('`pass_id` of a link', { max: 64, examples: ['4nT2kQ9xLwB.tf41x3'] })),
  code: ofOne(text('`id` of a code', { max: 64, examples: ['5f1c09ab77e2d410'] })),
  uid: ofOne(
    text('user whom a watch link names, or viewer who has registered', {
      max: 64,
      examples: ['u-1029'],
    }),
  ),
  registration: ofOne(
    text('`id` of a registration', { max: 64, examples: ['2pKx0b8VYw5nQdR7tLzC3m'] }),
  ),
};

/** Null where a program sends all of them: without any it is everybody's, which a variable that is not set must not come to. */
function ofOne(field: Field<string>): Field<string | null> {
  return {
    ...field,
    readsNull: true,
    read: (came) => (came === null ? null : field.read(came)),
  };
}

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
    body: { kind: channelKindField, ...ruleFields },
    required: ['kind'],
  }),
  revokeChannelPasses: post('/manage/v1/channels/{channel_id}/access/revoke', 'channels:write', {
    ...channelById,
    body: endedBody,
    strict: true,
  }),
  makeChannelPlayLink: post('/manage/v1/channels/{channel_id}/play-link', 'channels:write', {
    ...channelById,
    body: linkBody,
  }),
  getVideoAccess: get('/manage/v1/videos/{video_id}/access', 'videos:read', videoById),
  setVideoAccess: put('/manage/v1/videos/{video_id}/access', 'videos:write', {
    ...videoById,
    told: ['kind'],
    body: { kind: videoKindField, ...ruleFields },
    required: ['kind'],
  }),
  revokeVideoPasses: post('/manage/v1/videos/{video_id}/access/revoke', 'videos:write', {
    ...videoById,
    body: endedBody,
    strict: true,
  }),
  makeVideoPlayLink: post('/manage/v1/videos/{video_id}/play-link', 'videos:write', {
    ...videoById,
    body: linkBody,
  }),
};

type Handle = Handlers<typeof admissionTable, typeof admissionDocs, Parts>;

const getChannelAccess: Handle['getChannelAccess'] = async ({ params, caller }, parts) => {
  return await shown(caller, parts, { kind: 'channel', id: params.channel_id });
};

const getVideoAccess: Handle['getVideoAccess'] = async ({ params, caller }, parts) => {
  return await shown(caller, parts, { kind: 'video', id: params.video_id });
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

interface Asking {
  caller: Caller;
  address(): string;
  baseUrl: string;
}

async function shown(caller: Caller, { store, now }: Parts, thing: Thing) {
  return { body: await accessView(store, ownerOf(caller), { ...thing, now: now() }) };
}

async function set(
  call: Asking & {
    body: { password?: string; list?: string[]; form?: FormField[]; show_cover?: boolean };
  },
  parts: Parts,
  rule: Pick<admissionStore.AdmissionChange, 'kind' | 'id' | 'rule'>,
) {
  const { store, doorkeeper, changed, now } = parts;
  const { password, list, form, show_cover } = call.body;
  const owner = ownerOf(call.caller);
  // Before it is hashed, which is dear: whether it is the caller's at all.
  const { place, channel_id } = await findThing(store, call.caller, rule);
  const password_hash =
    password === undefined ? undefined : await doorkeeper.hash(password, call.address());
  const said = { password_hash, list, form, show_cover };
  const change = { ...rule, ...said, owner, place, now: now() };
  await store.perform(admissionStore.setAdmission, change);
  changed(channel_id);
  return await shown(call.caller, parts, rule);
}

async function revoke(
  call: Asking & { body: Partial<Record<keyof typeof endedBody, string | null>> },
  parts: Parts,
  thing: Thing,
) {
  const { store, changed, now } = parts;
  const { pass, code, uid, registration } = call.body;
  const came = Object.values(call.body).filter((one) => one !== undefined);
  const given = came.filter((one) => one !== null);
  if (given.length > 1)
    throw invalidField(
      'pass',
      'pass must be given, or code, or uid, or registration, and only one of them',
    );
  // Nobody means everybody by a variable that is not set.
  if (given.includes('') || (given.length === 0 && came.length > 0))
    throw invalidField(
      'pass',
      'pass, code, uid and registration must not be empty; without them all passes end',
    );
  const { place, channel_id } = await findThing(store, call.caller, thing);
  await store.perform(admissionStore.endPasses, {
    ...thing,
    holder: pass ?? undefined,
    uid: uid ?? undefined,
    code: code ?? undefined,
    registration: registration ?? undefined,
    owner: ownerOf(call.caller),
    place,
    now: now(),
  });
  changed(channel_id);
  return await shown(call.caller, parts, thing);
}

/** A pass for whoever has the link; where everybody may watch none is needed. */
async function signed(
  call: Asking & { body: { expires_in?: number } },
  { store, zone, now, admissions, passPath }: Parts,
  thing: Thing,
) {
  const { expires_in: seconds = admissionLimits.linkSeconds } = call.body;
  const { admission } = await findThing(store, call.caller, thing);
  const isOpen = admission.rule.kind === 'open';
  const holder = holderOfLink(randomText(holderBits), Math.ceil(now() / 1_000) + seconds);
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
