// Judges every answer of the test run by the service's own OpenAPI document.
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import { type Json, openApi } from '../../src/base/api/openapi.ts';
import { type AnyRoute, nothing, successOf } from '../../src/base/api/route.ts';

/** Throws where an answer of the interface is not as the document says, to the last field. */
export function checkAnswer(
  routes: readonly AnyRoute[],
  asked: { method: string; path: string; reply: { status: number; body: unknown; text: string } },
): void {
  const { method, reply } = asked;
  const path = asked.path.split('?', 1)[0] as string;
  if (!/^\/(manage\/)?v1\//.test(path) || method === 'HEAD') return;
  const entry = routes.find((one) => one.method === method && pattern(one.path).test(path));
  // Lines are text to the document.
  if (entry?.streamed && reply.status === 200) return;
  const validate = entry ? validatorOf(entry, reply.status) : errorValidator();
  if (reply.status === 304 && reply.text === '') return;
  if (entry?.answer === nothing && reply.status === successOf(entry) && reply.text === '') return;
  if (!validate)
    throw new Error(
      `${method} ${path} answered ${reply.status}, which /openapi.json does not name`,
    );
  if (!validate(reply.body)) {
    throw new Error(
      `${method} ${path} answered ${reply.status} against /openapi.json: ${JSON.stringify(validate.errors)} in ${reply.text}`,
    );
  }
}

/** One for all services of this process, and compiled when first asked for: most files look at a few operations. */
const ajv = new Ajv2020({
  allErrors: true,
  strict: false,
  // openapi.test.ts judges the schemas themselves, once; these two took a quarter of a short test's time.
  validateSchema: false,
  formats: { 'date-time': true },
  code: { optimize: false },
});

/** By what they were compiled from: services whose documents are the same, as those on either engine, share them. */
const compiledFrom = new Map<string, ValidateFunction>();

const validators = new WeakMap<AnyRoute, Map<number, ValidateFunction | undefined>>();

function validatorOf(entry: AnyRoute, status: number): ValidateFunction | undefined {
  const known = validators.get(entry) ?? validatorsOf(entry);
  validators.set(entry, known);
  return known.get(status);
}

/**
 * Of the document of this operation alone: that of all is 60 ms of work. openapi.test.ts judges that an operation is
 * described by itself as it is among the others.
 */
function validatorsOf(entry: AnyRoute): Map<number, ValidateFunction | undefined> {
  const { paths, components } = openApi([entry], { version: 'test', url: 'http://test' });
  const responses = paths[entry.path]?.[entry.method.toLowerCase()]?.responses ?? {};
  return new Map(
    Object.entries(responses).map(([status, { content }]) => {
      const schema = content?.['application/json']?.['schema'] as Json | undefined;
      const isError = schema?.['$ref'] === '#/components/schemas/Error';
      const schemas = isError ? { Error: components.schemas['Error'] } : components.schemas;
      return [Number(status), schema && compiled({ ...schema, components: { schemas } })];
    }),
  );
}

/** For paths and methods that are no operation. */
function errorValidator(): ValidateFunction {
  const { schemas } = openApi([], { version: 'test', url: 'http://test' }).components;
  return compiled({ $ref: '#/components/schemas/Error', components: { schemas } });
}

function compiled(schema: Json): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = compiledFrom.get(text) ?? ajv.compile(closed(schema) as Json);
  compiledFrom.set(text, known);
  return known;
}

const patterns = new Map<string, RegExp>();

function pattern(path: string): RegExp {
  const known = patterns.get(path);
  if (known) return known;
  const made = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`);
  patterns.set(path, made);
  return made;
}

/** The published document lets answers grow; here a field it does not name is a mistake. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closed(one)]));
  const isObjectSchema = inner['type'] === 'object' && typeof inner['properties'] === 'object';
  return isObjectSchema ? { ...inner, additionalProperties: false } : inner;
}
