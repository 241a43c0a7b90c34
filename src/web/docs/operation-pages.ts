// The pages of operations: one for each group, with the objects that its operations answer with.
import type { Json, OpenApi } from '../../base/api/openapi.ts';
import { type OperationGroup, operationGroups } from '../../base/api/operation-groups.ts';
import type { AnyRoute } from '../../base/api/route.ts';
import { isAudited } from '../../base/api/route.ts';
import { type Html, html } from '../pages/html.ts';
import type { DocsPage, Found } from './docs-page.ts';
import { eventCatalogue } from './event-catalogue.ts';
import {
  answerSchema,
  operationSection,
  ownAnswerFields,
  requestFields,
} from './operation-section.ts';
import type { ListedOperation } from './request-examples.ts';
import { allFieldsIn, fieldList, fieldsIn } from './schema-fields.ts';

interface Made {
  document: OpenApi;
  routes: readonly AnyRoute[];
  /** Where the service is. */
  url: string;
  /** Where encoders push to. */
  rtmpUrl: string;
}

export function operationPages({ document, routes, url, rtmpUrl }: Made): DocsPage[] {
  const listed = listedOperations(document, routes);
  return operationGroups.flatMap((group) => {
    const operations = listed.filter(({ operation }) => operation.tags.includes(group.name));
    return operations.length > 0 ? [groupPage(group, { operations, document, url, rtmpUrl })] : [];
  });
}

export function listedOperations(
  document: OpenApi,
  routes: readonly AnyRoute[],
): ListedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
      isWrite: routes.some((one) => one.operationId === operation.operationId && isWrite(one)),
    })),
  );
}

/** A read may be in the audit log too, where it takes people's data along. */
function isWrite(route: AnyRoute): boolean {
  return isAudited(route) && route.audit !== 'taken';
}

/** The first clause of a summary is what the contents have room for. */
export function shortSummary({ operation }: ListedOperation): string {
  return (operation.summary.split(/[,;:]/)[0] ?? '').replaceAll('`', '');
}

function groupPage(
  group: OperationGroup,
  {
    operations,
    document,
    url,
    rtmpUrl,
  }: { operations: readonly ListedOperation[] } & Omit<Made, 'routes'>,
): DocsPage {
  const events = group.name === 'events' ? eventCatalogue(document) : undefined;
  const shared = sharedSchemas(operations, document);
  const objects = objectsOf(operations, { document, shared }).filter(
    (name) => !events?.schemas.has(name),
  );
  const options = {
    document,
    url,
    rtmpUrl,
    shared: new Set([...shared, ...(events?.schemas ?? [])]),
  };
  const sections = operations.map((one) => ({
    id: one.operation.operationId,
    title: shortSummary(one),
  }));
  return {
    path: `/docs/${group.name}`,
    title: group.title,
    summary: group.description,
    part: 'Every operation',
    sections: [
      ...sections,
      ...(events ? events.sections : []),
      ...(objects.length > 0 ? [{ id: 'objects', title: 'Objects' }] : []),
    ],
    body: html`<h1>${group.title}</h1><p class="lead">${group.description}.</p>
${operations.map((one) => operationSection(one, options))}${events ? events.body : ''}
${objects.length > 0 ? html`<h2 id="objects">Objects</h2>${objects.map((name) => objectSection(name, document))}` : ''}`,
    found: [
      ...operations.flatMap((one) => foundOf(one, options)),
      ...objects.flatMap((name) => foundIn(name, document)),
      ...(events ? events.found : []),
    ],
  };
}

function objectSection(name: string, { components }: OpenApi): Html {
  const schema = components.schemas[name] ?? {};
  return html`<section class="object" id="${name}"><h3><a href="#${name}">${name}</a></h3>
${fieldList(fieldsIn(schema, name), { of: 'answer' })}</section>`;
}

function foundOf(
  one: ListedOperation,
  options: { document: OpenApi; shared: ReadonlySet<string> },
): Found[] {
  const { operation, method, path } = one;
  const { operationId, summary } = operation;
  const asked = requestFields(one).flatMap(({ fields }) => fields);
  const answered = ownAnswerFields(one, options).flatMap((field) => [
    field,
    ...allFieldsIn(field.schema, field.anchor),
  ]);
  return [
    {
      kind: 'operation',
      title: summary.replaceAll('`', ''),
      anchor: operationId,
      words: `${method} ${path}`,
    },
    ...[...asked, ...answered].map(
      ({ name, anchor, description }): Found => ({
        kind: 'field',
        title: name,
        anchor,
        words: saidOf(operationId, description),
      }),
    ),
  ];
}

function foundIn(name: string, { components }: OpenApi): Found[] {
  return allFieldsIn(components.schemas[name] ?? {}, name).map((field) => ({
    kind: 'field',
    title: field.name,
    anchor: field.anchor,
    words: saidOf(name, field.description),
  }));
}

function saidOf(where: string, description: string): string {
  return description === '' ? where : `${where}: ${shortened(description)}`;
}

/** As much as a line of what was found shows. */
export function shortened(text: string, max = 90): string {
  const words = text.replaceAll('`', '');
  return words.length > max ? `${words.slice(0, max - 1)}…` : words;
}

/** Schemas that more than one operation of the page answers with. */
function sharedSchemas(operations: readonly ListedOperation[], document: OpenApi): Set<string> {
  const names = operations.map((one) => answerSchema(one, document).name).filter(Boolean);
  return new Set(names.filter((name, at) => names.indexOf(name) !== at));
}

/** Those, and whatever is referred to within answers. */
function objectsOf(
  operations: readonly ListedOperation[],
  { document, shared }: { document: OpenApi; shared: ReadonlySet<string> },
): string[] {
  const found = new Set<string>();
  const add = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    for (const inner of referencesIn(document.components.schemas[name] ?? {})) add(inner);
  };
  for (const one of operations) {
    const { name, schema } = answerSchema(one, document);
    if (shared.has(name)) add(name);
    for (const inner of referencesIn(schema)) add(inner);
  }
  return [...found];
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const reference = (value as Json)['$ref'];
  if (typeof reference === 'string') return [reference.split('/').at(-1) ?? ''];
  return Object.values(value).flatMap(referencesIn);
}
