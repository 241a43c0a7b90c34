// A watch link: an account's own user named in the address of a channel's page, signed by the account.

import { isSameSignature, signatureOf } from '../../base/lib/signed-text.ts';
import { visibleText } from '../../base/lib/visible-text.ts';
import type { WatchLinkReason } from './watch-link-refusals.ts';

export interface WatchLink {
  channel_id: number;
  uid: string;
  nick: string;
  phone: string;
  /** Epoch seconds. */
  expires: number;
}

export interface LinkedViewer {
  viewer_id: string;
  nick: string;
  phone: string;
}

/** The bounds of the text fields, in characters. */
export const linkCharactersMax = { uid: 64, nick: 64, phone: 32 } as const;

/** The query of the address; `secret` is the account's viewer secret. */
export function watchLinkQuery(secret: string, link: WatchLink): URLSearchParams {
  const { uid, nick, phone, expires } = link;
  return new URLSearchParams({
    uid,
    ...(nick !== '' && { nick }),
    ...(phone !== '' && { phone }),
    expires: String(expires),
    sign: signatureOf(secret, canonicalText(link), 'hex'),
  });
}

/**
 * The user that an address names: 'none' where it is not signed at all, since an unsigned name is no name;
 * 'unreadable' where a value cannot be one; 'wrong' where it is not signed so; 'expired' where it was right.
 */
export function readWatchLink(
  secret: string,
  query: URLSearchParams,
  channel_id: number,
  now: number,
): LinkedViewer | 'none' | WatchLinkReason {
  if (!query.has('sign')) return 'none';
  // Of a name that is given twice another reader might take the other one.
  if (names.some((name) => query.getAll(name).length > 1)) return 'unreadable';
  const [uid, nick, phone, expires, sign] = names.map((name) => query.get(name) ?? '') as Values;
  if (!isUid(uid) || !isLine(nick, linkCharactersMax.nick)) return 'unreadable';
  if (!isLine(phone, linkCharactersMax.phone) || !/^[1-9]\d{0,10}$/.test(expires))
    return 'unreadable';
  const text = canonicalText({ channel_id, uid, nick, phone, expires: Number(expires) });
  if (!isSameSignature(sign.toLowerCase(), signatureOf(secret, text, 'hex'))) return 'wrong';
  if (now >= Number(expires) * 1_000) return 'expired';
  // A name that nobody would see is none.
  return { viewer_id: uid, nick: visibleText(nick), phone };
}

const names = ['uid', 'nick', 'phone', 'expires', 'sign'] as const;
type Values = [uid: string, nick: string, phone: string, expires: string, sign: string];

/** Whether the text can be the id of a viewer. */
export function isUid(text: string): boolean {
  return text.trim() !== '' && isLine(text, linkCharactersMax.uid);
}

/** Whether the text is within its bound and can stand on one line of what is signed. */
export function isLine(text: string, charactersMax: number): boolean {
  return !/\p{Cc}/u.test(text) && [...text].length <= charactersMax;
}

/**
 * The text that is signed: one value a line. No value holds a line break, so no two links have one text. The
 * channel is in it: a link that is passed on or stolen names its user on that channel and nowhere else.
 */
function canonicalText({ channel_id, uid, nick, phone, expires }: WatchLink): string {
  return ['watch', channel_id, uid, nick, phone, expires].join('\n');
}
