// Names of objects: parts as this program gives them, so that no key leads out of the prefix or needs escaping.
import { bucketLimits } from './bucket-limits.ts';

const part = /^[0-9A-Za-z][0-9A-Za-z-]{0,59}(\.[0-9a-z]{1,8})?$/;

export function isObjectKey(key: string): boolean {
  return key.length <= bucketLimits.keyCharsMax && key.split('/').every((one) => part.test(one));
}

/** Throws for any other, whoever wrote it into the database. */
export function checkedKey(key: string): string {
  if (!isObjectKey(key))
    throw new Error(`${JSON.stringify(key.slice(0, 80))} is no name of an object of ours`);
  return key;
}
