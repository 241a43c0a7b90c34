// Whatever the service says to a person in the console is known in Chinese, and what is known is what it says.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostRoutes } from '../../../audience/chat/host-routes.ts';
import { type ApiError, catalogue, type ErrorName } from '../../../base/api/errors.ts';
import { Misread } from '../../../base/api/shape.ts';
import { Zone } from '../../../base/lib/time.ts';
import { accountRoutes } from '../../../library/account/account-routes.ts';
import { managerRoutes } from '../../../library/account/manager-routes.ts';
import { tokenRoutes } from '../../../library/account/token-routes.ts';
import { admissionRoutes } from '../../../library/admission/admission-routes.ts';
import { channelRoutes } from '../../../library/channels/channel-routes.ts';
import { FileBytes } from '../../../library/images/image-bytes.ts';
import { checkPassword } from '../../../library/people/password.ts';
import { peopleRoutes } from '../../../library/people/people-routes.ts';
import { managedVideoRoutes } from '../../../library/videos/managed-video-routes.ts';
import { TargetGuard } from '../../../library/webhooks/target-guard.ts';
import { webhookRoutes } from '../../../library/webhooks/webhook-routes.ts';
import { clipRoutes } from '../../../stream/clips/clip-routes.ts';
import { checkShapes } from '../../../stream/recording/worker/picture-check.ts';
import type { Problem } from './api.ts';
import { fieldProblem, jobProblemText, problemText, type Sentence } from './problem-text.ts';
import { consoleTexts } from './texts/console-texts.ts';

const { en, zh } = consoleTexts;
const source = join(import.meta.dir, '../../..');

/** A sentence in Chinese alone, with nothing of the service's words behind it. */
function isChinese(said: Sentence | undefined): boolean {
  return typeof said === 'string' && /\p{Script=Han}/u.test(said) && !/\{\w+\}/.test(said);
}

function refusal(kind: ErrorName, message: string): Problem {
  const { status, code } = catalogue[kind];
  return { kind: 'refused', status, code, message, fields: [], retrySeconds: 1 };
}

function aboutField(name: string, message: string): Sentence | undefined {
  const problem = { ...refusal('invalid', ''), fields: [{ name, message }] };
  return fieldProblem(problem, name, zh);
}

test('every error of the catalogue', () => {
  for (const [kind, { message }] of Object.entries(catalogue)) {
    const said = problemText(refusal(kind as ErrorName, message), zh);
    expect({ kind, said, isChinese: isChinese(said) }).toMatchObject({ isChinese: true });
  }
});

describe('every field that a form of the console sends', () => {
  /** Their tables and what reads them are all that is asked for. */
  const parts = { zone: new Zone('Asia/Shanghai') } as never;
  const forms = [
    peopleRoutes,
    managerRoutes,
    tokenRoutes,
    accountRoutes,
    channelRoutes,
    admissionRoutes,
    clipRoutes,
    managedVideoRoutes,
    hostRoutes,
    webhookRoutes,
  ];
  const fields = forms
    .flatMap((routesOf) => routesOf(parts))
    .flatMap(({ operationId, body = {} }) =>
      Object.entries(body).map(([name, field]) => ({
        where: `${operationId} ${name}`,
        name,
        field,
      })),
    );
  const wrongs = [
    '',
    ' ',
    'x'.repeat(3_000),
    'a\0b',
    'reddish',
    -1,
    1.5,
    1e15,
    {},
    [],
    ['x'],
    true,
  ];

  test.each(fields)('$where', ({ name, field }) => {
    const misread = wrongs.flatMap((came) => {
      const read = field.read(came);
      return read instanceof Misread ? [read.sentence(came)] : [];
    });
    expect(misread).not.toBeEmpty();
    for (const sentence of [...misread, 'must be given']) {
      const said = aboutField(name, `${name} ${sentence}`);
      expect({ sentence, said, isChinese: isChinese(said) }).toMatchObject({ isChinese: true });
    }
  });

  test('an address that no webhook may have', () => {
    const guard = new TargetGuard({ allowed: '', ownPorts: () => [80] });
    const urls = ['http://10.0.0.1/', 'ftp://x/', 'http://a b/', 'http://u:p@x/', 'http://x/#y'];
    const refused = ['http://x:0/', ...urls].map((url) => guard.read(url));
    const strange = { refused: guard.refusedAddress('fe80::1%lo', 80) ?? '' };
    for (const one of [...refused, strange]) {
      const words = 'refused' in one ? one.refused : '';
      expect({ words, isChinese: isChinese(aboutField('url', `url ${words}`)) }).toMatchObject({
        isChinese: true,
      });
    }
  });

  test('a password that is too common, or the user name', () => {
    for (const password of ['password1', 'Li Wei 88']) {
      const [field] = refusedBy(() => checkPassword(password, { user_name: 'Li Wei 88' })).fields;
      expect(isChinese(aboutField('password', field?.message ?? ''))).toBe(true);
    }
  });
});

/** How the source says at the end of a sentence which pictures are. */
const taken = 'PNG, JPEG, WebP and GIF are taken';

/** Of programs, commands and their mistakes, which no form of the console makes: quoted where they come nevertheless. */
const quotedOnly = [
  'The Host header must be one host name',
  'The body must be a JSON object',
  'The body is not valid JSON',
  'The body broke off',
  'The form is not valid UTF-8',
  'The file is damaged: 7.',
  'Idempotency-Key was used for another create within 24 hours',
  'Idempotency-Key must be 1 to 7 visible ASCII characters',
  'The disk has too little room: the file needs 7 bytes, three times its own, beside 7 that were promised to others, and 7 are free above MIN_FREE_DISK',
];

describe('what stands in the source', () => {
  const text = `'[^'\\n]*'|"[^"\\n]*"|\`[^\`]*\``;

  test('as words beside a code', () => {
    const wanted = new Set<ErrorName>(
      (Object.keys(catalogue) as ErrorName[]).filter((kind) =>
        [400, 403, 409].includes(catalogue[kind].status),
      ),
    );
    const found = [...saidIn(['**/*.ts'], `new ApiError\\(\\s*'(\\w+)', \\{\\s*message: (${text})`)]
      .map(([, kind = '', words = '']) => ({ kind: kind as ErrorName, words: sampleOf(words) }))
      .filter(({ kind }) => wanted.has(kind));
    const pictures = [...saidIn(['library/images/*.ts'], `new ImageProblem\\(\\s*(${text})`)].map(
      ([, words = '']) => ({ kind: 'invalid' as const, words: sampleOf(words) }),
    );
    const captions = [
      ...saidIn(['library/captions/*.ts'], `new CaptionsProblem\\(\\s*(${text})`),
    ].map(([, words = '']) => ({ kind: 'invalid' as const, words: sampleOf(words) }));
    for (const some of [found, pictures, captions]) expect(some.length).toBeGreaterThan(8);
    const unknown = [...found, ...pictures, ...captions].filter(
      ({ kind, words }) =>
        !quotedOnly.includes(words) &&
        // Put together of pieces, and looked at below.
        !words.startsWith('After the end of the picture') &&
        !isChinese(problemText(refusal(kind, words), zh)),
    );
    expect(unknown).toEqual([]);
  });

  test('as words that are put together of pieces', () => {
    const tails = [2, 3].map(
      (length) => refusedBy(() => new FileBytes(new Uint8Array(length)).endsAt(1)).message,
    );
    for (const words of tails)
      expect(isChinese(problemText(refusal('invalid', words), zh))).toBe(true);
    const full = en.refused.said.channels_kept.replace(/\{\w+\}/g, '7');
    expect(isChinese(problemText(refusal('noPermission', full), zh))).toBe(true);
    const size = { width: 7_680, height: 4_320, codedPixels: 33_177_600, referenceFrames: 16 };
    const large = refusedBy(() => checkShapes([size as never], 1)).message;
    expect(isChinese(jobProblemText(large, zh))).toBe(true);
  });

  test('as words about a field', () => {
    const rooms = ['people', 'access', 'account', 'channels'].map((room) => `library/${room}/*.ts`);
    rooms.push('library/captions/*.ts', 'stream/clips/*.ts', 'audience/chat/host*.ts');
    const found = [
      ...saidIn(rooms, `invalidField\\(\\s*'([\\w-]+)',\\s*(${text})`),
      ...saidIn(rooms, `\\{ name: '(\\w+)', message: (${text}) \\}`),
    ].map(([, name = '', words = '']) => ({ name, words: sampleOf(words) }));
    expect(found.length).toBeGreaterThan(8);
    const unknown = found.filter(
      ({ name, words }) =>
        // What is wrong with a password is looked at above.
        !quotedOnly.includes(words) &&
        words !== 'password 7' &&
        !isChinese(aboutField(name, words)),
    );
    expect(unknown).toEqual([]);
  });

  test('as why a file of a video was not made', () => {
    const files = ['worker/*', 'recording-jobs', 'recording-index'].map(
      (file) => `stream/recording/${file}.ts`,
    );
    const found = [
      ...saidIn(files, `new (?:MediaError|HopelessError|Postponed)\\((${text})\\)`),
      ...saidIn(files, `super\\((${text})`),
      ...saidIn(
        ['library/jobs/job-try.ts', 'library/jobs/job-store.ts'],
        `(?:'deadline'\\) return|triesMax,) (${text})`,
      ),
    ].map(([, words = '']) => sampleOf(words));
    expect(found.length).toBeGreaterThan(15);
    const unknown = found.filter((words) => !isChinese(jobProblemText(words, zh)));
    expect(unknown).toEqual([]);
  });
});

test('every sentence that is known is one that the service says', () => {
  const all = [...filesOf('**/*.ts')]
    .filter((file) => !file.includes('console/client/'))
    .map((file) => readFileSync(join(source, file), 'utf8').replace(/\$\{taken\}/g, taken))
    .join('\n');
  const { said, fields, jobs } = en.refused;
  const known = [said, fields, jobs].flatMap((sentences) => Object.values(sentences));
  const unsaid = known.filter((sentence) => {
    const [longest = ''] = sentence.split(/\{\w+\}/).sort((a, b) => b.length - a.length);
    return !all.includes(longest) && !all.includes(longest.replaceAll("'", "\\'"));
  });
  // Put together of pieces.
  expect(unsaid).toEqual([
    said.channels_full,
    said.channels_kept,
    said.picture_tail_byte,
    said.picture_tail,
    fields.text_most,
    jobs.picture_large,
  ]);
});

function refusedBy(run: () => void): ApiError {
  try {
    run();
  } catch (error) {
    return error as ApiError;
  }
  throw new Error('nothing was thrown');
}

function* filesOf(...patterns: string[]): Iterable<string> {
  for (const pattern of patterns)
    for (const file of new Bun.Glob(pattern).scanSync(source))
      if (!file.endsWith('.test.ts')) yield file;
}

function* saidIn(patterns: string[], words: string): Iterable<RegExpExecArray> {
  for (const file of filesOf(...patterns))
    yield* readFileSync(join(source, file), 'utf8').matchAll(new RegExp(words, 'g'));
}

/** As it may be said: with a value for each that the source puts in. */
function sampleOf(literal: string): string {
  return literal
    .slice(1, -1)
    .replace(/\$\{which\}/, '')
    .replace(/\$\{taken\}/, taken)
    .replace(/\$\{size\}/, '7 × 7')
    .replace(/\$\{quoted\([^}]*\}/g, '"7"')
    .replace(/\$\{JSON\.stringify\([^}]*\}/g, '"7"')
    .replace(/\$\{[^`]*?\}/g, '7');
}
