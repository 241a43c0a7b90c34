// What the pages' scripts and their style are made from.
import type { Entries } from './bundle.ts';

export type PageFile = 'watch' | 'video' | 'style';

export const pageEntries: Entries<PageFile> = {
  watch: new URL('./client/watch-script.ts', import.meta.url),
  video: new URL('./client/video-script.ts', import.meta.url),
  style: new URL('./style/page.css', import.meta.url),
};
