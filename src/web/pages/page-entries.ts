// What the pages' scripts and their style are made from.
import type { Entries } from './bundle.ts';

export type PageFile = 'watch' | 'video' | 'door' | 'style' | 'docs' | 'docs-style';

export const pageEntries: Entries<PageFile> = {
  watch: new URL('./client/watch-script.ts', import.meta.url),
  video: new URL('./client/video-script.ts', import.meta.url),
  door: new URL('./client/door-script.ts', import.meta.url),
  style: new URL('./style/page.css', import.meta.url),
  docs: new URL('./client/docs-script.ts', import.meta.url),
  'docs-style': new URL('./style/docs.css', import.meta.url),
};
