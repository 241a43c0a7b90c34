// The package as it is built, in Node, in Chromium and to the compiler of who uses it; in Deno where that is there.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readWatchLink } from '../src/audience/viewers/watch-link.ts';
import { noChromium, startBrowser } from '../test/support/browser.ts';
import type { tryClient } from '../test/support/client-program.ts';
import { engines, temporaryFolder } from '../test/support/engines.ts';
import { testWith } from '../test/support/needs.ts';
import { read, root } from '../test/support/repository.ts';
import { addVisits } from '../test/support/scenarios.ts';
import { startTestService, type TestService } from '../test/support/service.ts';

/** Where a project has the package among its own: `node_modules/footlight-client`, and what that depends on. */
const project = temporaryFolder();
const installed = join(project, 'node_modules/footlight-client');
const started: { service?: TestService; order?: string } = {};
const viewers = ['v0', 'v1', 'v2', 'v3', 'v4'];

beforeAll(async () => {
  mkdirSync(installed, { recursive: true });
  cpSync(join(root, 'client/package.json'), join(installed, 'package.json'));
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
  const built = await run(tsc, '-p', join(root, 'client'), '--outDir', join(installed, 'dist'));
  expect(built).toEqual({ code: 0, out: '', err: '' });
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  const program = await Bun.file(join(root, 'test/support/client-program.ts')).text();
  const transpiler = new Bun.Transpiler({ loader: 'ts' });
  writeFileSync(join(project, 'program.js'), transpiler.transformSync(program));
  const main = `import * as client from 'footlight-client';
import { tryClient } from './program.js';
const order = JSON.parse(ORDER);
console.log(JSON.stringify(await tryClient(client, order)));`;
  writeFileSync(join(project, 'node.js'), main.replace('ORDER', 'process.argv[2]'));
  writeFileSync(join(project, 'deno.js'), main.replace('ORDER', 'Deno.args[0]'));

  const [sqlite] = engines;
  if (!sqlite) throw new Error('there is no engine');
  const service = await startTestService(sqlite);
  const { id } = (await service.call('POST', '/v1/activities', { body: { name: 'a show' } })).body;
  const visits = viewers.map((viewer_id, n) => ({ viewer_id, at: n, watch_ms: 90_000 }));
  await addVisits(service, id, visits);
  const { url, token } = service;
  Object.assign(started, { service, order: JSON.stringify({ url, token, channel_id: id }) });
});

afterAll(() => started.service?.stop());

const tsc = join(root, 'node_modules/.bin/tsc');

/** In the project; nothing of ours is in its environment. */
async function run(...command: string[]) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: project, NO_COLOR: '1' };
  const child = Bun.spawn(command, { cwd: project, env, stdout: 'pipe', stderr: 'pipe' });
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { code, out, err };
}

type Seen = Awaited<ReturnType<typeof tryClient>>;

async function expectAll({ link, lines, ...seen }: Seen): Promise<void> {
  expect(seen).toEqual({
    name: 'a show',
    told: ['channel.created'],
    visitors: viewers,
    refused: 404002,
    type: 'channel.live',
    forged: 'WebhookError',
  });
  expect(lines.toSorted()).toEqual(viewers);
  const { secret } = (await started.service?.call('GET', '/manage/v1/viewer-secret'))?.body ?? {};
  const { pathname, searchParams } = new URL(link);
  const channel_id = Number(pathname.split('/').at(-1));
  const viewer = { viewer_id: 'u-42', nick: '李伟', phone: '' };
  expect(readWatchLink(secret, searchParams, channel_id, Date.now())).toEqual(viewer);
}

describe('the package', () => {
  const order = () => started.order ?? '';

  const noNode = Bun.which('node') ? undefined : 'it needs node';
  testWith(noNode, 'runs in Node', async () => {
    const { out, err, code } = await run('node', 'node.js', order());
    expect({ err, code }).toEqual({ err: '', code: 0 });
    await expectAll(JSON.parse(out));
  });

  // Deno is no part of the machines that test; where it is, it is tried too.
  if (Bun.which('deno'))
    test('runs in Deno', async () => {
      const allowed = ['--allow-net=127.0.0.1', '--node-modules-dir=manual', '--no-prompt'];
      const { out, err, code } = await run('deno', 'run', ...allowed, 'deno.js', order());
      expect({ err, code }).toEqual({ err: '', code: 0 });
      await expectAll(JSON.parse(out));
    });

  testWith(noChromium, 'runs in Chromium', async () => {
    const entry = join(project, 'browser.js');
    writeFileSync(
      entry,
      `import * as client from 'footlight-client';
import { tryClient } from './program.js';
globalThis.tryClient = (order) => tryClient(client, order);`,
    );
    const { outputs, success } = await Bun.build({
      entrypoints: [entry],
      target: 'browser',
      format: 'iife',
    });
    expect(success).toBe(true);
    const script = (await outputs[0]?.text()) ?? '';
    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      // The interface is for pages of the service's own origin.
      await page.goto(`${started.service?.url}/livez`);
      await page.evaluate(script);
      await expectAll((await page.evaluate(`globalThis.tryClient(${order()})`)) as Seen);
    } finally {
      await browser.close();
    }
  });

  /** Under the strictest rules, whichever way modules are found. */
  async function expectToCompile(file: string): Promise<void> {
    const rules = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
    const libraries = ['--target', 'ES2022', '--lib', 'ESNext,DOM,DOM.Iterable,DOM.AsyncIterable'];
    const kinds = [
      ['--module', 'NodeNext'],
      ['--module', 'ESNext', '--moduleResolution', 'bundler', '--skipLibCheck', 'false'],
    ];
    const compiled = kinds.map((kind) =>
      run(tsc, '--noEmit', ...rules, ...libraries, ...kind, '--types', '', file),
    );
    for (const { out, code } of await Promise.all(compiled))
      expect({ out, code }).toEqual({ out: '', code: 0 });
  }

  test('has types for who uses it', async () => {
    const program = `import { createClient, type paths, verifyWebhook } from 'footlight-client';
const client = createClient({ baseUrl: 'http://localhost:8080', token: 't' });
export const names: Promise<string[]> = Array.fromAsync(client.rows('/v1/videos'), (video) => video.name);
export const one = client.GET('/v1/activities/{channel_id}', { params: { path: { channel_id: 7 } } });
// @ts-expect-error: a channel has no such field.
export const wrong = one.then(({ data }) => data.nmae);
export const known: keyof paths = '/v1/activities';
export const verified = verifyWebhook('', {}, 'whsec_');`;
    writeFileSync(join(project, 'uses.ts'), program);
    await expectToCompile('uses.ts');
  });

  test('does what its README writes', async () => {
    const blocks = [...read('client/README.md').matchAll(/^```ts\n(.*?)^```$/gms)].map(
      ([, text]) => text,
    );
    expect(blocks.length).toBeGreaterThan(5);
    const around = `import { verifyWebhook, watchLink } from 'footlight-client';
declare const process: { env: { [name: string]: string | undefined } };
declare const keptPosition: string;
declare const secret: string;
declare function keep(position: string): Promise<void>;
declare function publish(video_id: number): Promise<void>;`;
    writeFileSync(join(project, 'readme.ts'), [around, ...blocks].join('\n'));
    await expectToCompile('readme.ts');
  });
});
