// Makes `src/openapi.ts`, the types of the client, of a service's `/openapi.json`: `npm run client-types`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ts } from '@ts-morph/common';
import type { OpenApi, Operation } from '../src/base/api/openapi.ts';

/** Where the types lie. */
export const typesFile = join(import.meta.dir, 'src/openapi.ts');

if (import.meta.main) await Bun.write(typesFile, await clientTypes(await ownDocument()));

/** The file for a document. */
export async function clientTypes(document: OpenApi): Promise<string> {
  const { default: openapiTS, astToString } = await generator();
  const types = astToString(
    // A field with a default may be left out of a request.
    await openapiTS(bare(document) as never, { defaultNonNullable: false }),
  );
  return [
    '// Types of the interface, made of /openapi.json by `npm run client-types`; not edited by hand.',
    types.trimEnd(),
    '/** Creates that take an `Idempotency-Key`, so that they may be sent twice. */',
    constant('createsWithKey', posts(document).filter(takesKey)),
    '/** Reads that are asked for by POST, as their fields come in a body. */',
    constant('readsByPost', posts(document).filter(isRead)),
    '',
  ].join('\n');
}

/** It builds on the TypeScript of version 5, of which version 7 has only the name: it gets the one within ts-morph. */
async function generator() {
  Bun.plugin({
    name: 'typescript-of-ts-morph',
    setup: (build) => {
      const exports = { default: ts, ...ts };
      build.module('typescript', () => ({ loader: 'object', exports }));
    },
  });
  return await import('openapi-typescript');
}

/** What makes types. Errors are a class of the client, and what answers carry besides is read from the response. */
function bare({ paths, webhooks, ...document }: OpenApi): object {
  const bareOperation = ({ requestBody, responses, ...operation }: Operation) => ({
    ...operation,
    ...(requestBody && {
      requestBody: { ...requestBody, content: bareContent(requestBody.content) },
    }),
    responses: Object.fromEntries(
      Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([status, { description, content }]) => [
          status,
          { description, content: bareContent(content) },
        ]),
    ),
  });
  const mapped = <T, U>(all: Record<string, T>, by: (one: T) => U) =>
    Object.fromEntries(Object.entries(all).map(([name, one]) => [name, by(one)]));
  const bareMethods = (methods: Record<string, Operation>) => mapped(methods, bareOperation);
  return {
    ...document,
    paths: mapped(paths, bareMethods),
    webhooks: mapped(webhooks, bareMethods),
  };
}

type Content = Record<string, { schema?: unknown }>;

/** Lines are text to OpenAPI; to the client each is a row. */
function bareContent(content: Content = {}): Content {
  return Object.fromEntries(
    Object.entries(content).map(([type, { schema }]) => {
      const lines = (schema as { contentSchema?: object } | undefined)?.contentSchema;
      return [type, { schema: type === 'application/x-ndjson' ? lines : schema }];
    }),
  );
}

interface Post {
  path: string;
  operation: Operation;
}

function posts({ paths }: OpenApi): Post[] {
  return Object.entries(paths).flatMap(([path, { post }]) =>
    post ? [{ path, operation: post }] : [],
  );
}

function takesKey({ operation }: Post): boolean {
  return operation.parameters.some(({ name }) => name === 'Idempotency-Key');
}

/** Only a list has a next page. */
function isRead({ operation }: Post): boolean {
  return Object.keys(operation.responses['200']?.headers ?? {}).includes('Link');
}

function constant(name: string, of: readonly Post[]): string {
  const lines = of.map(({ path }) => `    "${path}",`);
  return `export const ${name}: readonly string[] = [\n${lines.join('\n')}\n];`;
}

/** Of a service that is started for it, as it is without settings. */
async function ownDocument(): Promise<OpenApi> {
  const { startLog } = await import('../src/base/lib/log.ts');
  const { readConfig } = await import('../src/config.ts');
  const { startService } = await import('../src/main.ts');
  const folder = mkdtempSync(join(tmpdir(), 'client-types-'));
  const settings = { DATA_DIR: folder, HOST: '127.0.0.1', PORT: '0', RTMP_PORT: '0' };
  const service = await startService(readConfig(settings), { log: startLog('error') });
  try {
    const answer = await fetch(`http://127.0.0.1:${service.port}/openapi.json`);
    return (await answer.json()) as OpenApi;
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
