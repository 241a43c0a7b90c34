// The guides: which there are, in their order, and where their text lies.
import { readFileSync } from 'node:fs';
import { type Guide, readGuide } from './markdown.ts';

/** By its name in the address the file of each, in `docs`. */
const guideFiles = {
  'first-show': 'guides/first-show.md',
  obs: 'guides/obs.md',
  'your-own-users': 'guides/your-own-users.md',
  'webhooks-and-events': 'guides/webhooks-and-events.md',
  exporting: 'guides/exporting.md',
  privacy: 'guides/privacy.md',
  checklist: 'guides/checklist.md',
  production: 'production.md',
  upgrading: 'upgrading.md',
  'several-nodes': 'guides/several-nodes.md',
} as const;
export type GuideName = keyof typeof guideFiles;
export const guideNames = Object.keys(guideFiles) as readonly GuideName[];

/** Stands in the guides for where the service is. */
export const guideUrl = 'https://live.example.com';

export function guideText(name: GuideName): string {
  return readFileSync(new URL(`../../../docs/${guideFiles[name]}`, import.meta.url), 'utf8');
}

/** As readers of this service see it: with its own address. */
export function guideOf(name: GuideName, url: string): Guide {
  return readGuide(guideText(name).replaceAll(guideUrl, url));
}
