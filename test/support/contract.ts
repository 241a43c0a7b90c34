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
  const validate = entry ? validatorOf(routes, entry, reply.status) : errorValidator(routes);
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

interface Judge {
  ajv: Ajv2020;
  validators: Map<string, ValidateFunction | undefined>;
  document: ReturnType<typeof openApi>;
}

const judges = new WeakMap<readonly AnyRoute[], Judge>();
/** Services whose documents are the same, as those on either engine, have one judge. */
const judgesByDocument = new Map<string, Judge>();

function judgeOf(routes: readonly AnyRoute[]): Judge {
  const known = judges.get(routes);
  if (known) return known;
  const document = openApi(routes, { version: 'test', url: 'http://test' });
  const text = JSON.stringify(document);
  const judge = judgesByDocument.get(text) ?? newJudge(document);
  judgesByDocument.set(text, judge);
  judges.set(routes, judge);
  return judge;
}

function newJudge(published: Judge['document']): Judge {
  const document = closed(published) as Judge['document'];
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    // openapi.test.ts judges the schemas themselves, once; these two took a quarter of a short test's time.
    validateSchema: false,
    formats: { 'date-time': true },
    code: { optimize: false },
  });
  ajv.addSchema({ $id: 'doc', components: document.components });
  return { ajv, validators: new Map(), document };
}

function validatorOf(routes: readonly AnyRoute[], entry: AnyRoute, status: number) {
  const { ajv, validators, document } = judgeOf(routes);
  const key = `${entry.operationId} ${status}`;
  if (validators.has(key)) return validators.get(key);
  const response = document.paths[entry.path]?.[entry.method.toLowerCase()]?.responses[status];
  const schema = response?.content?.['application/json']?.['schema'];
  const validator = schema ? ajv.compile(referring(schema) as Json) : undefined;
  validators.set(key, validator);
  return validator;
}

/** For paths and methods that are no operation. */
function errorValidator(routes: readonly AnyRoute[]): ValidateFunction {
  const { ajv } = judgeOf(routes);
  return ajv.getSchema('doc#/components/schemas/Error') as ValidateFunction;
}

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`);
}

/** The published document lets answers grow; here a field it does not name is a mistake. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closed(one)]));
  const isObjectSchema = inner['type'] === 'object' && typeof inner['properties'] === 'object';
  return isObjectSchema ? { ...inner, additionalProperties: false } : inner;
}

function referring(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/components/', '"doc#/components/'));
}
