// The guides: which there are, in their order, and where their text lies.
import { readFileSync } from 'node:fs';
import type { DocsPart } from './docs-page.ts';
import { type Guide, readGuide } from './markdown.ts';

/** By the part of the contents that they stand in: names in the address, and of the files in `docs`. */
export const guidesByPart = {
  Start: ['first-show', 'obs', 'watch-page', 'running-a-show', 'channels-and-videos'],
  'Your own systems': [
    'calling',
    'typescript-client',
    'your-own-users',
    'who-may-watch',
    'webhooks-and-events',
    'exporting',
    'history',
  ],
  Operating: ['production', 'people-and-access', 'privacy', 'backup', 'upgrading', 'several-nodes'],
  Reference: ['settings', 'commands'],
} as const satisfies Partial<Record<DocsPart, readonly string[]>>;

type GuidePart = keyof typeof guidesByPart;
export type GuideName = (typeof guidesByPart)[GuidePart][number];
export const guideParts = Object.keys(guidesByPart) as readonly GuidePart[];
export const guideNames: readonly GuideName[] = Object.values(guidesByPart).flat();

/** Stands in the guides for where the service is. */
export const guideUrl = 'https://live.example.com';
/** The same of RTMP, in examples of answers. */
export const guideRtmpUrl = 'rtmp://live.example.com:1935';

export function guideText(name: GuideName): string {
  return readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');
}

/** As readers of this service see it: with its own address. */
export function guideOf(name: GuideName, url: string): Guide {
  return readGuide(guideText(name).replaceAll(guideUrl, url));
}
