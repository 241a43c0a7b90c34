// Fields of a JSON Schema as a list: each with its type, its limits, its sentence and an anchor of its own.
import type { Json } from '../../base/api/openapi.ts';
import { type Html, html } from '../pages/html.ts';
import { inlineCode } from './inline-code.ts';

export interface DescribedField {
  name: string;
  anchor: string;
  schema: Json;
  description: string;
  isRequired: boolean;
}

/** Those of an object; none where the schema is of something else. */
export function fieldsIn(schema: Json, prefix: string): DescribedField[] {
  const required = (schema['required'] ?? []) as string[];
  return Object.entries((schema['properties'] ?? {}) as Record<string, Json>).map(
    ([name, field]) => ({
      name,
      anchor: `${prefix}.${name}`,
      schema: field,
      description: String(field['description'] ?? ''),
      isRequired: required.includes(name),
    }),
  );
}

/** All of them, those of objects within objects too, as the search finds them. */
export function allFieldsIn(schema: Json, prefix: string): DescribedField[] {
  return fieldsIn(schema, prefix).flatMap((field) => [
    field,
    ...allFieldsIn(objectIn(field.schema), field.anchor),
  ]);
}

interface ListOptions {
  /** Whether it is said which ones must be given, or which may be absent. */
  of: 'request' | 'answer';
  /** Where a field stands in a request, for whoever builds one. */
  place?: 'path' | 'query' | 'header' | 'body';
}

export function fieldList(fields: readonly DescribedField[], options: ListOptions): Html {
  return html`<ul class="fields">${fields.map((field) => fieldItem(field, options))}</ul>`;
}

function fieldItem(field: DescribedField, options: ListOptions): Html {
  const { name, anchor, schema, description, isRequired } = field;
  const { of, place } = options;
  const inner = fieldsIn(objectIn(schema), anchor);
  const [example = schema['default']] = (schema['examples'] ?? []) as unknown[];
  const told = place
    ? html` data-in="${place}" data-name="${name}" data-type="${kindOf(schema)}"${isRequired ? html` data-required` : ''}${example === undefined ? '' : html` data-example="${JSON.stringify(example)}"`}`
    : '';
  const mark =
    of === 'request' && isRequired
      ? html` <b class="must">required</b>`
      : of === 'answer' && !isRequired
        ? html` <span class="soft">may be absent</span>`
        : '';
  const limits = limitsOf(schema);
  return html`<li id="${anchor}"${told}><a class="field" href="#${anchor}"><code>${name}</code></a> <span class="type">${typeOf(schema)}</span>${mark}${schema['deprecated'] ? html` <b class="old">deprecated</b>` : ''}
${description ? html`<p>${inlineCode(description)}</p>` : ''}${limits.length > 0 ? html`<p class="limits">${limits.join(' · ')}</p>` : ''}${inner.length > 0 ? fieldList(inner, { of }) : ''}</li>`;
}

/** The object that a field is, or a list of which it is; an empty schema where it is neither. */
export function objectIn(schema: Json): Json {
  if (schema['type'] === 'object') return schema;
  if (schema['type'] === 'array') return objectIn((schema['items'] ?? {}) as Json);
  const [found] = alternatives(schema).map(objectIn).filter(isObject);
  return found ?? {};
}

function isObject(schema: Json): boolean {
  return schema['type'] === 'object';
}

function alternatives(schema: Json): Json[] {
  return (schema['anyOf'] ?? schema['oneOf'] ?? []) as Json[];
}

/** What a form offers for it: `integer`, `boolean`, `string`, or `json` for what is none of these. */
function kindOf(schema: Json): string {
  const types = [schema, ...alternatives(schema)].flatMap(({ type }) => type ?? []);
  return ['integer', 'boolean', 'string'].find((kind) => types.includes(kind)) ?? 'json';
}

/** As words; what stands among the objects is a link to it. */
export function typeOf(schema: Json): Html | string {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const name = reference.split('/').at(-1) ?? '';
    return html`<a href="#${name}">${name}</a>`;
  }
  if ('const' in schema) return JSON.stringify(schema['const']);
  const others = alternatives(schema);
  if (others.length > 0) {
    const shown = others.map((one) => (one['const'] === '' ? 'empty' : typeOf(one)));
    return html`${shown.map((one, at) => (at === 0 ? one : html` or ${one}`))}`;
  }
  const { type } = schema;
  if (type === 'array') return html`list of ${typeOf((schema['items'] ?? {}) as Json)}`;
  if (Array.isArray(type)) return type.join(' or ');
  return String(type ?? 'any');
}

/** Sizes, bounds, choices and the default, each in words. */
export function limitsOf(schema: Json): string[] {
  const of = (name: string) => schema[name] as number | undefined;
  const choices = (schema['enum'] ?? (schema['items'] as Json | undefined)?.['enum']) as
    | unknown[]
    | undefined;
  const limits = [
    choices && `one of ${choices.map((one) => JSON.stringify(one)).join(', ')}`,
    between(of('minLength'), of('maxLength'), 'characters'),
    between(known(of('minimum')), known(of('maximum')), ''),
    between(of('minItems'), of('maxItems'), 'items'),
    schema['format'] === 'password' ? 'secret' : undefined,
    'default' in schema ? `default ${defaultText(schema['default'])}` : undefined,
  ];
  return limits.filter((one) => one !== undefined);
}

/** The bounds of every whole number say nothing of this one. */
function known(bound: number | undefined): number | undefined {
  return Math.abs(bound ?? 0) >= Number.MAX_SAFE_INTEGER ? undefined : bound;
}

function between(
  from: number | undefined,
  to: number | undefined,
  what: string,
): string | undefined {
  const shown = (one: number) => one.toLocaleString('en');
  const unit = what && ` ${what}`;
  if (from !== undefined && to !== undefined) return `${shown(from)} to ${shown(to)}${unit}`;
  if (to !== undefined) return `at most ${shown(to)}${unit}`;
  return from === undefined ? undefined : `at least ${shown(from)}${unit}`;
}

function defaultText(value: unknown): string {
  return value === '' ? 'empty' : JSON.stringify(value);
}
