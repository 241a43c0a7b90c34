// The catalogues of errors and of scopes, as pages.
import { type Scope, scopes } from '../../base/api/caller.ts';
import { catalogue, type ErrorName } from '../../base/api/errors.ts';
import type { AnyRoute } from '../../base/api/route.ts';
import { html } from '../pages/html.ts';
import type { DocsPage } from './docs-page.ts';
import { errorHelp } from './error-help.ts';
import { inline } from './markdown.ts';

export function referencePages(routes: readonly AnyRoute[]): DocsPage[] {
  return [errorsPage(), scopesPage(routes)];
}

function errorsPage(): DocsPage {
  const errors = (Object.keys(catalogue) as ErrorName[])
    .map((name) => ({ ...catalogue[name], ...errorHelp[name] }))
    .toSorted((one, other) => one.code - other.code);
  return {
    path: '/docs/errors',
    title: 'Errors',
    summary: 'Every error: when it comes, and what helps.',
    part: 'Reference',
    sections: [],
    body: html`<h1>Errors</h1><p class="lead">Every error has its real HTTP status and <a href="/docs/guides/calling#errors">one body</a>, whose <code>code</code> is one of these.</p>
<dl class="catalogue">${errors.map(
      ({ code, status, message, when, remedy }) =>
        html`<div id="${code}"><dt><a href="#${code}"><code>${code}</code></a> <span class="soft">HTTP ${status}</span> ${message}</dt><dd>${inline(when)}</dd><dd><b>What helps:</b> ${inline(remedy)}</dd></div>`,
    )}</dl>`,
    found: errors.map(({ code, message, when }) => ({
      kind: 'error',
      title: `${code} ${message}`,
      anchor: String(code),
      words: when.replaceAll('`', ''),
    })),
  };
}

const scopeWords: Record<Scope, string> = {
  'channels:read': 'A website that lists channels and shows which are live.',
  'channels:write': 'A planner that makes channels, names them, sets their pages and deletes them.',
  'channels:run': 'Whoever runs a show: control room, chat, publish key, who is here.',
  'videos:read': 'A media library.',
  'videos:write': 'An editor: upload, rename, delete, clip, make a failed file again.',
  'audience:read':
    'A CRM or an evaluation: watch records, visitors, reports, page by page and as files.',
  manage:
    '**Every right of the account.** It makes people, managers and tokens, also one with every scope and its own next one; it gives out links for new passwords, the secret of watch links and the data of any viewer, and brings back what was deleted. It has what `channels:run`, `videos:write` and `audience:read` have.',
};

function scopesPage(routes: readonly AnyRoute[]): DocsPage {
  return {
    path: '/docs/scopes',
    title: 'Scopes',
    summary: 'What a token may do, and which operations need it.',
    part: 'Reference',
    sections: [],
    body: html`<h1>Scopes</h1><p class="lead">A token holds scopes, and does no more than they say.</p>
<p>${inline('[Tokens](/docs/guides/people-and-access#tokens) says how to make one.')}</p>
<dl class="catalogue">${scopes.map((scope) => {
      const operations = routes.filter((one) => one.scope === scope);
      return html`<div id="${scope}"><dt><a href="#${scope}"><code>${scope}</code></a></dt><dd>${inline(scopeWords[scope])}</dd>
<dd><details><summary>${operations.length} operations need it</summary><ul>${operations.map(({ method, path }) => html`<li><code>${method} ${path}</code></li>`)}</ul></details></dd></div>`;
    })}</dl>`,
    found: scopes.map((scope) => ({
      kind: 'guide',
      title: `Scope ${scope}`,
      anchor: scope,
      words: scopeWords[scope].replace(/[*`]/g, ''),
    })),
  };
}
