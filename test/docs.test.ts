// `/docs`: everything of the route table is on its pages, every link and anchor leads somewhere, every example is true.

import { heapStats } from 'bun:jsc';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { signWebhook } from '../client/src/index.ts';
import { readWatchLink } from '../src/audience/viewers/watch-link.ts';
import { scopes } from '../src/base/api/caller.ts';
import { catalogue } from '../src/base/api/errors.ts';
import type { OpenApi } from '../src/base/api/openapi.ts';
import { groupOf } from '../src/base/api/operation-groups.ts';
import { loadedGroups } from '../src/cli/line/commands.ts';
import { settings } from '../src/config.ts';
import { eventTypes } from '../src/library/events/event.ts';
import { testType } from '../src/library/events/event-text.ts';
import { endLive, startLive } from '../src/stream/live/live-store.ts';
import {
  type GuideName,
  guideNames,
  guideRtmpUrl,
  guideText,
  guideUrl,
} from '../src/web/docs/guides.ts';
import { codeBlocksOf } from '../src/web/docs/markdown.ts';
import { listedOperations } from '../src/web/docs/operation-pages.ts';
import { answerSchema } from '../src/web/docs/operation-section.ts';
import { otherWords } from '../src/web/docs/other-words.ts';
import { requestExamples } from '../src/web/docs/request-examples.ts';
import { findIn } from '../src/web/pages/client/docs-finding.ts';
import type { SearchIndex } from '../src/web/pages/search-entry.ts';
import { engines, temporaryFolder } from './support/engines.ts';
import { type ReadPage, readPage } from './support/html-page.ts';
import { testWith } from './support/needs.ts';
import { root } from './support/repository.ts';
import { addVideos } from './support/scenarios.ts';
import { startTestService } from './support/service.ts';

const [sqlite] = engines;
if (!sqlite) throw new Error('there is no engine');
const receiver = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('taken') });
const service = await startTestService(sqlite, {
  now: Date.now(),
  settings: { WEBHOOK_PRIVATE_TARGETS: '127.0.0.1' },
});
afterAll(async () => {
  await service.stop();
  await receiver.stop(true);
});

const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}${path}`, { headers });
const document = (await (await ask('/openapi.json')).json()) as OpenApi;
const index = (await (await ask('/docs/search.json')).json()) as SearchIndex;
const pages = new Map<string, ReadPage>();
for (const path of index.pages) pages.set(path, await readPage(await (await ask(path)).text()));
const pageAt = (path: string) => pages.get(path) as ReadPage;
const operations = listedOperations(document, service.routes);

const addressOf = (page: number, anchor: string) =>
  `${index.pages[page] ?? ''}${anchor && `#${anchor}`}`;

/** As a newcomer typed it, and what it was for. */
const typed = [
  ['sso', '/docs/guides/your-own-users'],
  ['single sign on', '/docs/guides/your-own-users'],
  ['login users', '/docs/guides/your-own-users'],
  ['cors', '/docs/guides/calling#from-a-page-in-a-browser-cors'],
  ['delete user gdpr', '/docs/guides/privacy#a-viewer-wants-to-be-forgotten'],
  ['delete user gdpr', '/docs/audience#eraseViewer'],
  ['verify hmac', '/docs/guides/webhooks-and-events#receive-it'],
  ['iframe', '/docs/guides/watch-page#the-player-in-your-own-page'],
  ['stream key', '/docs/channels#rotatePublishKey'],
  ['how do I verify a webhook signature', '/docs/guides/webhooks-and-events#receive-it'],
] as const;

describe('the pages', () => {
  test('each is there once, with one title and anchors of its own', () => {
    expect(pages.size).toBeGreaterThan(30);
    for (const [path, { ids, elements, text }] of pages) {
      expect([path, ids.filter((id, at) => ids.indexOf(id) !== at)]).toEqual([path, []]);
      expect([path, text.split('<h1').length]).toEqual([path, 2]);
      expect([path, elements.has('form'), elements.has('iframe')]).toEqual([path, false, false]);
    }
  });

  test('they load what is of this service alone, and hold nothing that runs', () => {
    for (const [path, { loads, handlers, text }] of pages) {
      const foreign = loads.filter((address) => !/^(?:\/assets\/|data:image\/svg)/.test(address));
      expect([path, foreign, handlers]).toEqual([path, [], []]);
      expect([path, loads.filter((address) => address.startsWith('/assets/')).length]).toEqual([
        path,
        2,
      ]);
      expect(text.match(/<script[^>]*>[^<]/)).toBeNull();
    }
  });

  test('their policy allows scripts, style and requests of this service alone', async () => {
    for (const path of ['/docs', '/docs/guides/obs', '/openapi.json', '/docs/search.json']) {
      const answer = await ask(path);
      const policy = answer.headers.get('content-security-policy') ?? '';
      const [, style = ''] = /<style>(.*?)<\/style>/s.exec(pageAt('/docs').text) ?? [];
      const hash = createHash('sha256').update(style).digest('base64');
      expect(Object.fromEntries(policy.split('; ').map((one) => one.split(/ (.*)/)))).toEqual({
        'default-src': "'none'",
        'script-src': "'self'",
        'style-src': `'self' 'sha256-${hash}'`,
        'img-src': 'data:',
        'connect-src': "'self'",
        'base-uri': "'none'",
        'form-action': "'none'",
        'frame-ancestors': "'none'",
      });
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  test('their links lead to a page and to an anchor on it', () => {
    const lost: string[] = [];
    for (const [path, { links }] of pages)
      for (const link of links) {
        if (link === '/openapi.json') continue;
        const { pathname, hash, origin } = new URL(link, `http://docs${path}`);
        const anchor = decodeURIComponent(hash.slice(1));
        const isThere =
          origin === 'http://docs' &&
          pages.has(pathname) &&
          (anchor === '' || pageAt(pathname).ids.includes(anchor));
        if (!isThere) lost.push(`${path}: ${link}`);
      }
    expect(lost).toEqual([]);
  });

  test('what the search finds is there', () => {
    const lost = index.entries.filter(([, , page, anchor]) => {
      const { ids } = pageAt(index.pages[page] ?? '');
      return anchor !== '' && !ids.includes(anchor);
    });
    expect(lost).toEqual([]);
    expect(index.entries.length).toBeGreaterThan(1_000);
  });

  test.each(typed)('who types "%s" finds it', (words, address) => {
    const { entries } = findIn(index, words);
    expect(entries.slice(0, 5).map((entry) => entry.address)).toContain(address);
  });

  test('other words lead to what is there', () => {
    const known = index.entries.map(([, , page, anchor]) => addressOf(page, anchor));
    expect(Object.keys(otherWords).filter((address) => !known.includes(address))).toEqual([]);
  });

  test('they are light, compressed, and known again by their tag', async () => {
    for (const path of [...index.pages, '/docs/search.json']) {
      const answer = await ask(path, { 'accept-encoding': 'gzip' });
      const tag = answer.headers.get('etag') ?? '';
      expect([path, answer.headers.get('content-encoding')]).toEqual([path, 'gzip']);
      const bytes = Bun.gzipSync(await answer.text()).byteLength;
      expect([path, bytes < (path.endsWith('.json') ? 60_000 : 30_000)]).toEqual([path, true]);
      const again = await ask(path, { 'accept-encoding': 'gzip', 'if-none-match': tag });
      expect([path, again.status, await again.text()]).toEqual([path, 304, '']);
    }
  });

  test('examples have the address that was asked', () => {
    expect(pageAt('/docs/channels').text).toContain(`${service.url}/v1/activities`);
    expect(pageAt('/docs/guides/first-show').text).toContain(`${service.url}/v1/activities`);
    const { hostname } = new URL(service.url);
    expect(pageAt('/docs/channels').text).toMatch(new RegExp(`rtmp://${hostname}:\\d+/live/`));
    expect(pageAt('/docs/channels').text).not.toContain(guideRtmpUrl);
    for (const [path, { text }] of pages) {
      expect([path, text.includes('address.invalid')]).toEqual([path, false]);
      expect([path, text.includes(guideUrl)]).toEqual([path, false]);
    }
  });

  test('whoever makes up addresses gets each of them, and the service keeps few of the answers', async () => {
    const held = () => {
      Bun.gc(true);
      const { heapSize, extraMemorySize } = heapStats();
      return heapSize + extraMemorySize;
    };
    const before = held();
    for (const path of ['/openapi.json', '/docs/channels', '/docs/search.json'])
      for (let host = 0; host < 130; host++) {
        const url = `http://h${host}.example`;
        const encoding = host % 2 === 0 ? 'gzip' : 'identity';
        const headers = { host: `h${host}.example`, 'accept-encoding': encoding };
        const answer = await ask(path, headers);
        expect(answer.headers.get('content-encoding') ?? 'identity').toBe(encoding);
        expect(answer.headers.get('vary')).toBe('Host, Accept-Encoding');
        const text = await answer.text();
        expect([url, text.includes(url) || path.endsWith('search.json')]).toEqual([url, true]);
        expect(text.includes('address.invalid')).toBe(false);
        const tag = answer.headers.get('etag') ?? '';
        const again = await ask(path, { ...headers, 'if-none-match': tag });
        expect([again.status, await again.text()]).toEqual([304, '']);
        if (path !== '/openapi.json') continue;
        const elsewhere = await ask(path, { host: 'other.example', 'if-none-match': tag });
        const { servers } = (await elsewhere.json()) as OpenApi;
        expect(servers).toEqual([expect.objectContaining({ url: 'http://other.example' })]);
      }
    // Of all answers it would be 60 MB and more.
    expect(held() - before).toBeLessThan(30_000_000);
  });

  test('a page that is not there is a page', async () => {
    for (const path of ['/docs/nothing', '/docs/guides/nothing', '/docs/guides/..%2f..%2fREADME']) {
      const answer = await ask(path, { accept: 'text/html' });
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.headers.get('content-type')).toStartWith('text/html');
      expect(await answer.text()).toContain('<a class="button" href="/docs">');
    }
  });

  test('every guide has a sentence on the first page, and none is cut', () => {
    const cards = [
      ...pageAt('/docs').text.matchAll(/<li><a [^>]+><b>(.*?)<\/b><span>(.*?)<\/span>/g),
    ];
    expect(cards.length).toBeGreaterThanOrEqual(guideNames.length);
    const wrong = cards.filter(([, , said = '']) => !said.endsWith('.'));
    expect(wrong.map(([, title, said]) => [title, said])).toEqual([]);
  });

  test('no words are of a document that readers do not have', () => {
    const words = /interface section|section \d\.\d|interface \d\.\d/i;
    expect(JSON.stringify(document)).not.toMatch(words);
    for (const { text } of pages.values()) expect(text).not.toMatch(words);
  });
});

describe('every operation of the table', () => {
  for (const route of service.routes)
    test(`${route.method} ${route.path} is there with its fields`, () => {
      const { operationId, params, query, body = {}, method, path } = route;
      const { text, ids } = pageAt(`/docs/${groupOf(path).name}`);
      const from = text.indexOf(`<section class="operation" id="${operationId}"`);
      const section = text.slice(from, text.indexOf('</section>', from));
      expect(from).toBeGreaterThan(0);
      expect(section).toContain(`data-method="${method}" data-path="${path}"`);
      const fields = Object.entries({ ...params, ...query, ...body });
      const headers = Object.keys(route.requestHeaders ?? {});
      const anchors = [...fields.map(([name]) => name), ...headers].map(
        (name) => `${operationId}.${name}`,
      );
      expect(anchors.filter((anchor) => !ids.includes(anchor))).toEqual([]);
      for (const [name, { schema, aliases = [] }] of fields) {
        const begin = section.indexOf(`<li id="${operationId}.${name}"`);
        const item = section.slice(begin, section.indexOf('</li>', begin));
        const { maxLength, maxItems } = schema as { maxLength?: number; maxItems?: number };
        if (schema.default !== undefined && schema.default !== '')
          expect(item).toContain(
            `default ${Bun.escapeHTML(JSON.stringify(schema.default)).replaceAll('&#x27;', '&#39;')}`,
          );
        if (maxLength) expect(item).toContain(`${maxLength.toLocaleString('en')} characters`);
        if (maxItems) expect(item).toContain(`${maxItems.toLocaleString('en')} items`);
        for (const alias of aliases) expect(item).toContain(`<code>${alias}</code>`);
      }
      for (const language of ['curl', 'typescript', 'python'])
        expect(section).toContain(`<div class="code" data-language="${language}">`);
      expect(section).toContain('/docs/errors#500002');
    });

  test('is answered with fields that are all told', () => {
    const all = new Set([...pages.values()].flatMap(({ ids }) => ids));
    const untold = Object.entries(document.components.schemas).flatMap(([name, schema]) => {
      const answering = operations
        .filter((one) => answerSchema(one, document).name === name)
        .map(({ operation }) => `${operation.operationId}.answer`);
      return Object.keys((schema['properties'] ?? {}) as object)
        .filter((field) => ![name, ...answering].some((prefix) => all.has(`${prefix}.${field}`)))
        .map((field) => `${name}.${field}`);
    });
    const isElsewhere = (field: string) =>
      // What every event has is told once; the page on calling has the one body of errors.
      /^\w+Event\.(?:type|timestamp|data|id)$/.test(field) || field === 'Error.errors';
    expect(untold.filter((field) => !isElsewhere(field))).toEqual([]);
    expect(all.size).toBeGreaterThan(1_000);
  });
});

describe('the catalogues', () => {
  test('have every error, scope, setting and event', () => {
    const { ids, text } = pageAt('/docs/errors');
    const codes = Object.values(catalogue).map(({ code }) => String(code));
    expect(codes.filter((code) => !ids.includes(code))).toEqual([]);
    expect(text.split('What helps:').length - 1).toBe(codes.length);
    expect(scopes.filter((scope) => !pageAt('/docs/scopes').ids.includes(scope))).toEqual([]);
    const variables = settings.map(({ variable }) => variable);
    const known = pageAt('/docs/guides/settings');
    expect(variables.filter((one) => !known.ids.includes(one))).toEqual([]);
    const found = index.entries.filter(([kind]) => kind === 'setting').map(([, title]) => title);
    expect(found).toEqual(variables);
    for (const type of [...eventTypes, testType])
      expect(pageAt('/docs/events').text).toContain(`<code>${type}</code></a></h3>`);
  });

  test('have every spelling that is taken besides a name', () => {
    const aliases = service.routes.flatMap(({ query, body = {} }) =>
      Object.values({ ...query, ...body }).flatMap((field) => field.aliases ?? []),
    );
    expect(aliases.length).toBeGreaterThan(5);
    const { text } = pageAt('/docs/guides/calling');
    for (const alias of aliases)
      expect(text).toContain(`<td role="cell"><code>${alias}</code></td>`);
  });
});

const examples = operations.map((one) => ({
  id: one.operation.operationId,
  ...requestExamples(one, service.url),
}));

const blocks = guideNames.flatMap((name) =>
  codeBlocksOf(guideText(name)).map(({ language, text }, at) => ({ name, at, language, text })),
);
const blocksIn = (language: string) => blocks.filter((block) => block.language === language);

describe('examples in TypeScript', () => {
  const folder = temporaryFolder();
  const compiled = (files: Record<string, string>) => {
    const own = join(folder, String(Object.keys(files).length));
    mkdirSync(own, { recursive: true });
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(own, `${name}.ts`), `${text}\nexport {};\n`);
    const tsconfig = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        typeRoots: [join(root, 'node_modules/@types')],
        paths: { 'footlight-client': [join(root, 'client/src/index.ts')] },
      },
      include: ['*.ts'],
      exclude: [],
    };
    writeFileSync(join(own, 'tsconfig.json'), JSON.stringify(tsconfig));
    const tsc = join(root, 'node_modules/.bin/tsc');
    const { stdout } = Bun.spawnSync([tsc, '--noEmit', '-p', own]);
    return stdout.toString();
  };

  test('of every operation and of the guides compile', () => {
    const ofGuides = blocksIn('ts').map(({ name, at, text }) => [`${name}-${at}`, text]);
    const ofOperations = examples.map(({ id, typescript }) => [id, typescript]);
    expect(ofGuides.length).toBeGreaterThan(3);
    expect(compiled(Object.fromEntries([...ofGuides, ...ofOperations]))).toBe('');
  });

  test('with a field that is not there do not', () => {
    const { typescript = '' } = examples.find(({ id }) => id === 'createChannel') ?? {};
    expect(compiled({ wrong: typescript.replace('name:', 'nmae:') })).toContain('nmae');
  });
});

/** Runs a program with the service's token; what it wrote, and its exit code. */
async function run(words: string[], more: Record<string, string> = {}) {
  const child = Bun.spawn(words, {
    cwd: folder,
    env: { ...process.env, FOOTLIGHT_TOKEN: service.token, ...more },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [said, problems, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { said, problems, code };
}
const folder = temporaryFolder();
const noPython = Bun.which('python3') ? undefined : 'it needs python3';
const noCurl = Bun.which('curl') ? undefined : 'it needs curl';

describe('examples in curl and Python', () => {
  beforeAll(async () => {
    await service.call('POST', '/v1/activities', { body: { name: 'of the documents' } });
  });

  testWith(noPython, 'those in Python can be read', async () => {
    const program = 'import ast, json, sys\nfor text in json.load(sys.stdin): ast.parse(text)';
    const child = Bun.spawn(['python3', '-c', program], { stdin: 'pipe', stderr: 'pipe' });
    const texts = [
      ...examples.map(({ python }) => python),
      ...blocksIn('python').map((one) => one.text),
    ];
    child.stdin.write(JSON.stringify(texts));
    await child.stdin.end();
    expect([await child.stderr.text(), await child.exited]).toEqual(['', 0]);
  });

  testWith(noPython ?? noCurl, 'all ways bring the same', async () => {
    for (const id of ['getChannel', 'getVisitors', 'changeChannelPage', 'listEvents']) {
      const { curl = '', python = '' } = examples.find((one) => one.id === id) ?? {};
      const byCurl = await run(['bash', '-c', curl.replace('curl', 'curl -sS --fail-with-body')]);
      expect([id, byCurl.code, byCurl.problems]).toEqual([id, 0, '']);
      const byPython = await run([
        'python3',
        '-c',
        python.replace('print(json.load(answer))', 'print(json.dumps(json.load(answer)))'),
      ]);
      expect([id, byPython.code, byPython.problems]).toEqual([id, 0, '']);
      expect(JSON.parse(byPython.said)).toEqual(JSON.parse(byCurl.said));
    }
  });
});

describe('the guides', () => {
  test('are the files of docs, and each is in the contents and in the README', () => {
    const files = [...new Bun.Glob('**/*.md').scanSync(join(root, 'docs'))];
    expect(files.map((file) => basename(file, '.md')).sort()).toEqual([...guideNames].sort());
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const unnamed = guideNames.filter((name) => !readme.includes(`](docs/${name}.md)`));
    expect(unnamed).toEqual([]);
    const { links } = pageAt('/docs');
    for (const name of guideNames)
      expect([name, links.filter((link) => link === `/docs/guides/${name}`).length > 1]).toEqual([
        name,
        true,
      ]);
  });

  const shown: { id?: number } = {};
  beforeAll(async () => {
    const end_at = service.clock.now;
    const begin_at = end_at - 60_000;
    const show = { channel_id: 1, begin_at, end_at: null, media_ms: 0, anchors: '[]' };
    const live = { node: 'another', startedAt: begin_at, show, now: begin_at };
    await service.store.perform(startLive, live);
    await service.store.perform(endLive, { node: 'another', show: { ...show, end_at } });
    await addVideos(service, [{ name: 'Spring launch', channel_id: 1 }]);
    shown.id = (await service.call('GET', '/manage/v1/channels/1/shows')).body.shows[0].id;
  });

  const here = (text: string) =>
    text
      .replaceAll(guideUrl, service.url)
      .replaceAll(/https:\/\/your-app\.example\/|http:\/\/127\.0\.0\.1:3000\//g, receiver.url.href)
      .replaceAll('SHOW=40', `SHOW=${shown.id}`)
      // Every call fails with what was answered; curl takes one of the two alone.
      .replaceAll('curl -f ', 'curl ');
  const calls = (name: GuideName) =>
    blocksIn('sh').filter((block) => block.name === name && /^curl /m.test(block.text));

  test('have calls', () => {
    const counts = guideNames.map((name) => calls(name).length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(25);
  });

  for (const name of guideNames)
    testWith(noCurl, `${name}: its calls succeed, in their order`, async () => {
      for (const { text } of calls(name)) {
        const { code, problems, said } = await run([
          'bash',
          '-c',
          `curl() { command curl -sS --fail-with-body "$@"; }\n${here(text)}`,
        ]);
        expect([text, code, problems, code === 0 ? '' : said]).toEqual([text, 0, '', '']);
      }
    });

  test('their commands are those of the command line', async () => {
    const named = [...blocks.map(({ text }) => text), ...guideNames.map(guideText)]
      .join('\n')
      .matchAll(/npx footlight ([a-z][a-z-]*(?: [a-z][a-z-]*)?)/g);
    const groups = await loadedGroups();
    const known = new Set(groups.flatMap(({ commands }) => commands.map(({ name }) => name)));
    const words = [...named].map(([, command = '']) => command);
    expect(words.length).toBeGreaterThan(10);
    const isKnown = (typed: string) => known.has(typed) || known.has(typed.split(' ')[0] ?? '');
    expect(words.filter((command) => !isKnown(command))).toEqual([]);
  });

  testWith(noPython, 'a watch link in Python is one that the service takes', async () => {
    const { secret } = (await service.call('GET', '/manage/v1/viewer-secret')).body;
    const [block] = blocksIn('python').filter((one) => one.name === 'your-own-users');
    const { said, problems } = await run(['python3', '-c', here(block?.text ?? '')], {
      VIEWER_SECRET: secret,
    });
    expect(problems).toBe('');
    const { searchParams, href } = new URL(said.trim());
    const viewer = { viewer_id: 'u-42', nick: '李伟', phone: '' };
    expect(readWatchLink(secret, searchParams, 1, Date.now())).toEqual(viewer);
    expect((await fetch(href)).status).toBe(200);
  });

  testWith(noPython, 'a webhook is verified in Python, and a forged one is not', async () => {
    const [block] = blocksIn('python').filter((one) => one.name === 'webhooks-and-events');
    const secret = `whsec_${btoa('a secret of thirty-two characters')}`;
    const body = '{"type":"show.ended","data":{}}';
    const headers = await signWebhook(body, secret, { id: 'evt_1' });
    writeFileSync(join(folder, 'receiver.py'), block?.text ?? '');
    const verified = (given: object) =>
      run([
        'python3',
        '-c',
        `from receiver import *\nprint(verify_webhook('${secret}', json.loads('''${JSON.stringify(given)}'''), b'${body}')['type'])`,
      ]);
    expect((await verified(headers)).said.trim()).toBe('show.ended');
    const forged = { ...headers, 'webhook-id': 'evt_2' };
    expect((await verified(forged)).problems).toContain('not signed with this secret');

    // Sent twice, as after an answer that was lost, it is taken once.
    const twice = `import threading, urllib.request
from receiver import *
server = HTTPServer(('127.0.0.1', 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
headers = json.loads('''${JSON.stringify(headers)}''')
address = f'http://127.0.0.1:{server.server_port}/'
for _ in range(2):
    with urllib.request.urlopen(urllib.request.Request(address, b'${body}', headers)) as answer:
        print(answer.status, flush=True)`;
    const { said } = await run(['python3', '-c', twice], { WEBHOOK_SECRET: secret });
    expect(said.trim().split('\n')).toEqual(['show.ended {}', '204', '204']);
  });
});
