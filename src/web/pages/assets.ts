// Scripts and style of the pages, under `/assets`.
import type { Log } from '../../base/lib/log.ts';
import {
  type BundledFiles,
  builtOrBundled,
  type MakeBundle,
  startBundledFiles,
} from './bundled-files.ts';
import type { PageFile } from './page-entries.ts';

/** Addresses of what a page loads; empty where it could not be made. */
export interface PageAssets {
  style: string;
  scripts: Record<'watch' | 'video' | 'door', string>;
}

export interface Assets extends Pick<BundledFiles<PageFile>, 'answer'> {
  /** Waits for the bundle where it is not there yet; never rejects. */
  ofPages(): Promise<PageAssets>;
}

/** The same for `/docs`. */
export interface DocsAssets {
  ofDocs(): Promise<{ style: string; script: string }>;
}

const bundlePages: MakeBundle<PageFile> = () =>
  builtOrBundled({
    built: new URL('../../../built/pages.json', import.meta.url),
    program: new URL('./bundle-program.ts', import.meta.url),
  });

export function startAssets({
  log,
  make = bundlePages,
}: {
  log: Log;
  make?: MakeBundle<PageFile>;
}): Assets & DocsAssets {
  const files = startBundledFiles({ path: '/assets', make, log });
  return {
    ofPages: async () => {
      const { style = '', watch = '', video = '', door = '' } = await files.addresses();
      return { style, scripts: { watch, video, door } };
    },
    ofDocs: async () => {
      const { docs: script = '', 'docs-style': style = '' } = await files.addresses();
      return { style, script };
    },
    answer: files.answer,
  };
}
