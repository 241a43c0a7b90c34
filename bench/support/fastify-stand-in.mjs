// The peer's routes on Bun where Fastify is not installed: what it does around them, as far as an answer shows it.
import { Database } from 'bun:sqlite';
import { channelRoutes } from './fastify-routes.mjs';

const { PORT, DB_FILE, RTMP_URL } = process.env;

const routes = channelRoutes(new Database(DB_FILE), { rtmpUrl: RTMP_URL });
const byUrl = Map.groupBy(routes, ({ url }) => url);

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(PORT),
  routes: {
    '/livez': () => new Response('ok\n'),
    ...Object.fromEntries([...byUrl].map(([url, some]) => [url, methodsOf(some)])),
  },
});

function methodsOf(some) {
  return Object.fromEntries(
    some.map((route) => [route.method, (request) => answer(route, request)]),
  );
}

async function answer({ onRequest, schema, handler }, request) {
  const asked = {
    headers: request.headers.toJSON(),
    params: coerced(request.params, schema.params),
    query: coerced(Object.fromEntries(new URL(request.url).searchParams), schema.querystring),
    body: schema.body && (await request.json()),
  };
  await onRequest(asked, refusing);
  const view = await handler(asked, refusing);
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return new Response(JSON.stringify(bySchema(view, schema.response[200])), { headers });
}

/** The bench asks for nothing that is refused. */
const refusing = {
  code: (status) => {
    throw new Error(`a request was refused with ${status}`);
  },
};

/** Texts of an address become what the schema says; what is absent gets its default. */
function coerced(given, schema) {
  const entries = Object.entries(schema?.properties ?? {}).map(([name, one]) => {
    const value = given[name] ?? one.default;
    return [name, one.type === 'integer' && value !== undefined ? Number(value) : value];
  });
  return Object.fromEntries(entries);
}

/** As Fastify writes: what the schema names, in the order of the schema. */
function bySchema(value, schema) {
  if (schema.type === 'array') return value.map((one) => bySchema(one, schema.items));
  if (schema.type !== 'object') return value;
  const named = Object.entries(schema.properties).filter(([name]) => value[name] !== undefined);
  return Object.fromEntries(named.map(([name, one]) => [name, bySchema(value[name], one)]));
}
