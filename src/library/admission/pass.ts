// A pass: what lets somebody watch, signed by the service; it stands in addresses and cookies.
import { readSignedText, signatureOf, signedText } from '../../base/lib/signed-text.ts';
import type { Admission, Admitted } from './admission.ts';

export interface Pass {
  of: Admitted;
  /** That of the rule by which it was given. */
  revision: string;
  /** Stands for whom it was given to (`markOf`). */
  mark: string;
  /** Epoch seconds. */
  expires: number;
}

const kind = 'p1';

/** In this order, without their names: it travels with every playlist. */
type Fields = [of: Admitted, revision: string, mark: string, expires: number];

export function signPass(secret: string, { of, revision, mark, expires }: Pass): string {
  const fields: Fields = [of, revision, mark, expires];
  const payload = Buffer.from(JSON.stringify(fields)).toString('base64url');
  return signedText(secret, kind, payload);
}

/** Undefined where it is forged or broken. */
export function readPass(secret: string, text: string): Pass | undefined {
  const payload = readSignedText(secret, kind, text);
  if (payload === undefined) return undefined;
  // The signature is ours and names this format, so the fields are as they were written.
  const fields = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Fields;
  const [of, revision, mark, expires] = fields;
  return { of, revision, mark, expires };
}

/** `ended`: it was good once, and was taken back, by itself or with all others. */
export type Standing = 'good' | 'none' | 'other' | 'expired' | 'ended';

const markCharacters = 22;

const ofRegistration = 'form ';

/** A pass stands in addresses, which others log and pass on: nobody reads there who is meant, a phone perhaps. */
export function markOf(secret: string, holder: string): string {
  // It is random, and says nothing of anybody; by it the page finds who has registered.
  if (holder.startsWith(ofRegistration)) return holder.slice(ofRegistration.length);
  return signatureOf(secret, `holder.${holder}`, 'base64url').slice(0, markCharacters);
}

/**
 * What a pass is worth for something; a `pass` that is undefined was none, or forged. `ended` are the marks of those whom
 * the rule names so.
 */
export function standingOf(
  { thing, setBy, rule }: Admission,
  pass: Pass | undefined,
  { now, ended }: { now: number; ended: ReadonlySet<string> },
): Standing {
  if (rule.kind === 'open') return 'good';
  if (!pass) return 'none';
  if (pass.of !== thing && pass.of !== setBy) return 'other';
  if (pass.revision !== rule.revision || ended.has(pass.mark)) return 'ended';
  return now < pass.expires * 1_000 ? 'good' : 'expired';
}

/** Of whoever has a link that `random` names. It says until when, in epoch seconds: who is ended is named no longer. */
export function holderOfLink(random: string, expires: number): string {
  return `${random}.${expires.toString(36)}`;
}

/** Undefined of what is no such holder. */
export function expiryOfLink(holder: string): number | undefined {
  const [, expires] = /^\w+\.([0-9a-z]{1,9})$/.exec(holder) ?? [];
  return expires === undefined ? undefined : Number.parseInt(expires, 36);
}

/** Of a user whom a link of the account's names. */
export function holderOfUid(uid: string): string {
  return `uid ${uid}`;
}

/** Of who has registered, by the id of the registration. */
export function holderOfRegistration(id: string): string {
  return ofRegistration + id;
}
