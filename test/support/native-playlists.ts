// A browser that plays playlists by itself, as Safari does, played by Chromium.
import type { BrowserContext } from 'playwright-core';

/** It knows no media sources, and plays what a playlist leads to: here the file that lies beside it, by the playlist's name. */
export async function playPlaylistsNatively(
  context: BrowserContext,
  fileOf: Readonly<Record<string, string>> = {},
): Promise<void> {
  await context.addInitScript(`
    delete window.MediaSource; delete window.ManagedMediaSource; delete window.WebKitMediaSource;
    const { prototype } = HTMLMediaElement;
    const { canPlayType } = prototype;
    prototype.canPlayType = function (type) {
      return /mpegurl/.test(type) ? 'maybe' : canPlayType.call(this, type);
    };
    const { get, set } = Object.getOwnPropertyDescriptor(prototype, 'src');
    const fileOf = ${JSON.stringify(fileOf)};
    Object.defineProperty(prototype, 'src', { get, set(address) {
      set.call(this, address.replace(/(\\w+)\\.m3u8$/, (_, name) => (fileOf[name] ?? 'source') + '.mp4'));
    } });`);
}
