// Whether so many more files can be opened, for what does not bear it when they cannot.
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** A worker takes some ten, and others are opened beside it. */
const spare = 32;

export function hasSpareDescriptors(count = spare): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'));
    return true;
  } catch {
    return false;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
