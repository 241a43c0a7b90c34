// The viewer id of those whom nobody has named: random, and signed into a cookie.
import { randomBytes } from 'node:crypto';
import { readSignedText, signedText } from './signed-text.ts';

const kind = 'v1';
/** Base32: 5 bits a character, nothing that is easily misread. */
const digits = 'abcdefghijklmnopqrstuvwxyz234567';
/** 100 random bits: nobody meets another's id, nor guesses it. */
const idCharacters = 20;

export function newViewerId(): string {
  const characters = [...randomBytes(idCharacters)].map((byte) => digits[byte % digits.length]);
  return `v-${characters.join('')}`;
}

/** The cookie's value. */
export function signViewerId(secret: string, viewer_id: string): string {
  return signedText(secret, kind, viewer_id);
}

/** Undefined where this service has not signed it. */
export function readViewerId(secret: string, text: string): string | undefined {
  return readSignedText(secret, kind, text);
}
