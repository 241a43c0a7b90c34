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

interface Change {
  /** What it breaks. */
  name: string;
  file: string;
  was: string;
  is: string;
  /** What the compiler says of it. */
  troubles: string[];
}

const chat = 'src/web/pages/client/chat.ts';
const markup = 'src/web/pages/chat-markup.ts';

const changes: Change[] = [
  {
    name: 'a message that a page may send is read and handled by the service',
    file: wire,
    was: 'PageMessage = ',
    is: "PageMessage = { type: 'react'; emoji: string } | ",
    troubles: [
      "src/audience/presence/page-message-handlers.ts: Property 'react' is missing",
      "src/audience/protocol/page-message-reader.ts: Property 'react' is missing",
    ],
  },
  {
    name: 'a message that the service may send is handled by the page',
    file: wire,
    was: 'ServiceMessage =',
    is: "ServiceMessage = { type: 'reacted'; id: number }",
    troubles: ["src/web/pages/client/service-message-handlers.ts: Property 'reacted' is missing"],
  },
  {
    name: 'an id that the script looks for is one of the page',
    file: chat,
    was: "find('chat-notice')",
    is: "find('chat-notise')",
    troubles: [`${chat}: Argument of type '"chat-notise"' is not assignable`],
  },
  {
    name: 'an element that the script finds is of the kind that the page has',
    file: chat,
    was: "find('chat-send').disabled",
    is: "find('chat').disabled",
    troubles: [`${chat}: Property 'disabled' does not exist on type 'HTMLElement'.`],
  },
  {
    name: 'an id that the markup gives is one that the script may look for',
    file: markup,
    was: "id('chat-notice')",
    is: "id('chat-notise')",
    troubles: [`${markup}: Argument of type '"chat-notise"' is not assignable`],
  },
];

/** All changes at once, as each compilation takes seconds: what each is told stands by itself. */
let troubles: string[] = [];

beforeAll(async () => {
  for (const [file, made] of Map.groupBy(changes, (change) => change.file)) {
    let text = read(file);
    for (const { was, is } of made) {
      expect(text).toContain(was);
      text = text.replace(was, is);
    }
    await Bun.write(join(copy, file), text);
  }
  troubles = await compilerTroubles();
});

for (const change of changes)
  test(change.name, () => {
    expect(troubles.filter((one) => change.troubles.includes(one))).toEqual(change.troubles);
  });

test('nothing else is in trouble', () => {
  expect(troubles).toEqual(changes.flatMap((change) => change.troubles).sort());
});

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
