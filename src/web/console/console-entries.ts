// What the console's scripts and its style are made from.
import type { Entries } from '../pages/bundle.ts';

export type ConsoleFile = 'console' | 'preview' | 'look';

export const consoleEntries: Entries<ConsoleFile> = {
  console: new URL('./client/console-script.tsx', import.meta.url),
  preview: new URL('./client/preview-script.ts', import.meta.url),
  look: new URL('./style/console.css', import.meta.url),
};
