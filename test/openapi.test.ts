// `/openapi.json` against the interface, written out by hand.
import { afterAll, describe, expect, test } from 'bun:test';
import Ajv2020 from 'ajv/dist/2020.js';
import { openApi } from '../src/base/api/openapi.ts';
import { engines } from './support/engines.ts';
import { type Json, startTestService } from './support/service.ts';

// Interface 2.1 to 2.6, by hand: field and type; `?` for one that may be absent.
const briefPage = {
  start_time: 'string',
  logo: 'string',
  pc_logo: 'string',
  mobile_logo: 'string',
  banner: 'string',
  cover_image: 'string',
  live_img: 'string',
  footer: 'string',
};
const wholePage = {
  ...briefPage,
  bg_color: 'string',
  show_qrcode: 'boolean',
  theme: 'string',
  public: 'boolean',
};
const channel = {
  id: 'integer',
  name: 'string',
  create_at: 'string',
  live_status: 'integer',
  watch_url: { pc: 'string', mobile: 'string' },
  embed_url: 'string',
  page: briefPage,
  rtmp_publish_addr: 'string',
  'hls_play_addr?': 'string',
  'rtmp_play_addr?': 'string',
};
const video = {
  id: 'integer',
  act_id: 'integer',
  name: 'string',
  video_url: 'string',
  video_size: 'integer',
  m3u8: 'string',
  m3u8_480: 'string',
  m3u8_720: 'string',
  m3u8_1080: 'string',
  duration: 'integer',
  width: 'integer',
  height: 'integer',
  cover_url: 'string',
  watch_url: 'string',
  embed_url: 'string',
  manager: 'integer',
  upload_time: 'string',
  start_time: 'string',
  end_time: 'string',
};
const watchRecord = {
  record_id: 'integer',
  user_id: 'string',
  nick: 'string',
  addr: 'string',
  online_time: 'string',
  watch_time: 'string',
  phone: 'string',
  first_login_time: 'string',
  last_online_time: 'string',
  device: 'string',
  browser: 'string',
  origin: 'string',
};
const visitor = {
  id: 'integer',
  uin: 'integer',
  name: 'string',
  addr: 'string',
  visitor_id: 'string',
  nick: 'string',
  watch_time: 'string',
  phone: 'string',
  referer: 'string',
  refer: 'string',
  visit_times: 'integer',
  first_login_time: 'string',
  last_online_time: 'string',
  device: 'string',
  browser: 'string',
  last_ip: 'string',
  share_times: 'integer',
  comment_count: 'integer',
};
const meta = { total: 'integer', page: 'integer', current: 'integer' };
const links = { next_url: 'string or null', end_url: 'string' };

const always = [401001, 403001, 403010, 500002, 503001];
const ofBody = [400001, 413001, 415001, ...always];

/** Interface 4, by hand. Paths are shown with the names of their parameters left out. */
const operations: Expected[] = [
  {
    ask: 'GET /v1/activities',
    query: { live: 'integer', manager: 'integer', p: 'integer' },
    answer: {
      activities: [
        {
          ...channel,
          manager: 'integer',
          manager_username: 'string',
          last_push_stream_at: 'string',
        },
      ],
      meta,
      links,
    },
    codes: [400001, ...always],
  },
  {
    ask: 'POST /v1/activities',
    header: { 'Idempotency-Key': 'string' },
    body: { name: 'string', 'start_time?': 'string', 'act_manager_id?': 'integer' },
    answer: channel,
    codes: [400002, 403002, 404001, 404002, ...ofBody],
  },
  {
    ask: 'GET /v1/activities/{}',
    path: { channel_id: 'integer' },
    answer: channel,
    codes: [404002, ...always],
  },
  {
    ask: 'PUT /v1/activities/{}',
    path: { channel_id: 'integer' },
    body: { name: 'string' },
    answer: channel,
    codes: [400002, 404002, ...ofBody],
  },
  {
    ask: 'PUT /v1/activities/{}/page',
    path: { channel_id: 'integer' },
    body: {
      'start_time?': 'string',
      'pc_logo?': 'string',
      'mobile_logo?': 'string',
      'banner?': 'string',
      'cover_image?': 'string',
      'live_img?': 'string',
      'footer?': 'string',
      'bg_color?': 'string',
      'show_qrcode?': 'boolean',
      'theme?': 'string',
      'public?': 'boolean',
    },
    answer: { ...channel, page: wholePage },
    codes: [404002, ...ofBody],
  },
  {
    ask: 'POST /v1/activities/{}/userRecords',
    path: { channel_id: 'integer' },
    body: {
      'start_time?': 'string',
      'end_time?': 'string',
      'perPage?': 'integer',
      'p?': 'integer',
      'filter_watch_time?': 'integer',
    },
    answer: [watchRecord],
    codes: [404002, 429001, ...ofBody],
  },
  {
    ask: 'POST /v1/activities/{}/visitors',
    path: { channel_id: 'integer' },
    body: {
      'filter?': 'string',
      'perPage?': 'integer',
      'p?': 'integer',
      'direction?': 'string',
    },
    answer: [visitor],
    codes: [404002, ...ofBody],
  },
  {
    ask: 'GET /v1/videos',
    query: {
      title: 'string',
      act_id: 'integer',
      manager: 'integer',
      perPage: 'integer',
      p: 'integer',
    },
    answer: { videos: [video], meta: { ...meta, auto_save_live_video: 'boolean' }, links },
    codes: [400001, ...always],
  },
  {
    ask: 'GET /v1/videos/{}',
    path: { video_id: 'integer' },
    answer: video,
    codes: [404003, ...always],
  },
];

/** What the interface says of single fields: bounds, defaults and sets. */
const bounds: { ask: string; field: string; holds: object }[] = [
  { ask: 'POST /v1/activities', field: 'name', holds: { minLength: 1, maxLength: 255 } },
  { ask: 'PUT /v1/activities/{}/page', field: 'footer', holds: { maxLength: 2_000 } },
  { ask: 'PUT /v1/activities/{}/page', field: 'banner', holds: { maxLength: 2_048 } },
  {
    ask: 'PUT /v1/activities/{}/page',
    field: 'theme',
    holds: { enum: ['default', 'tech'], default: 'default' },
  },
  { ask: 'PUT /v1/activities/{}/page', field: 'show_qrcode', holds: { default: true } },
  {
    ask: 'POST /v1/activities/{}/userRecords',
    field: 'perPage',
    holds: { minimum: 1, maximum: 100, default: 20 },
  },
  { ask: 'POST /v1/activities/{}/userRecords', field: 'p', holds: { minimum: 1, default: 1 } },
  { ask: 'POST /v1/activities/{}/userRecords', field: 'filter_watch_time', holds: { default: 1 } },
  {
    ask: 'POST /v1/activities/{}/visitors',
    field: 'perPage',
    holds: { minimum: 1, maximum: 100, default: 20 },
  },
  {
    ask: 'POST /v1/activities/{}/visitors',
    field: 'direction',
    holds: { enum: ['desc', 'asc'], default: 'desc' },
  },
  { ask: 'POST /v1/activities/{}/visitors', field: 'filter', holds: { default: '0' } },
  { ask: 'GET /v1/videos', field: 'perPage', holds: { minimum: 1, maximum: 1_000, default: 10 } },
  { ask: 'GET /v1/videos', field: 'p', holds: { minimum: 1, default: 1 } },
];

const [sqlite] = engines;
if (!sqlite) throw new Error('there is no engine');
const service = await startTestService(sqlite);
afterAll(() => service.stop());
const document = (await service.call('GET', '/openapi.json', { token: null })).body;
const documented = Object.entries<Record<string, Json>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ask: `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`,
    path,
    operation,
  })),
);
const ajv = new Ajv2020({ allErrors: true, strict: false });
ajv.addSchema({ $id: 'document', components: document.components });

describe('the document', () => {
  test('it is OpenAPI 3.1 and names itself, its server and its token', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: 'Footlight', version: expect.any(String) });
    expect(document.servers).toEqual([{ url: service.url }]);
    expect(document.security).toEqual([{ token: [] }, { console: [] }]);
    expect(document.components.securitySchemes.token).toMatchObject({
      type: 'http',
      scheme: 'bearer',
    });
    expect(document.components.securitySchemes.console).toMatchObject({
      type: 'apiKey',
      in: 'cookie',
      name: 'footlight_console',
    });
  });

  test('it says of each operation who may ask', () => {
    const securityOf = (ask: string) =>
      documented.find((one) => one.ask === ask)?.operation.security;
    expect(securityOf('POST /manage/v1/sign-in')).toEqual([]);
    expect(securityOf('GET /manage/v1/me/sessions')).toEqual([{ console: [] }]);
    expect(securityOf('GET /manage/v1/me')).toBeUndefined();
    expect(securityOf('GET /v1/videos')).toBeUndefined();
  });

  test('it holds the nine operations of the interface, and of others under /v1 those that its clients call', () => {
    const asked = documented.map(({ ask }) => ask).filter((ask) => ask.includes(' /v1/'));
    const neighbours = ['GET /v1/activities/{}/report', 'DELETE /v1/activities/{}'];
    expect(asked.sort()).toEqual([...operations.map(({ ask }) => ask), ...neighbours].sort());
  });

  test('operation ids and tags are unique and known', () => {
    const ids = documented.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = document.tags.map(({ name }: { name: string }) => name);
    for (const { operation } of documented)
      expect(operation.tags.filter((tag: string) => !tags.includes(tag))).toEqual([]);
  });

  test('the names in a path are its path parameters, all required', () => {
    for (const { path, operation } of documented) {
      const inPath = operation.parameters.filter((one: Json) => one.in === 'path');
      expect(inPath.map((one: Json) => `{${one.name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(inPath.every((one: Json) => one.required)).toBeTrue();
    }
  });

  test('a file of lines has columns in its example, as that file has', () => {
    const csvOf = (ask: string) =>
      documented.find((one) => one.ask === ask)?.operation.responses['200'].content['text/csv'];
    expect(csvOf('GET /manage/v1/channels/{}/registrations.csv').example).toMatch(
      /^id,viewer_id,registered_at,ended_at,visit_times,answers\.name,.*\r\n[^,]+,v-/,
    );
    expect(csvOf('GET /manage/v1/audit.csv').example).toStartWith('812,');
  });

  test('a list with pages of one size says which', () => {
    const names = (operation: Json) => operation.parameters.map((one: Json) => one.name);
    const fixed = documented.filter(
      ({ operation }) => names(operation).includes('p') && !names(operation).includes('perPage'),
    );
    expect(fixed.map(({ ask }) => ask)).toContain('GET /v1/activities');
    for (const { ask, operation } of fixed)
      expect({ ask, is: /A page has \d+ of them/.test(operation.description) }).toEqual({
        ask,
        is: true,
      });
  });

  test('no number is said to begin where those of JSON do', () => {
    const minimums = found(document, 'minimum');
    expect(minimums.length).toBeGreaterThan(0);
    expect(minimums).not.toContain(Number.MIN_SAFE_INTEGER);
  });

  test('who watched a show is described in every field', () => {
    const { properties } = document.components.schemas.ShowPerson;
    const bare = Object.keys(properties).filter((name) => !properties[name].description);
    expect(bare).toEqual([]);
  });

  test('every reference leads somewhere', () => {
    const references = found(document, '$ref') as string[];
    expect(references.length).toBeGreaterThan(0);
    for (const reference of references) {
      const keys = reference.replace(/^#\//, '').split('/');
      expect(keys.reduce((value, key) => value?.[key], document)).toBeObject();
    }
  });

  test('every schema is JSON Schema 2020-12', () => {
    for (const schema of [
      ...found(document, 'schema'),
      ...Object.values(document.components.schemas),
    ])
      expect(ajv.validateSchema(schema as object)).toBeTrue();
  });

  test('an operation is described by itself as it is among the others', () => {
    for (const entry of service.routes) {
      const alone: Json = openApi([entry], { version: '', url: '' });
      expect(alone.paths[entry.path]).toEqual({
        [entry.method.toLowerCase()]: document.paths[entry.path][entry.method.toLowerCase()],
      });
      for (const [title, schema] of Object.entries(alone.components.schemas))
        expect(document.components.schemas[title]).toEqual(schema);
    }
  });

  test('logo of the page is deprecated and nothing else is', () => {
    const pages = found(document, 'page').filter((one) => (one as Json)?.properties?.logo);
    expect(pages.length).toBe(4);
    for (const { properties } of pages as Json[]) expect(properties.logo.deprecated).toBeTrue();
    expect(found(document, 'deprecated')).toEqual([true, true, true, true]);
  });

  test('PUBLIC_URL is its server', async () => {
    const settings = { PUBLIC_URL: 'https://live.example.com' };
    const elsewhere = await startTestService(sqlite, { settings });
    const { body } = await elsewhere.call('GET', '/openapi.json', { token: null });
    await elsewhere.stop();
    expect(body.servers).toEqual([{ url: 'https://live.example.com' }]);
  });
});

for (const { ask, body, answer, codes, ...places } of operations) {
  const { operation } = documented.find((one) => one.ask === ask) ?? {
    operation: { responses: {} },
  };
  const success = operation.responses['200']?.content['application/json'];

  describe(ask, () => {
    test('it takes the parameters of the interface and no other', () => {
      for (const place of ['path', 'query', 'header'] as const) {
        const given = operation.parameters.filter((one: Json) => one.in === place);
        const types = given.map((one: Json) => [one.name, typeOf(one.schema)]);
        expect(Object.fromEntries(types)).toEqual(places[place] ?? {});
      }
    });

    test('it takes the body fields of the interface and no other', () => {
      const schema = operation.requestBody?.content['application/json'].schema;
      expect(schema && shapeOf(schema)).toEqual(body);
      const isMandatory = Object.keys(body ?? {}).some((name) => !name.endsWith('?'));
      expect(operation.requestBody?.required ?? false).toBe(isMandatory);
    });

    test('it answers 200 with the fields of the interface and no other', () => {
      expect(shapeOf(success.schema)).toEqual(answer);
    });

    test('it names every error it may answer', () => {
      const errors = Object.entries<Json>(operation.responses).filter(
        ([status]) => status >= '400',
      );
      const named = errors.flatMap(([status, { description, content }]) => {
        const { schema, examples } = content['application/json'];
        expect(schema).toEqual({ $ref: '#/components/schemas/Error' });
        const ofStatus = Object.values<Json>(examples).map(({ value }) => value.errors.code);
        for (const code of ofStatus) {
          expect(String(code)).toStartWith(status);
          expect(description).toContain(String(code));
        }
        return ofStatus;
      });
      expect(named.sort()).toEqual([...codes].sort());
    });

    test('its examples are as its schemas say', () => {
      const conforms = (schema: Json, value: unknown) => {
        const validate = ajv.compile(referring(schema));
        validate(value);
        expect(validate.errors ?? []).toEqual([]);
      };
      expect(success.example).toBeDefined();
      conforms(success.schema, success.example);
      const sent = operation.requestBody?.content['application/json'];
      if (sent) conforms(sent.schema, sent.example);
      for (const { content } of Object.values<Json>(operation.responses))
        for (const { value } of Object.values<Json>(content?.['application/json'].examples ?? {}))
          conforms({ $ref: '#/components/schemas/Error' }, value);
      const fields = [
        ...operation.parameters.map((one: Json) => one.schema),
        ...Object.values<Json>(sent?.schema.properties ?? {}),
      ];
      for (const schema of fields)
        for (const value of [
          ...(schema.examples ?? []),
          ...('default' in schema ? [schema.default] : []),
        ])
          conforms(schema, value);
    });
  });
}

describe('bounds of fields', () => {
  for (const { ask, field, holds } of bounds)
    test(`${ask}: ${field} holds ${JSON.stringify(holds)}`, () => {
      const { operation } = documented.find((one) => one.ask === ask) ?? { operation: {} };
      const parameter = operation.parameters.find((one: Json) => one.name === field)?.schema;
      const properties = operation.requestBody?.content['application/json'].schema.properties;
      expect(parameter ?? properties[field]).toMatchObject(holds);
    });
});

interface Expected {
  ask: string;
  path?: Record<string, string>;
  query?: Record<string, string>;
  header?: Record<string, string>;
  body?: object;
  answer: object;
  codes: number[];
}

/** A schema as plain names and types, like the tables above. */
function shapeOf(schema: Json): unknown {
  const target = schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;
  if (target.type === 'array') return [shapeOf(target.items)];
  if (target.type !== 'object') return typeOf(target);
  const required: string[] = target.required ?? [];
  return Object.fromEntries(
    Object.entries<Json>(target.properties).map(([name, field]) => [
      required.includes(name) ? name : `${name}?`,
      shapeOf(field),
    ]),
  );
}

function typeOf(schema: Json): string {
  if (schema.type) return [schema.type].flat().join(' or ');
  const types = schema.anyOf.map((one: Json) => one.type ?? typeof one.const);
  return [...new Set<string>(types)].join(' or ');
}

/** Every value that stands under a key, however deep. */
function found(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(name === key ? [inner] : []),
    ...found(inner, key),
  ]);
}

function referring(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'));
}
