// The OpenAPI 3.1 document of a route table.
import * as z from 'zod';
import { holds, type Need, type Scope, scopes } from './caller.ts';
import { csvLine } from './csv.ts';
import { catalogue, type ErrorName } from './errors.ts';
import { groupOf, operationGroups } from './operation-groups.ts';
import { type AnyRoute, nothing, successOf } from './route.ts';
import type { Field, FieldSchema, Shape } from './shape.ts';
import { ignoredHeader } from './spellings.ts';

export interface OpenApi {
  openapi: string;
  info: Record<string, unknown>;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, Operation>>;
  /** By type of event: what is sent to those who asked to be told. */
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Json>; securitySchemes: Record<string, Json> };
}

/** An event that a webhook may be sent. */
export interface DescribedEvent {
  type: string;
  sentence: string;
  body: z.ZodType;
  example: Json;
  /** Whether webhooks say that they want it. */
  isAskedFor: boolean;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  /** Where it is not the document's own. */
  security?: Record<string, string[]>[];
  parameters: { name: string; in: string; required: boolean; description: string; schema: Json }[];
  requestBody?: { required: boolean; content: Record<string, { schema?: Json; example?: Json }> };
  responses: Record<
    string,
    { description: string; headers?: Json; content?: Record<string, Json> }
  >;
}

export type Json = Record<string, unknown>;

function needText(need: Need): string {
  if (need === 'anyone') return 'Anyone may ask.';
  if (need === 'caller') return 'Any token may ask, and whoever has signed in.';
  if (need === 'person') return 'For people who have signed in; a token is none.';
  return `Needs the scope ${scopesFor(need)}.`;
}

const byToken = { token: [] };
const byCookie = { console: [] };

export function openApi(
  routes: readonly AnyRoute[],
  {
    version,
    url,
    events = [],
  }: { version: string; url: string; events?: readonly DescribedEvent[] },
): OpenApi {
  const schemas: Record<string, Json> = { Error: errorSchema };
  const paths: OpenApi['paths'] = {};
  for (const entry of routes) {
    const methods = paths[entry.path] ?? {};
    paths[entry.path] = methods;
    methods[entry.method.toLowerCase()] = operation(entry, schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Footlight',
      version,
      description:
        'Live streaming channels, recorded videos and audience records. Every success is 200, but for uploads, which are answered as tus says. Times are `YYYY-MM-DD HH:MM:SS` in the time zone of the service. Names in a query or a body that an operation does not know are ignored, and `X-Ignored-Parameters` of the answer says which; where a field is also taken under another spelling, its own name wins. A path may end with a slash. With a token a body may be form-encoded (`application/x-www-form-urlencoded`) instead of JSON.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    tags: operationGroups.map(({ name, description }) => ({ name, description })),
    security: [byToken, byCookie],
    paths,
    webhooks: Object.fromEntries(
      events.map((event) => [event.type, { post: eventOperation(event, schemas) }]),
    ),
    components: {
      schemas,
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token made with `npx footlight token create`',
        },
        console: {
          type: 'apiKey',
          in: 'cookie',
          name: 'footlight_console',
          description:
            'The session of a person who has signed in; over HTTPS its name begins with `__Host-`. A request by it that changes something is JSON (or, where a picture is uploaded, of a picture’s type; of an upload it carries `Tus-Resumable`) and carries the `Origin` of this service.',
        },
      },
    },
  };
}

/** The error answers an operation may give, by catalogue name. */
export function errorsOf(entry: AnyRoute): ErrorName[] {
  const reads: ErrorName[] = entry.body ? ['invalid', 'tooLarge', 'notJson'] : [];
  const takes: ErrorName[] = entry.takes ? ['invalid', 'tooLarge', entry.takes.otherwise] : [];
  const receives: ErrorName[] = entry.receives ? ['invalid', 'tooLarge', 'notPiece'] : [];
  const speaks: ErrorName[] = entry.speaks ? ['wrongProtocol'] : [];
  const queried: ErrorName[] = Object.keys(entry.query).length > 0 ? ['invalid'] : [];
  const missing: ErrorName[] = entry.required ? ['missing'] : [];
  const names: ErrorName[] = [
    ...reads,
    ...takes,
    ...receives,
    ...speaks,
    ...queried,
    ...missing,
    ...callerErrors(entry.scope),
    ...(entry.absent ? [entry.absent] : []),
    ...(entry.errors ?? []),
    'internal',
    'unavailable',
  ];
  return [...new Set(names)];
}

function callerErrors(need: Need): ErrorName[] {
  if (need === 'anyone') return ['foreignPage'];
  if (need === 'caller') return ['unauthorized', 'foreignPage'];
  return ['unauthorized', need === 'person' ? 'noPermission' : 'noAccess', 'foreignPage'];
}

function operation(entry: AnyRoute, schemas: Record<string, Json>): Operation {
  const part = entry.path.startsWith('/v1/')
    ? 'Of the `/v1` interface, which only grows'
    : 'Footlight’s own, beside the `/v1` interface';
  const note = entry.note === undefined ? '' : `${entry.note} `;
  const made: Operation = {
    operationId: entry.operationId,
    summary: entry.summary,
    description: `${note}${needText(entry.scope)} ${part}.`,
    tags: [groupOf(entry.path).name],
    ...(entry.scope === 'anyone' && { security: [] }),
    ...(entry.scope === 'person' && { security: [byCookie] }),
    parameters: parameters(entry),
    responses: responses(entry, schemas),
  };
  if (entry.body) {
    const schema = bodySchema(entry.body, entry);
    made.requestBody = {
      required: entry.required !== undefined,
      content: { 'application/json': { schema, example: bodyExample(entry.body) } },
    };
  }
  // OpenAPI 3.1: bytes have no schema.
  if (entry.takes)
    made.requestBody = {
      required: true,
      content: Object.fromEntries(entry.takes.types.map((type) => [type, {}])),
    };
  if (entry.receives) made.requestBody = { required: true, content: { [entry.receives.type]: {} } };
  return made;
}

/** Standard Webhooks 1.0: what a request carries besides its body. */
const eventHeaders = {
  'webhook-id': 'id of the event, the same however often it is sent: who has seen it has seen it',
  'webhook-timestamp': 'seconds since 1970, of this try',
  'webhook-signature':
    '`v1,` and the HMAC-SHA256 of id, timestamp and body, with dots between, in base64; several with spaces between while a secret is being replaced',
};

function eventOperation(event: DescribedEvent, schemas: Record<string, Json>): Operation {
  const { type, sentence, body, example, isAskedFor } = event;
  const schema = hoisted(z.toJSONSchema(body, { override: openEnded }) as Json, schemas) as Json;
  return {
    operationId: type,
    summary: type,
    description: `${sentence} Sent to webhooks${isAskedFor ? ' that ask for it' : ''}, by Standard Webhooks 1.0.`,
    tags: ['events'],
    security: [],
    parameters: Object.entries(eventHeaders).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: {
      '2XX': { description: 'It has come' },
      ...(isAskedFor && {
        '410': { description: 'Nobody is there any more: the webhook is disabled' },
      }),
      '4XX': {
        description: isAskedFor
          ? 'It is sent again later, for three days'
          : 'It is shown to whoever asked for it, and not sent again',
      },
    },
  };
}

/** Each that will do. */
function scopesFor(needed: Scope): string {
  const enough = scopes.filter((one) => holds([one], needed));
  return enough.map((one) => `\`${one}\``).join(' or ');
}

function parameters(entry: AnyRoute): Operation['parameters'] {
  const of = (shape: Shape, place: 'path' | 'query') =>
    Object.entries(shape).map(([name, field]) => {
      const { description, ...schema } = fieldSchema(field);
      return { name, in: place, required: place === 'path', description, schema };
    });
  const headers = Object.entries(entry.requestHeaders ?? {}).map(([name, said]) => {
    const { description, example } =
      typeof said === 'string' ? { description: said, example: undefined } : said;
    return {
      name,
      in: 'header',
      required: example !== undefined,
      description,
      schema: { type: 'string', ...(example !== undefined && { examples: [example] }) },
    };
  });
  const { speaks } = entry;
  const protocol = speaks && {
    name: speaks.header,
    in: 'header',
    required: true,
    description: 'version of the protocol',
    schema: { type: 'string', enum: [speaks.version] },
  };
  return [
    ...of(entry.params, 'path'),
    ...of(entry.query, 'query'),
    ...(protocol ? [protocol] : []),
    ...headers,
  ];
}

function responses(entry: AnyRoute, schemas: Record<string, Json>): Operation['responses'] {
  const schema = hoisted(
    z.toJSONSchema(entry.answer, { override: openEnded }) as Json,
    schemas,
  ) as Json;
  const single = entry.single ? { ETag: 'version of the answer' } : {};
  const described = {
    'X-Request-Id': 'id of the request',
    [ignoredHeader]: 'names in the query or the body that were ignored, if any',
    ...single,
    ...entry.answerHeaders,
  };
  const made: Operation['responses'] = {
    [successOf(entry)]: {
      description: 'Success',
      headers: headersOf(described),
      ...(entry.answer !== nothing && { content: contentOf(entry, schema) }),
    },
  };
  if (entry.single) made['304'] = { description: 'Not changed since the ETag in If-None-Match' };
  const byStatus = Map.groupBy(errorsOf(entry), (name) => catalogue[name].status);
  for (const [status, names] of byStatus) {
    made[status] = {
      description: names
        .map((name) => `${catalogue[name].code}: ${catalogue[name].message}`)
        .join('; '),
      headers: headersOf(
        Object.assign({ 'X-Request-Id': 'id of the request' }, ...names.map(errorHeaders)),
      ),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: Object.fromEntries(names.map((name) => [name, { value: errorExample(name) }])),
        },
      },
    };
  }
  return made;
}

function contentOf(entry: AnyRoute, schema: Json): Record<string, Json> {
  const { streamed, example } = entry;
  if (!streamed) return { 'application/json': { schema, example } };
  // OpenAPI 3.1: bytes have no schema.
  if (streamed === 'image/jpeg') return { [streamed]: {} };
  return { [streamed]: streamed === 'text/vtt' ? { schema, example } : linesOf(entry, schema) };
}

/** An answer in pieces is text to OpenAPI; what each line holds stands in `contentSchema`. */
function linesOf({ streamed, example }: AnyRoute, line: Json): Json {
  const row = example as Record<string, string | number>;
  const examples = {
    'text/csv': () =>
      typeof example === 'string'
        ? example
        : csvLine(Object.keys(row)) + csvLine(Object.values(row)),
    'text/event-stream': () => `id: 31.7\nevent: ${row['type']}\ndata: ${JSON.stringify(row)}\n\n`,
    'application/x-ndjson': () => `${JSON.stringify(row)}\n`,
  };
  return {
    schema: {
      type: 'string',
      contentMediaType: streamed,
      contentSchema: { type: 'array', items: line },
    },
    example: examples[streamed as keyof typeof examples](),
  };
}

/** What an error answer carries besides its body. */
function errorHeaders(name: ErrorName): Record<string, string> {
  const later = { 'Retry-After': 'seconds after which it may be tried again' };
  if (name === 'unauthorized') return { 'WWW-Authenticate': 'the scheme: Bearer' };
  if (name === 'rateLimit')
    return { ...later, RateLimit: 'calls left and seconds until the count starts again' };
  return name === 'unavailable' ? later : {};
}

function headersOf(described: Record<string, string>): Json {
  return Object.fromEntries(
    Object.entries(described).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  );
}

/** Says which other spellings are taken. */
function fieldSchema({ schema, aliases }: Field<unknown>): FieldSchema {
  if (!aliases) return schema;
  const others = aliases.map((alias) => `\`${alias}\``).join(', ');
  return { ...schema, description: `${schema.description}; also taken as ${others}` };
}

function bodySchema(
  shape: Shape,
  { required, strict }: Pick<AnyRoute, 'required' | 'strict'>,
): Json {
  const properties = Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, fieldSchema(field)]),
  );
  return {
    ...{ type: 'object', properties },
    ...(required && { required }),
    ...(strict && { additionalProperties: false }),
  };
}

function bodyExample(shape: Shape): Json {
  const values = Object.entries(shape).flatMap(([name, field]) => {
    const { examples, default: fallback } = field.schema;
    const value = examples?.[0] ?? fallback;
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(values);
}

/**
 * `/v1` only grows: a reader of the document must not refuse a field it does not know. How large a number can be that
 * JSON carries exactly says nothing about a count.
 */
function openEnded({ jsonSchema }: { jsonSchema: Json }): void {
  delete jsonSchema['additionalProperties'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
}

/** Moves every schema that has a title of its own to the components and leaves a reference. */
function hoisted(value: unknown, schemas: Record<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((one) => hoisted(one, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const { $schema: _, title, ...rest } = value as Json & { title?: unknown };
  const inner = Object.fromEntries(
    Object.entries(rest).map(([name, one]) => [name, hoisted(one, schemas)]),
  );
  if (typeof title !== 'string') return inner;
  schemas[title] = inner;
  return { $ref: `#/components/schemas/${title}` };
}

const errorSchema: Json = {
  type: 'object',
  required: ['errors'],
  properties: {
    errors: {
      type: 'object',
      required: ['code', 'message', 'fields', 'request_id'],
      properties: {
        code: { type: 'integer', enum: Object.values(catalogue).map(({ code }) => code) },
        message: { type: 'string' },
        fields: {
          type: 'array',
          description: 'the fields at fault, if any',
          items: {
            type: 'object',
            required: ['name', 'message'],
            properties: { name: { type: 'string' }, message: { type: 'string' } },
          },
        },
        request_id: { type: 'string' },
      },
    },
  },
};

function errorExample(name: ErrorName) {
  const { code, message } = catalogue[name];
  const fields =
    name === 'invalid' ? [{ name: 'p', message: 'p must be 1 to 2147483647 (got 0)' }] : [];
  return { errors: { code, message, fields, request_id: '0f6f1b1e-6c1c-4a52-9d53-0d5b5f4a2b11' } };
}
