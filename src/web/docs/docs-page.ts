// What a page of `/docs` is, and the frame that all of them have: head, search, contents, text.
import { type Html, html, raw } from '../pages/html.ts';
import { ownIcon } from '../pages/layout.ts';
import type { FoundKind } from '../pages/search-entry.ts';
import { themeStyle } from '../pages/theme.ts';

export interface DocsPage {
  /** `/docs/channels` and the like. */
  path: string;
  title: string;
  /** What it is about, in a sentence or some. */
  summary: string;
  part: DocsPart;
  /** What the contents list below it while it is shown. */
  sections: readonly { id: string; title: string }[];
  body: Html;
  found: readonly Found[];
}

/** What the search finds on a page. */
export interface Found {
  kind: FoundKind;
  title: string;
  anchor: string;
  words: string;
}

export const docsParts = [
  'Start',
  'Your own systems',
  'Operating',
  'Reference',
  'Every operation',
] as const;
export type DocsPart = (typeof docsParts)[number];

/** The colours of the pages, in light and dark; the same for everybody, so its hash stands in the policy. */
export const docsColours = themeStyle('default', '');

export function framed(
  page: DocsPage,
  all: readonly DocsPage[],
  assets: { style: string; script: string },
): string {
  const { style, script } = assets;
  const title = page.path === '/docs' ? 'Footlight documentation' : `${page.title} · Footlight`;
  return `<!doctype html>${html`<html lang="en" data-code="curl"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover"><link rel="icon" href="${ownIcon}">
<style>${raw(docsColours)}</style>${style ? html`<link rel="stylesheet" href="${style}">` : ''}${script ? html`<script type="module" src="${script}" blocking="render"></script>` : ''}</head>
<body class="docs"><a class="skip" href="#text">Skip to the text</a>
<header><a class="brand" href="/docs">Footlight <span>docs</span></a>
<search><label class="unseen" for="search">Search the documentation</label><input id="search" type="search" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" autocomplete="off" spellcheck="false" placeholder="Search (/)"><ul id="found" role="listbox" aria-label="Found" hidden></ul><p id="found-count" class="unseen" role="status"></p></search>
<button type="button" class="contents" popovertarget="contents">Contents</button></header>
<nav id="contents" popover aria-label="Documentation">${contents(page, all)}</nav>
<main id="text" tabindex="-1">${page.body}</main></body></html>`}`;
}

function contents(shown: DocsPage, all: readonly DocsPage[]): Html[] {
  const link = (page: DocsPage) => {
    const isShown = page === shown;
    const inner =
      isShown && page.sections.length > 0
        ? html`<ul>${page.sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`
        : '';
    return html`<li><a href="${page.path}"${isShown ? html` aria-current="page"` : ''}>${page.title}</a>${inner}</li>`;
  };
  return docsParts.map(
    (part) =>
      html`<h2>${part}</h2><ul>${all.filter((one) => one.part === part && one.path !== '/docs').map(link)}</ul>`,
  );
}
