// All pages of `/docs`, and what the search finds on them.
import type { OpenApi } from '../../base/api/openapi.ts';
import type { AnyRoute } from '../../base/api/route.ts';
import { type Html, html } from '../pages/html.ts';
import type { SearchEntry, SearchIndex } from '../pages/search-entry.ts';
import { codeBox } from './code-box.ts';
import type { DocsPage, Found } from './docs-page.ts';
import { type GuideName, guideOf, guideParts, guidesByPart } from './guides.ts';
import { anchorOf, type Guide, inline } from './markdown.ts';
import { listedOperations, operationPages, shortened, shortSummary } from './operation-pages.ts';
import { otherWords } from './other-words.ts';
import { referencePages } from './reference-pages.ts';
import type { ListedOperation } from './request-examples.ts';

export interface SiteParts {
  document: OpenApi;
  routes: readonly AnyRoute[];
  /** Where the service is. */
  url: string;
  /** Where encoders push to. */
  rtmpUrl: string;
}

/** The first is that of `/docs` itself. */
export function docsSite(parts: SiteParts): DocsPage[] {
  const pages = [
    ...guidePages(parts.url),
    ...referencePages(parts.routes),
    ...operationPages(parts),
  ];
  return [startPage(parts, pages), ...pages];
}

function guidePages(url: string): DocsPage[] {
  return guideParts.flatMap((part) =>
    guidesByPart[part].map((name): DocsPage => {
      const guide = guideOf(name, url);
      const { title, sections, body } = guide;
      return {
        path: `/docs/guides/${name}`,
        title,
        summary: sections[0]?.text ?? '',
        part,
        sections: sections.filter(({ level }) => level === 2),
        body: html`<div class="guide">${body}</div>`,
        found: foundIn(name, guide),
      };
    }),
  );
}

/** Of a guide as much as says what it is about: the index stays small. */
const guideWordsMax = 400;

function foundIn(name: GuideName, { title, sections, variables }: Guide): Found[] {
  const isCommand = (level: number) => name === 'commands' && level > 1;
  return [
    ...sections.map(
      (section): Found => ({
        kind: isCommand(section.level) ? 'command' : 'guide',
        title:
          section.level === 1 || isCommand(section.level)
            ? section.title
            : `${title}: ${section.title}`,
        anchor: section.id,
        words: shortened(section.text, guideWordsMax),
      }),
    ),
    ...variables.map(
      (one): Found => ({
        kind: 'setting',
        title: one.name,
        anchor: one.name,
        words: one.meaning,
      }),
    ),
  ];
}

function startPage({ document, routes, url }: SiteParts, pages: readonly DocsPage[]): DocsPage {
  const first = `curl -H "Authorization: Bearer $FOOTLIGHT_TOKEN" ${url}/v1/activities`;
  const listed = listedOperations(document, routes);
  return {
    path: '/docs',
    title: 'Footlight documentation',
    summary: '',
    part: 'Start',
    sections: [],
    body: html`<h1>Footlight documentation</h1>
<p class="lead">Channels, watch pages, recordings and exact audience records, over HTTP and JSON.</p>
<p>${inline('Every call carries a token: [how to call](/docs/guides/calling). This lists your channels:')}</p>
${codeBox(first, { label: 'The first call' })}
${guideParts.map((part) => html`<h2 id="${anchorOf(part)}">${part}</h2><ul class="cards">${pages.filter((page) => page.part === part).map(card)}</ul>`)}
<h2 id="operations">Every operation</h2>
<p>${inline('Those under `/v1` are the interface, which only grows; those under `/manage/v1` are Footlight’s own. The machine-readable form is [/openapi.json](/openapi.json).')}</p>
${pages.filter(({ part }) => part === 'Every operation').map((page) => operationList(page, listed))}`,
    found: [],
  };
}

function card({ path, title, summary }: DocsPage): Html {
  return html`<li><a href="${path}"><b>${title}</b><span>${shortened(firstSentence(summary), 140)}</span></a></li>`;
}

function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}

function operationList({ path, title }: DocsPage, listed: readonly ListedOperation[]): Html {
  const id = path.slice('/docs/'.length);
  const own = listed.filter(({ operation }) => operation.tags[0] === id);
  return html`<section aria-labelledby="${id}"><h3 id="${id}"><a href="${path}">${title}</a></h3>
<ul class="operations">${own.map(
    (one) =>
      html`<li><a href="${path}#${one.operation.operationId}"><b class="method" data-method="${one.method}">${one.method}</b> <span>${shortSummary(one)}</span> <code>${one.path}</code></a></li>`,
  )}</ul></section>`;
}

export function searchIndex(site: readonly DocsPage[]): SearchIndex {
  return {
    pages: site.map(({ path }) => path),
    entries: site.flatMap(({ path, found }, page) =>
      found.map(({ kind, title, anchor, words }): SearchEntry => {
        const others = otherWords[`${path}${anchor && `#${anchor}`}`];
        const entry = [kind, title, page, anchor, words] as const;
        return others ? [...entry, others] : entry;
      }),
    ),
  };
}
