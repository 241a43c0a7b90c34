// Random secrets as text that is safe in an address, a shell and a file name.
import { randomBytes } from 'node:crypto';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `bits` random bits in base 62, always of one length. */
export function randomText(bits: number): string {
  return base62(
    BigInt(`0x${randomBytes(bits / 8).toString('hex')}`),
    Math.ceil(bits / Math.log2(62)),
  );
}

/** A number in base 62, filled up with zeros to `length`. */
export function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = digits[Number(rest % 62n)] + text;
  return text.padStart(length, '0');
}
