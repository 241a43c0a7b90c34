// `/docs`: the OpenAPI document as one page without scripts and without a request to anywhere.
import { createHash } from 'node:crypto';
import type { Json, OpenApi, Operation } from '../../base/api/openapi.ts';
import { html, raw } from './html.ts';

/** The whole page; every text in it is text. */
export function docsPage(document: OpenApi): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
  const events = Object.values(document.webhooks).map(({ post }) => post);
  const groups = document.tags
    .map((tag) => ({
      ...tag,
      operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
    }))
    .filter((group) => group.operations.length > 0);
  return `<!doctype html>${html`<html lang="en"><head><meta charset="utf-8"><title>Footlight interface</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${raw(style)}</style></head><body>
<header><h1>Footlight interface</h1><p>${marked(String(document.info['description']))}</p>
<p>Every request carries <code>Authorization: Bearer &lt;token&gt;</code>, or the cookie of a person who has signed in. The machine-readable form is
<a href="/openapi.json">/openapi.json</a>.</p></header>
<nav aria-label="Operations">${groups.map(
    (group) =>
      html`<h2>${group.name}</h2><ul>${group.operations.map(
        ({ method, path, operation }) =>
          html`<li><a href="#${operation.operationId}" title="${method} ${path}">${operation.summary.split(/[,;]/)[0] ?? ''}</a></li>`,
      )}</ul>`,
  )}<h2>webhooks</h2><ul>${events.map(({ operationId }) => html`<li><a href="#${operationId}">${operationId}</a></li>`)}</ul></nav>
<main>${groups.map(
    (group) =>
      html`<h2>${group.description}</h2>${group.operations.map((one) =>
        operationSection(one, document),
      )}`,
  )}
<h2>What a webhook is sent</h2>${events.map(eventSection)}
<h2>Schemas</h2>${Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      html`<section id="schema-${name}"><h3>${name}</h3>${schemaTable(schema)}</section>`,
  )}</main></body></html>`}`;
}

interface Listed {
  path: string;
  method: string;
  operation: Operation;
}

function operationSection({ path, method, operation }: Listed, document: OpenApi) {
  const body = operation.requestBody?.content['application/json'];
  const isSuccess = (status: string) => status.startsWith('2');
  const answers = Object.entries(operation.responses);
  const refusals = answers.filter(([status]) => !isSuccess(status));
  const [answered, made] = answers.find(([status]) => isSuccess(status)) ?? [];
  const [type, success] = Object.entries(made?.content ?? {})[0] ?? [];
  const schema = (success?.['schema'] ?? {}) as Json;
  const example = success?.['example'];
  return html`<section id="${operation.operationId}"><h3>${operation.summary}</h3>
<p class="path"><b class="${method}">${method}</b> <code>${path}</code></p><p>${marked(operation.description)}</p>
${operation.parameters.length > 0 ? parameterTable(operation) : ''}
${body?.schema ? html`<h4>Body</h4>${schemaTable(body.schema)}` : ''}
<h4>Try it</h4><pre>${curl({ path, method, operation }, document)}</pre>
${success ? html`<h4>Answer ${answerText(type, schema)}</h4><pre>${typeof example === 'string' ? example : JSON.stringify(example, null, 2)}</pre>` : html`<h4>Answer</h4><p>${answered ?? ''}, its headers alone: ${Object.keys(made?.headers ?? {}).join(', ')}</p>`}
<h4>Other answers</h4><table><tbody>${refusals.map(
    ([status, { description }]) => html`<tr><td><b>${status}</b></td><td>${description}</td></tr>`,
  )}</tbody></table></section>`;
}

function eventSection(operation: Operation) {
  const body = operation.requestBody?.content['application/json'];
  const properties = (body?.schema?.['properties'] ?? {}) as Record<string, Json>;
  return html`<section id="${operation.operationId}"><h3>${operation.operationId}</h3>
<p>${marked(operation.description)}</p><h4>data</h4>${schemaTable(properties['data'] ?? {})}
<h4>Body</h4><pre>${JSON.stringify(body?.example, null, 2)}</pre></section>`;
}

/** Text with `code` in it. */
function marked(text: string) {
  return text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`));
}

function parameterTable({ parameters }: Operation) {
  return html`<h4>Parameters</h4><table><thead><tr><th>name</th><th>in</th><th>type</th><th>meaning</th></tr></thead><tbody>
${parameters.map(
  ({ name, in: place, description, schema }) =>
    html`<tr><td><code>${name}</code></td><td>${place}</td><td>${typeText(schema)}</td><td>${marked(description)}</td></tr>`,
)}</tbody></table>`;
}

function schemaTable(schema: Json) {
  if (schema['type'] === 'array')
    return html`<p>Array of ${schemaLink(schema['items'] as Json)}</p>`;
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
  const required = (schema['required'] ?? []) as string[];
  return html`<table><thead><tr><th>field</th><th>type</th><th>meaning</th></tr></thead><tbody>
${properties.map(
  ([name, field]) =>
    html`<tr><td><code>${name}</code></td><td>${typeText(field)}</td><td>${marked(String(field['description'] ?? ''))}${field['deprecated'] ? ' (deprecated)' : ''}${required.includes(name) ? '' : html` <i>optional</i>`}</td></tr>`,
)}</tbody></table>`;
}

/** JSON by its schema; lines by their type and the schema of one. */
function answerText(type: string | undefined, schema: Json) {
  const lines = schema['contentSchema'] as Json | undefined;
  return lines
    ? html`${type ?? ''}, each line ${schemaLink(lines['items'] as Json)}`
    : schemaLink(schema);
}

function schemaLink(schema: Json | undefined) {
  const name = String(schema?.['$ref'] ?? '').replace('#/components/schemas/', '');
  return name ? html`<a href="#schema-${name}">${name}</a>` : typeText(schema ?? {});
}

function typeText(schema: Json): string {
  if (schema['$ref']) return String(schema['$ref']).split('/').at(-1) ?? '';
  if (schema['enum'])
    return (schema['enum'] as unknown[]).map((one) => JSON.stringify(one)).join(' or ');
  const type = String(schema['type'] ?? 'string');
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
  if (type === 'array') return `array of ${typeText((schema['items'] ?? {}) as Json)}`;
  if (type !== 'integer' || maximum === undefined) return type;
  return maximum === Number.MAX_SAFE_INTEGER
    ? `integer from ${minimum}`
    : `integer, ${minimum} to ${maximum}`;
}

function curl({ path, method, operation }: Listed, document: OpenApi): string {
  const example = operation.requestBody?.content['application/json']?.example;
  const file = Object.keys(operation.requestBody?.content ?? {}).find(
    (type) => type !== 'application/json',
  );
  const headers = operation.parameters.flatMap(({ name, in: place, schema }) => {
    const [value] = (schema['enum'] ?? schema['examples'] ?? []) as string[];
    return place === 'header' && value ? [`-H '${name}: ${value}'`] : [];
  });
  const url = document.servers[0]?.url ?? '';
  const lines = [
    `curl${methodFlag(method)}${credentials(operation, url)}`,
    ...headers,
    ...(example ? [`-H 'Content-Type: application/json' -d '${JSON.stringify(example)}'`] : []),
    ...(file ? [`-H 'Content-Type: ${file}' --data-binary @file`] : []),
    `${url}${path.replace(/\{\w+\}/g, '1')}`,
  ];
  return lines.join(' \\\n  ');
}

/** By `-X HEAD` curl would wait for a body. */
function methodFlag(method: string): string {
  if (method === 'GET') return '';
  return method === 'HEAD' ? ' -I' : ` -X ${method}`;
}

/** Most take a token; anyone may sign in, and people have the cookie that they got for it. */
function credentials({ security }: Operation, url: string): string {
  if (!security) return ' -H "Authorization: Bearer $TOKEN"';
  return security.length === 0 ? ' -c cookies.txt' : ` -b cookies.txt -H 'Origin: ${url}'`;
}

const style = `
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--link:#0b62c4}
@media (prefers-color-scheme:dark){:root{--link:#7db7ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:76rem;padding:1.5rem;font:16px/1.55 system-ui,sans-serif;display:grid;gap:0 2.5rem;grid-template-columns:minmax(0,1fr)}
a{color:var(--link)}
h1{font-size:1.7rem;margin:.3rem 0}h2{font-size:1.25rem;margin:1.6rem 0 .4rem}h3{font-size:1.05rem;margin:0 0 .4rem}h4{margin:1rem 0 .3rem}
nav ul{list-style:none;margin:0;padding:0}nav a{text-decoration:none;font-size:15px}nav li{padding:.1rem 0}.path{margin:.2rem 0}nav h2{font-size:1rem;margin:.8rem 0 .1rem}
section{border-top:1px solid var(--line);padding:1.2rem 0;scroll-margin-top:1rem}
code,pre{font:13px/1.5 ui-monospace,monospace}
pre{background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:.7rem;overflow:auto;max-height:26rem}
table{border-collapse:collapse;width:100%;font-size:14px;display:block;overflow-x:auto}
th,td{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}
b.GET,b.POST,b.PUT,b.DELETE{display:inline-block;min-width:3.2em;margin-right:.3em;font:700 12px ui-monospace,monospace}
b.GET{color:#1a7f37}b.POST{color:#9a6700}b.PUT{color:#8250df}b.DELETE{color:#cf222e}
@media (prefers-color-scheme:dark){b.GET{color:#56d364}b.POST{color:#e3b341}b.PUT{color:#d2a8ff}b.DELETE{color:#ff7b72}}
@media (min-width:60rem){body{grid-template-columns:19rem minmax(0,1fr)}header{grid-column:1/-1}nav{position:sticky;top:1rem;align-self:start;max-height:95vh;overflow:auto}}
`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** No script, no frame, no request to anywhere: only this page's own style. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
