// What page and service have agreed on: a change that one side alone makes does not compile.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { read, root } from './support/repository.ts';

const wire = 'src/audience/protocol/messages.ts';
const service = 'service.json';
const script = 'src/web/pages/client';
const copy = mkdtempSync(join(tmpdir(), 'footlight-contracts-'));

beforeAll(async () => {
  cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  // Of the service only what page and service share, as all of it takes three times as long.
  const files = ['src/audience/presence/presence.ts', 'src/web/pages/watch-page.ts'];
  const { compilerOptions } = JSON.parse(read('tsconfig.json'));
  await Bun.write(join(copy, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  await Bun.write(join(copy, service), JSON.stringify({ compilerOptions, files }));
});

afterAll(() => rmSync(copy, { recursive: true }));

test('as it stands all of it compiles', async () => {
  expect(await troubles()).toEqual([]);
});

test('a message that a page may send is read and handled by the service', async () => {
  const [was, is] = ['PageMessage = ', "PageMessage = { type: 'react'; emoji: string } | "];
  expect(await troubles({ file: wire, was, is })).toEqual([
    "src/audience/presence/page-message-handlers.ts: Property 'react' is missing",
    "src/audience/protocol/page-message-reader.ts: Property 'react' is missing",
  ]);
});

test('a message that the service may send is handled by the page', async () => {
  const [was, is] = ['ServiceMessage =', "ServiceMessage = { type: 'reacted'; id: number }"];
  expect(await troubles({ file: wire, was, is })).toEqual([
    "src/web/pages/client/service-message-handlers.ts: Property 'reacted' is missing",
  ]);
});

test('an id that the script looks for is one of the page', async () => {
  const file = 'src/web/pages/client/chat.ts';
  const [was, is] = ["find('chat-notice')", "find('chat-notise')"];
  expect(await troubles({ file, was, is })).toEqual([
    `${file}: Argument of type '"chat-notise"' is not assignable`,
  ]);
});

test('an element that the script finds is of the kind that the page has', async () => {
  const file = 'src/web/pages/client/chat.ts';
  const [was, is] = ["find('chat-send').disabled", "find('chat').disabled"];
  expect(await troubles({ file, was, is })).toEqual([
    `${file}: Property 'disabled' does not exist on type 'HTMLElement'.`,
  ]);
});

test('an id that the markup gives is one that the script may look for', async () => {
  const file = 'src/web/pages/chat-markup.ts';
  const [was, is] = ["id('chat-notice')", "id('chat-notise')"];
  expect(await troubles({ file, was, is })).toEqual([
    `${file}: Argument of type '"chat-notise"' is not assignable`,
  ]);
});

/** What the compiler says where one text of a file is put in the place of another. */
async function troubles(change?: { file: string; was: string; is: string }): Promise<string[]> {
  if (!change) return await compilerTroubles();
  const { file, was, is } = change;
  expect(read(file)).toContain(was);
  await Bun.write(join(copy, file), read(file).replace(was, is));
  return await compilerTroubles().finally(() => Bun.write(join(copy, file), read(file)));
}

/** Of the service and of the page's script, each by its own settings. */
async function compilerTroubles(): Promise<string[]> {
  const said = await Promise.all([service, script].map(saidOf));
  const found = said
    .join('')
    .matchAll(/^(\S+)\(\d+,\d+\): error TS\d+: (.*?)(?: (?:in type|to parameter) .*)?$/gm);
  return [...found].map(([, file, sentence]) => `${file}: ${sentence}`).sort();
}

async function saidOf(project: string): Promise<string> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const child = Bun.spawn([process.execPath, tsc, '-p', project], { cwd: copy });
  const text = await new Response(child.stdout).text();
  // Trouble that has no place in a file, such as a project that is not there, is no answer.
  const isAnswer = (await child.exited) === 0 || /^\S+\(\d+,\d+\): error/m.test(text);
  if (!isAnswer) throw new Error(`the compiler could not judge ${project}: ${text}`);
  return text;
}
