// The frame of every page: head, style, data for the script, body.

import type { PageAssets } from './assets.ts';
import { type Html, html, raw } from './html.ts';
import { absolute, loadable } from './loadable-address.ts';
import type { VideoData, WatchData } from './page-data.ts';
import { id } from './page-ids.ts';
import { shapeName, usualShape } from './picture-shape.ts';
import type { PageTexts } from './texts-en.ts';
import { type ThemeName, themeStyle } from './theme.ts';

export interface Document {
  texts: PageTexts;
  title: string;
  theme: ThemeName;
  /** The channel's own background; empty for the theme's. */
  bgColor: string;
  nonce: string;
  assets: PageAssets;
  /** What kind of page, for the style sheet: `watch`, `mobile`, `embed`, `video`, `home`, `error`. */
  kind: string;
  /** The page's `data-state`. */
  state: string;
  /** Of its picture. */
  shape?: number;
  /** What the page shows of itself where its address is shared; undefined where it is not to be found. */
  shared: { url: string; image: string; baseUrl: string } | undefined;
  /** The channel's icon; empty for ours. */
  iconAddress: string;
  script: keyof PageAssets['scripts'] | undefined;
  data: WatchData | VideoData | undefined;
  body: Html;
}

export function page(document: Document): string {
  const { texts, title, theme, bgColor, nonce, assets, kind, state, body } = document;
  const { shape = usualShape } = document;
  const script = document.script && assets.scripts[document.script];
  return `<!doctype html>${html`<html lang="${texts.tag}" data-theme="${theme}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
${shareTags(document)}<link rel="icon" href="${loadable(document.iconAddress) || ownIcon}">
<style nonce="${nonce}">${raw(themeStyle(theme, bgColor) + shapeStyle(shape))}</style>
${assets.style ? html`<link rel="stylesheet" href="${assets.style}">` : ''}
${script ? html`<script type="module" src="${script}"></script>` : ''}</head>
<body class="${kind}" data-state="${state}" data-shape="${shapeName(shape)}">${body}
${document.data ? dataElement(document.data) : ''}</body></html>`}`;
}

function shapeStyle(shape: number): string {
  return `:root{--shape:${shape.toFixed(4)}}`;
}

/** Open Graph and the card of X, which other messengers read too. */
function shareTags({ title, shared, kind }: Document): Html {
  if (!shared) return html`<meta name="robots" content="noindex">\n`;
  const image = absolute(shared.image, shared.baseUrl);
  const type = kind === 'video' ? 'video.other' : 'website';
  return html`<meta property="og:title" content="${title}"><meta property="og:type" content="${type}">
<meta property="og:url" content="${shared.url}"><link rel="canonical" href="${shared.url}">
<meta name="twitter:card" content="${image ? 'summary_large_image' : 'summary'}"><meta name="twitter:title" content="${title}">
${image ? html`<meta property="og:image" content="${image}"><meta name="twitter:image" content="${image}">\n` : ''}`;
}

/** Nothing in it can end the element: JSON needs no `<`. */
function dataElement(data: WatchData | VideoData): Html {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return html`<script type="application/json" ${id('page')}>${raw(json)}</script>`;
}

/** A stage light, for channels without an icon. */
export const ownIcon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#2457d6"/><path fill="#fff" d="M12 9.5v13l11-6.5z"/></svg>',
)}`;
