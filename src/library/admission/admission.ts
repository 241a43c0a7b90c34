// Who may watch a channel or a video: the kinds there are, how they are stored, and what is known of one thing.
import type { FormField } from './registration-form.ts';

/** `list`: of uids or phones. `form`: who registers. `signed`: only by a link that the account has signed. */
export const admissionKinds = ['open', 'password', 'codes', 'list', 'form', 'signed'] as const;
export type AdmissionKind = (typeof admissionKinds)[number];

/** What a channel's or a video's column `access` holds; empty where nothing was set: open, or as its channel. */
export interface StoredAdmission {
  kind: AdmissionKind;
  /** Another one with each change that ends every pass. */
  revision: string;
  /** Argon2id; of `password` alone. */
  password_hash?: string;
  /** Whether whoever may not watch is shown the cover. */
  show_cover: boolean;
  /** What is asked of whoever registers; it stays while another kind holds. */
  form?: FormField[];
  /** Holders whose passes were ended one by one. */
  ended: string[];
  /** By holder, in epoch seconds, from when none of their passes is good any more; of the others some may always be. */
  ended_until?: Record<string, number>;
}

/** What a pass is for: a channel with the videos that go by it, or one video. */
export type Admitted = `c${number}` | `v${number}`;

export function channelThing(id: number): Admitted {
  return `c${id}`;
}

export function videoThing(id: number): Admitted {
  return `v${id}`;
}

/** What is known of one thing that is watched. */
export interface Admission {
  account_id: number;
  /** Of a video its channel's. */
  channel_id: number;
  thing: Admitted;
  /** Whose word holds: the thing's own, or its channel's. */
  setBy: Admitted;
  rule: StoredAdmission;
}

export const openToAll: StoredAdmission = Object.freeze({
  kind: 'open',
  revision: '',
  show_cover: true,
  ended: [],
});

export function readAdmission(stored: string): StoredAdmission {
  return stored === '' ? openToAll : (JSON.parse(stored) as StoredAdmission);
}

/** Of a channel's row. */
export interface ChannelAccess {
  id: number;
  account_id: number;
  access: string;
}

export function channelAdmission({ id, account_id, access }: ChannelAccess): Admission {
  const thing = channelThing(id);
  return { account_id, channel_id: id, thing, setBy: thing, rule: readAdmission(access) };
}

/** Of a video's row; its channel may be gone. */
export interface VideoAccess {
  id: number;
  channel_id: number;
  account_id: number;
  own: string;
  of_channel: string | null;
}

/** A video that nobody has said anything of goes by its channel. */
export function videoAdmission(row: VideoAccess): Admission {
  const { id, channel_id, account_id, own, of_channel } = row;
  const thing = videoThing(id);
  const known = { account_id, channel_id, thing };
  if (own !== '' || of_channel === null)
    return { ...known, setBy: thing, rule: readAdmission(own) };
  return { ...known, setBy: channelThing(channel_id), rule: readAdmission(of_channel) };
}
