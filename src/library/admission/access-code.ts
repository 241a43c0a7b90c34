// Codes that let somebody in: made here, shown once, kept as their signature.
import { randomBytes } from 'node:crypto';
import { plainDigits } from '../../base/lib/plain-digits.ts';
import { signatureOf } from '../../base/lib/signed-text.ts';
import { visibleText } from '../../base/lib/visible-text.ts';
import { admissionLimits } from './admission-limits.ts';

/** 32 that are not easily taken for each other: no O and I, no 0 and 1. */
const digits = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

const { codeCharacters } = admissionLimits;

/** 256 is a multiple of 32: each character is as likely as the next. */
export function newCode(): string {
  const text = [...randomBytes(codeCharacters)]
    .map((byte) => digits[byte % digits.length])
    .join('');
  return `${text.slice(0, codeCharacters / 2)}-${text.slice(codeCharacters / 2)}`;
}

/** As it may be typed: in any case, with digits of any script, with or without the dash; undefined where it can be none. */
export function readCode(typed: string): string | undefined {
  const text = plainDigits(visibleText(typed)).toUpperCase().replace(/[\s-]/g, '');
  if (text.length !== codeCharacters || [...text].some((one) => !digits.includes(one)))
    return undefined;
  return text;
}

export interface CodeKey {
  /** What is kept of it. */
  key: string;
  /** Stands for it where it is taken back. */
  id: string;
  /** By which its owner knows it again. */
  hint: string;
}

const idCharacters = 16;
const idText = /^[0-9a-f]{16}$/;
/** Of SHA-256, in hexadecimal digits. */
const signatureCharacters = 64;

/** `secret` is the service's own: whoever reads the database alone cannot try codes. */
export function keyOfCode(secret: string, code: string): CodeKey {
  const text = readCode(code) ?? '';
  const signature = signatureOf(secret, `code.${text}`, 'hex');
  return { key: `code ${signature}`, id: idOfKey(`code ${signature}`), hint: text.slice(0, 3) };
}

export function idOfKey(key: string): string {
  return key.slice('code '.length, 'code '.length + idCharacters);
}

/** Between which the keys of an id are; undefined where it is none. */
export function keysOfId(id: string): { first: string; last: string } | undefined {
  if (!idText.test(id)) return undefined;
  const rest = signatureCharacters - idCharacters;
  return { first: `code ${id}${'0'.repeat(rest)}`, last: `code ${id}${'f'.repeat(rest)}` };
}

export function holderOfCode(id: string): string {
  return `code ${id}`;
}

/** Of a uid or a phone, as whoever wrote it down may have: a phone's spaces and dashes say nothing. */
export function keyOfListed(entry: string): string {
  const text = visibleText(entry).trim();
  const phone = plainDigits(text);
  if (/^\+?[\d\s()./-]+$/.test(phone)) return `listed ${phone.replace(/[^\d+]/g, '')}`;
  return `listed ${text.normalize('NFKC').trim().toLowerCase()}`;
}
