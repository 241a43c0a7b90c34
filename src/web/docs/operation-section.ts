// One operation on its page: what it is for, every field with its limits, answers, errors, and examples beside them.
import { catalogue } from '../../base/api/errors.ts';
import type { Json, OpenApi } from '../../base/api/openapi.ts';
import { type Html, html } from '../pages/html.ts';
import { codeBox } from './code-box.ts';
import { guideRtmpUrl, guideUrl } from './guides.ts';
import { inlineCode } from './inline-code.ts';
import {
  answerOf,
  credentialOf,
  type ListedOperation,
  languageNames,
  languages,
  requestExamples,
} from './request-examples.ts';
import { type DescribedField, fieldList, fieldsIn, typeOf } from './schema-fields.ts';

export interface SectionOptions {
  document: OpenApi;
  /** Where the service is. */
  url: string;
  /** Where encoders push to. */
  rtmpUrl: string;
  /** Schemas that stand among the objects of the page, as several operations answer with them. */
  shared: ReadonlySet<string>;
}

export function operationSection(one: ListedOperation, options: SectionOptions): Html {
  const { path, method, operation, isWrite } = one;
  const { operationId, summary, description } = operation;
  const kept = isWrite ? html` data-writes` : '';
  return html`<section class="operation" id="${operationId}" data-method="${method}" data-path="${path}"${kept} aria-labelledby="${operationId}-title">
<div class="words"><h2 id="${operationId}-title"><a href="#${operationId}">${inlineCode(summary)}</a></h2>
<p class="path"><b class="method" data-method="${method}">${method}</b> <code>${broken(path)}</code></p>
<p>${inlineCode(description)}</p>
${requestFields(one).map(
  ({ place, title, fields }) =>
    html`<h3>${title}</h3>${fieldList(fields, { of: 'request', place })}`,
)}${fileText(one)}
${answerWords(one, options)}
${errorList(one)}</div>
${examples(one, options)}</section>`;
}

interface FieldPart {
  place: 'path' | 'query' | 'header' | 'body';
  title: string;
  fields: DescribedField[];
}

/** What a request may hold, by where it stands. */
export function requestFields({ operation }: ListedOperation): FieldPart[] {
  const { operationId, parameters, requestBody } = operation;
  const of = (place: string): DescribedField[] =>
    parameters
      .filter((one) => one.in === place)
      .map(({ name, description, schema, required }) => ({
        name,
        anchor: `${operationId}.${name}`,
        schema,
        description,
        isRequired: required,
      }));
  const body = requestBody?.content['application/json']?.schema ?? {};
  const parts: FieldPart[] = [
    { place: 'path', title: 'In the path', fields: of('path') },
    { place: 'query', title: 'In the query', fields: of('query') },
    { place: 'header', title: 'Headers', fields: of('header') },
    { place: 'body', title: 'Body', fields: fieldsIn(body, operationId) },
  ];
  return parts.filter(({ fields }) => fields.length > 0);
}

function fileText({ operation }: ListedOperation): Html | string {
  const types = Object.keys(operation.requestBody?.content ?? {}).filter(
    (type) => type !== 'application/json',
  );
  if (types.length === 0) return '';
  return html`<h3>Body</h3><p>The bytes of the file, as ${types.map((type, at) => html`${at > 0 ? ', ' : ''}<code>${type}</code>`)}.</p>`;
}

/** The schema that an answer is, or one line of it; by its name where it has one. */
export function answerSchema({ operation }: ListedOperation, document: OpenApi) {
  const { schema } = answerOf(operation);
  const lines = schema?.['contentSchema'] as Json | undefined;
  const of = lines ? ((lines['items'] ?? {}) as Json) : (schema ?? {});
  const name = String(of['$ref'] ?? '').replace('#/components/schemas/', '');
  const found = name === '' ? of : (document.components.schemas[name] ?? {});
  return { name, schema: found, isOfLine: lines !== undefined };
}

/** Fields of an answer that are told in its own section, not among the objects. */
export function ownAnswerFields(
  one: ListedOperation,
  { document, shared }: Pick<SectionOptions, 'document' | 'shared'>,
): DescribedField[] {
  const { name, schema } = answerSchema(one, document);
  if (shared.has(name)) return [];
  return fieldsIn(schema, `${one.operation.operationId}.answer`);
}

function answerWords(one: ListedOperation, options: SectionOptions): Html {
  const { status, type, made } = answerOf(one.operation);
  const { name, schema, isOfLine } = answerSchema(one, options.document);
  const fields = ownAnswerFields(one, options);
  const link = options.shared.has(name) ? html`<a href="#${name}">${name}</a>` : undefined;
  const headers = Object.entries((made?.headers ?? {}) as Record<string, { description: string }>);
  const what = () => {
    if (type === undefined) return 'its headers alone';
    if (type === 'image/jpeg') return html`<code>${type}</code>`;
    const shown = link ?? (fields.length > 0 ? '' : typeOf(schema));
    if (isOfLine) return html`<code>${type}</code>, each line ${shown === '' ? 'with' : shown}`;
    return shown;
  };
  return html`<h3>Answer</h3><p><b>${status}</b> ${what()}</p>
${fields.length > 0 ? fieldList(fields, { of: 'answer' }) : ''}
<details><summary>Headers of the answer</summary><ul class="fields">${headers.map(
    ([header, { description }]) =>
      html`<li><code>${header}</code><p>${inlineCode(description)}</p></li>`,
  )}</ul></details>`;
}

/** Names of the catalogue's errors that an operation may answer with, by the codes that its document tells. */
function errorList({ operation }: ListedOperation): Html {
  const texts = Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, { content }]) =>
      Object.keys((content?.['application/json']?.['examples'] ?? {}) as Json),
    );
  const errors = Object.entries(catalogue).filter(([name]) => texts.includes(name));
  return html`<details><summary>Errors (${errors.length})</summary><ul class="errors">${errors.map(
    ([, { status, code, message }]) =>
      html`<li><b>${status}</b> <a href="/docs/errors#${code}">${code}</a> ${message}</li>`,
  )}</ul></details>`;
}

function examples(one: ListedOperation, { url, rtmpUrl }: SectionOptions): Html {
  const made = requestExamples(one, url);
  const { content, type } = answerOf(one.operation);
  const example = content?.['example'];
  const written = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  const answer = written?.replaceAll(guideUrl, url).replaceAll(guideRtmpUrl, rtmpUrl);
  return html`<div class="examples"><div class="code-tabs" role="group" aria-label="Language of the example">${languages.map(
    (language) =>
      html`<button type="button" data-language="${language}" aria-pressed="${String(language === 'curl')}">${languageNames[language]}</button>`,
  )}</div>
${languages.map((language) => codeBox(made[language], { label: `${languageNames[language]} example`, language }))}
${example === undefined || type === undefined ? '' : html`<h3>Example of the answer</h3>${codeBox(answer ?? '', { label: 'Example of the answer' })}`}
${tryWords(one)}</div>`;
}

/** What a page can send with a token of whoever reads it: fields, not files, and what has an end. */
function tryWords(one: ListedOperation): Html {
  const { operation } = one;
  const { type } = answerOf(operation);
  const isFile = Object.keys(operation.requestBody?.content ?? {}).some(
    (kind) => kind !== 'application/json',
  );
  if (credentialOf(operation) !== 'token')
    return html`<p class="soft">For people who sign in: not to be tried here with a token.</p>`;
  if (isFile || type === 'text/event-stream' || ['HEAD', 'OPTIONS'].includes(one.method))
    return html`<p class="soft">Not to be tried here: take the example to a terminal.</p>`;
  return html`<button type="button" class="button try" aria-expanded="false">Try it</button>`;
}

/** A path may break before each of its parts. */
function broken(path: string): Html[] {
  return path
    .split('/')
    .map((part, at) => (at === 0 ? html`` : html`${at > 1 ? html`<wbr>` : ''}/${part}`));
}
