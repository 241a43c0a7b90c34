// Viewers whom nobody has named: a random number of the browser in a signed cookie, and who that is to each account.
import { randomBytes } from 'node:crypto';
import { readSignedText, signatureOf, signedText } from '../../base/lib/signed-text.ts';

const kind = 'v1';
/** Base32: 5 bits a character, nothing that is easily misread. */
const digits = 'abcdefghijklmnopqrstuvwxyz234567';
/** 100 bits: nobody meets another's, nor guesses it. */
const idCharacters = 20;

/** One for all accounts of the host, so it stands in no record and no page but its own. */
export function newBrowserId(): string {
  return idText(randomBytes(idCharacters));
}

/** The cookie's value. */
export function signBrowserId(secret: string, browserId: string): string {
  return signedText(secret, kind, browserId);
}

/** Undefined where this service has not signed it. */
export function readBrowserId(secret: string, text: string): string | undefined {
  return readSignedText(secret, kind, text);
}

/**
 * The browser's viewer id in an account. Another account has another one, and without the secret no way leads
 * between them: two accounts cannot find out which viewers they share. Nor does an id that an account gives its
 * own users by a link meet one of these, unless the account copies it from its records.
 */
export function viewerIdOf(
  secret: string,
  { account_id, browserId }: { account_id: number; browserId: string },
): string {
  const signature = signatureOf(secret, `viewer.${account_id}.${browserId}`, 'hex');
  return `v-${idText(Buffer.from(signature, 'hex'))}`;
}

/** Whether an id is one of these. */
export function isOfBrowser(viewer_id: string): boolean {
  return /^v-[a-z2-7]{20}$/.test(viewer_id);
}

/** 256 is a multiple of 32: each character is as likely as the next. */
function idText(bytes: Uint8Array): string {
  const used = [...bytes.subarray(0, idCharacters)];
  return used.map((byte) => digits[byte % digits.length]).join('');
}
