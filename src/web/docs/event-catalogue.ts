// The catalogue of events on the page of events: each type with its data, and what a webhook is sent.
import type { Json, OpenApi } from '../../base/api/openapi.ts';
import { type Html, html } from '../pages/html.ts';
import { codeBox } from './code-box.ts';
import type { Found } from './docs-page.ts';
import { inlineCode } from './inline-code.ts';
import { allFieldsIn, fieldList, fieldsIn } from './schema-fields.ts';

export interface EventCatalogue {
  /** Of what is told to those who follow: told here, not among the objects. */
  schemas: ReadonlySet<string>;
  sections: readonly { id: string; title: string }[];
  body: Html;
  found: readonly Found[];
}

export function eventCatalogue(document: OpenApi): EventCatalogue {
  const { webhooks } = document;
  const names = schemaNames(document);
  const titleOf = (type: string) => names.get(type) ?? type;
  const types = Object.entries(webhooks).map(([type, { post }]) => {
    const sent = post.requestBody?.content['application/json'];
    const properties = (sent?.schema?.['properties'] ?? {}) as Record<string, Json>;
    const sentence = post.description.replace(/ Sent to webhooks.*$/, '');
    return { type, sentence, data: properties['data'] ?? {}, example: sent?.example };
  });
  const headers = Object.values(webhooks)[0]?.post.parameters ?? [];
  return {
    schemas: new Set(['Event', ...Object.keys(webhooks).map(titleOf)]),
    sections: [{ id: 'Event', title: 'Types of events' }],
    body: html`<h2 id="Event"><a href="#Event">Types of events</a></h2>
<p>An event has a <code>type</code>, a <code>timestamp</code> and <code>data</code>. Those who follow events get its <code>id</code> as a field too; a webhook gets it in a header. Webhooks are sent as <a href="/docs/guides/webhooks-and-events">the guide</a> tells, by Standard Webhooks 1.0, with these headers:</p>
<ul class="fields">${headers.map(({ name, description }) => html`<li id="header.${name}"><code>${name}</code><p>${inlineCode(description)}</p></li>`)}</ul>
${types.map(
  ({ type, sentence, data, example }) =>
    html`<section class="operation" id="${titleOf(type)}" aria-labelledby="${titleOf(type)}-title"><div class="words"><h3 id="${titleOf(type)}-title"><a href="#${titleOf(type)}"><code>${type}</code></a></h3>
<p>${inlineCode(sentence)}</p>${fieldList(fieldsIn(data, `${titleOf(type)}.data`), { of: 'answer' })}</div>
<div class="examples">${codeBox(JSON.stringify(example, null, 2), { label: `Example of ${type}` })}</div></section>`,
)}`,
    found: types.flatMap(({ type, sentence, data }): Found[] => [
      { kind: 'event', title: type, anchor: titleOf(type), words: sentence },
      ...allFieldsIn(data, `${titleOf(type)}.data`).map(
        ({ name, anchor, description }): Found => ({
          kind: 'field',
          title: name,
          anchor,
          words: `${type}: ${description.replaceAll('`', '')}`,
        }),
      ),
    ]),
  };
}

/** By type of event the schema of what followers are told. */
function schemaNames({ components }: OpenApi): Map<string, string> {
  const names = Object.entries(components.schemas).flatMap(([name, schema]) => {
    const { type } = (schema['properties'] ?? {}) as Record<string, Json>;
    return type?.['const'] === undefined ? [] : [[String(type['const']), name] as const];
  });
  return new Map(names);
}
