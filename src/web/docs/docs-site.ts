// All pages of `/docs`, and what the search finds on them.
import type { OpenApi } from '../../base/api/openapi.ts';
import type { AnyRoute } from '../../base/api/route.ts';
import { html } from '../pages/html.ts';
import type { SearchIndex } from '../pages/search-entry.ts';
import { codeBox } from './code-box.ts';
import type { DocsPage } from './docs-page.ts';
import { guideNames, guideOf } from './guides.ts';
import { inline } from './markdown.ts';
import { listedOperations, operationPages, shortened, shortSummary } from './operation-pages.ts';
import { referencePages, type SettingGroup } from './reference-pages.ts';

export interface SiteParts {
  document: OpenApi;
  routes: readonly AnyRoute[];
  settings: readonly SettingGroup[];
  /** Where the service is. */
  url: string;
}

/** The first is that of `/docs` itself. */
export function docsSite(parts: SiteParts): DocsPage[] {
  const guides = guidePages(parts.url);
  const operations = operationPages(parts);
  const reference = referencePages(parts);
  return [startPage({ ...parts, guides, operations }), ...guides, ...operations, ...reference];
}

/** Of a guide as much as says what it is about: the index stays small. */
const guideWordsMax = 400;

function guidePages(url: string): DocsPage[] {
  return guideNames.map((name) => {
    const { title, sections, body } = guideOf(name, url);
    return {
      path: `/docs/guides/${name}`,
      title,
      part: 'Guides',
      sections: sections.filter(({ id }) => id !== ''),
      body: html`<div class="guide">${body}</div>`,
      found: sections.map((section) => ({
        kind: 'guide',
        title: section.id === '' ? title : `${title}: ${section.title}`,
        anchor: section.id,
        words: shortened(section.text, guideWordsMax),
      })),
    };
  });
}

function startPage({
  document,
  routes,
  url,
  guides,
  operations,
}: SiteParts & { guides: readonly DocsPage[]; operations: readonly DocsPage[] }): DocsPage {
  const listed = listedOperations(document, routes);
  const first = `curl -H "Authorization: Bearer $FOOTLIGHT_TOKEN" ${url}/v1/activities`;
  return {
    path: '/docs',
    title: 'Footlight documentation',
    part: 'Reference',
    sections: [],
    body: html`<h1>Footlight documentation</h1>
<p class="lead">Channels, watch pages, recordings and exact audience records, over HTTP and JSON.</p>
<p>${inline('Every call carries a token: [how to call](/docs/calling). This lists your channels:')}</p>
${codeBox(first, { label: 'The first call' })}
<h2 id="guides">Guides</h2><ul class="cards">${guides.map(({ path, title, found }) => html`<li><a href="${path}"><b>${title}</b><span>${shortened(found[0]?.words ?? '', 110)}</span></a></li>`)}</ul>
<h2 id="operations">Operations</h2>
<p>${inline('Those under `/v1` are the interface, which only grows; those under `/manage/v1` are Footlight’s own. The machine-readable form is [/openapi.json](/openapi.json).')}</p>
${operations.map(
  (
    page,
  ) => html`<section aria-labelledby="${page.path.slice('/docs/'.length)}"><h3 id="${page.path.slice('/docs/'.length)}"><a href="${page.path}">${page.title}</a></h3>
<ul class="operations">${listed
    .filter(({ operation }) => page.path === `/docs/${operation.tags[0]}`)
    .map(
      (one) =>
        html`<li><a href="${page.path}#${one.operation.operationId}"><b class="method" data-method="${one.method}">${one.method}</b> <span>${shortSummary(one)}</span> <code>${one.path}</code></a></li>`,
    )}</ul></section>`,
)}`,
    found: [],
  };
}

export function searchIndex(site: readonly DocsPage[]): SearchIndex {
  return {
    pages: site.map(({ path }) => path),
    entries: site.flatMap(({ found }, page) =>
      found.map(({ kind, title, anchor, words }) => [kind, title, page, anchor, words] as const),
    ),
  };
}
