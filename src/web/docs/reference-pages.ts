// What holds for every call, as pages: how to call, errors, scopes, limits and settings.
import { type Scope, scopes } from '../../base/api/caller.ts';
import { catalogue, type ErrorName } from '../../base/api/errors.ts';
import { bodyBytesMax } from '../../base/api/json-body.ts';
import type { AnyRoute } from '../../base/api/route.ts';
import { ignoredHeader } from '../../base/api/spellings.ts';
import { html } from '../pages/html.ts';
import { codeBox } from './code-box.ts';
import type { DocsPage } from './docs-page.ts';
import { errorHelp } from './error-help.ts';
import { inline, shownTable } from './markdown.ts';

/** A setting of the service, as it is declared. */
export interface ShownSetting {
  variable: string;
  default: string;
  sentence: string;
}

export interface SettingGroup {
  title: string;
  settings: readonly ShownSetting[];
}

export function referencePages({
  routes,
  settings,
  url,
}: {
  routes: readonly AnyRoute[];
  settings: readonly SettingGroup[];
  url: string;
}): DocsPage[] {
  return [callingPage(routes, url), errorsPage(), scopesPage(routes), settingsPage(settings)];
}

function callingPage(routes: readonly AnyRoute[], url: string): DocsPage {
  const spellings = spellingsOf(routes);
  const sections = [
    { id: 'token', title: 'A token' },
    { id: 'answers', title: 'Answers' },
    { id: 'fields', title: 'Fields that are not known' },
    { id: 'pages', title: 'Lists and their pages' },
    { id: 'again', title: 'Trying again' },
    { id: 'headers', title: 'Headers' },
  ] as const;
  const part = (id: (typeof sections)[number]['id']) => {
    const title = sections.find((one) => one.id === id)?.title ?? '';
    return html`<h2 id="${id}"><a href="#${id}">${title}</a></h2>`;
  };
  const words = (text: string) => html`<p>${inline(text)}</p>`;
  const kilobytes = bodyBytesMax / 1_024;
  const error = {
    errors: {
      code: 400001,
      message: 'Invalid parameters',
      fields: [{ name: 'perPage', message: 'perPage must be 1 to 100 (got 500)' }],
      request_id: '0f6f1b1e-6c1c-4a52-9d53-0d5b5f4a2b11',
    },
  };
  return {
    path: '/docs/calling',
    title: 'How to call',
    part: 'Reference',
    sections,
    body: html`<h1>How to call</h1>
${part('token')}${words('Every request carries a token: `Authorization: Bearer footlight_…`. The first start of the service prints one; `npx footlight token create` makes another, and so does [`POST /manage/v1/tokens`](/docs/account#createToken). A token does what [its scopes](/docs/scopes) say, and no more. Keep it on your servers: a page that holds it gives it to everybody. The examples take it from the environment:')}
${codeBox('export FOOTLIGHT_TOKEN=footlight_…', { label: 'The token in the environment' })}
${words('People who have signed in to the console ask by a cookie instead. A request by it that changes something must be JSON and carry the `Origin` of this service.')}
${part('answers')}${words(`Bodies are JSON in UTF-8, at most ${kilobytes} KB; with a token a form (\`application/x-www-form-urlencoded\`) is read too. Every success is 200, but for uploads, which are answered as tus says. Times are \`YYYY-MM-DD HH:MM:SS\` in the time zone of the service (\`TIME_ZONE\`); those of events are ISO 8601 in UTC. Answers may get more fields: pass over those that you do not know.`)}
${words('An error has its real status, and one body. `code` is of [the catalogue of errors](/docs/errors), `fields` says what was wrong with each field, and `request_id` finds the request in the log.')}
${codeBox(JSON.stringify(error, null, 2), { label: 'Example of an error' })}
${part('fields')}${words(`Names that an operation does not know are ignored, and the answer says which in \`${ignoredHeader}\`, with commas between them: look at it while you write a program. The header is at most 1 KB long. Some spellings are plainly meant, and are taken where the operation has that field. Its own name wins where both come; a spelling that cannot be read is ignored and named.`)}
${shownTable([['taken', 'as', 'by'], ...spellings.map(({ alias, name, operations }) => [`\`${alias}\``, `\`${name}\``, operations.join(', ')])])}
${words('Numbers may come as text, a path may end with a slash, and an empty text clears a field that can be empty.')}
${part('pages')}${words('Lists have `p`, from 1, and `perPage`. Most answer `meta` with the total and `links` with the addresses of the pages around. The two audience lists of the interface are bare arrays: they have `X-Total-Count` and `Link` instead. Long lists that grow at their beginning go by `before`: the answer names the next one. `rows()` of the TypeScript client reads all of them to their end.')}
${part('again')}${words('429 and 503 carry `Retry-After`, in seconds. Creating a channel takes an `Idempotency-Key` header: the same key within 24 hours answers the same channel instead of a second one. The TypeScript client sends one, waits and tries again by itself, where that can do no harm.')}
${part('headers')}${shownTable([
  ['header', 'of', 'meaning'],
  ['`Authorization`', 'request', '`Bearer` and the token'],
  ['`Idempotency-Key`', 'request', 'of creating a channel: up to 255 characters of your own'],
  ['`If-None-Match`', 'request', 'of single reads: the `ETag` you have; 304 says it is the newest'],
  ['`X-Request-Id`', 'both', 'yours where you send one of up to 128 letters, digits and `.:_-`'],
  [`\`${ignoredHeader}\``, 'answer', 'names of the request that were ignored'],
  ['`ETag`', 'answer', 'of single reads: the version of the answer'],
  [
    '`Link`, `X-Total-Count`',
    'answer',
    'of the bare audience lists: next and last page, rows in all',
  ],
  [
    '`RateLimit`, `RateLimit-Policy`',
    'answer',
    'of watch records: calls left today and seconds until the count starts again; calls a day',
  ],
  ['`Retry-After`', 'answer', 'of 429 and 503: seconds to wait'],
  ['`Allow`', 'answer', 'of 405: the methods that there are'],
])}
<p>This documentation is made from the table that checks the requests. The machine-readable form is <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1), at <code>${url}/openapi.json</code>.</p>`,
    found: [
      ...sections.map(({ id, title }) => ({
        kind: 'guide' as const,
        title,
        anchor: id,
        words: 'How to call',
      })),
      ...spellings.map(({ alias, name }) => ({
        kind: 'field' as const,
        title: alias,
        anchor: 'fields',
        words: `taken as ${name}`,
      })),
    ],
  };
}

interface Spelling {
  alias: string;
  name: string;
  operations: string[];
}

/** Which other names of fields are taken, and by which operations. */
function spellingsOf(routes: readonly AnyRoute[]): Spelling[] {
  const found = new Map<string, Spelling>();
  for (const { query, body, operationId } of routes)
    for (const [name, { aliases = [] }] of Object.entries({ ...query, ...body }))
      for (const alias of aliases) {
        const known = found.get(`${alias} ${name}`) ?? { alias, name, operations: [] };
        known.operations.push(operationId);
        found.set(`${alias} ${name}`, known);
      }
  return [...found.values()];
}

function errorsPage(): DocsPage {
  const errors = (Object.keys(catalogue) as ErrorName[])
    .map((name) => ({ ...catalogue[name], ...errorHelp[name] }))
    .toSorted((one, other) => one.code - other.code);
  return {
    path: '/docs/errors',
    title: 'Errors',
    part: 'Reference',
    sections: [],
    body: html`<h1>Errors</h1><p class="lead">Every error has its real HTTP status and <a href="/docs/calling#answers">one body</a>, whose <code>code</code> is one of these.</p>
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
  'channels:run':
    'Whoever runs a show: control room, chat, publish key, who is here, exports of its audience.',
  'videos:read': 'A media library.',
  'videos:write': 'An editor: upload, rename, delete, clip, make a failed file again.',
  'audience:read': 'A CRM or an evaluation: watch records, visitors, reports.',
  manage:
    '**Every right of the account.** It makes people, managers and tokens, gives out links for new passwords, the secret of watch links and the data of any viewer, and brings back what was deleted. It has what `channels:run` and `videos:write` have.',
};

function scopesPage(routes: readonly AnyRoute[]): DocsPage {
  return {
    path: '/docs/scopes',
    title: 'Scopes',
    part: 'Reference',
    sections: [],
    body: html`<h1>Scopes</h1><p class="lead">A token holds scopes, and does no more than they say.</p>
<p>${inline('`npx footlight token create` gives all but `manage`; `--scopes` narrows it, `--expires-in 30d` ends it, `--manager N` lets it see that manager’s channels alone. A program rarely needs `manage`: whoever has read such a token has the account until it is revoked.')}</p>
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

function settingsPage(groups: readonly SettingGroup[]): DocsPage {
  const idOf = (title: string) => title.toLowerCase().replace(/[^a-z]+/g, '-');
  return {
    path: '/docs/limits',
    title: 'Limits and settings',
    part: 'Reference',
    sections: groups.map(({ title }) => ({ id: idOf(title), title })),
    body: html`<h1>Limits and settings</h1><p class="lead">What the service allows, and the environment variables that decide it.</p>
<p>${inline('Limits of a single field stand with the field. These are of the service; each has its default, and whoever runs this service may have set it otherwise. Sizes are bytes, or have a `K`, `M` or `G` behind them. `npx footlight refusals` says who met a limit, and mostly which setting decided.')}</p>
${groups.map(
  ({ title, settings }) => html`<h2 id="${idOf(title)}"><a href="#${idOf(title)}">${title}</a></h2>
<dl class="catalogue">${settings.map(
    (one) =>
      html`<div id="${one.variable}"><dt><a href="#${one.variable}"><code>${one.variable}</code></a> <span class="soft">${one.default === '' ? 'empty' : one.default}</span></dt><dd>${inline(one.sentence)}</dd></div>`,
  )}</dl>`,
)}`,
    found: groups
      .flatMap(({ settings }) => settings)
      .map(({ variable, sentence }) => ({
        kind: 'setting',
        title: variable,
        anchor: variable,
        words: sentence.replaceAll('`', ''),
      })),
  };
}
