// The guides: which there are, in their order, and where their text lies.
import { readFileSync } from 'node:fs';
import { type Guide, readGuide } from './markdown.ts';

/** Files of `docs/guides`, without `.md`. */
export const guideNames = [
  'first-show',
  'obs',
  'your-own-users',
  'webhooks-and-events',
  'exporting',
  'privacy',
  'production',
  'several-nodes',
] as const;
export type GuideName = (typeof guideNames)[number];

/** Stands in the guides for where the service is. */
export const guideUrl = 'https://live.example.com';

export function guideText(name: GuideName): string {
  return readFileSync(new URL(`../../../docs/guides/${name}.md`, import.meta.url), 'utf8');
}

/** As readers of this service see it: with its own address. */
export function guideOf(name: GuideName, url: string): Guide {
  return readGuide(guideText(name).replaceAll(guideUrl, url));
}
