// Imports point one way, down the folders as ARCHITECTURE.md lists them, and make no circle.
import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { importsOf, read, root, sources } from './support/repository.ts';

/** The places of the listing from top to bottom: a room of a wing, a folder, or a file that lies above them. */
const places = listedPlaces(read('ARCHITECTURE.md'));
const wings = ['cli', 'web', 'audience', 'stream', 'library', 'base'];
const programs = sources.filter((file) => !file.endsWith('.test.ts'));
const tests = sources.filter((file) => file.endsWith('.test.ts'));

test('imports are found at all', () => {
  expect(programs.flatMap((file) => importsOf(file)).length).toBeGreaterThan(1_000);
});

describe('ARCHITECTURE.md', () => {
  test('lists everything that lies in src', () => {
    const inSrc = readdirSync(join(root, 'src'), { withFileTypes: true }).flatMap((entry) => {
      if (entry.name.endsWith('.test.ts')) return [];
      if (!wings.includes(entry.name)) return [`src/${entry.name}`];
      return readdirSync(join(root, 'src', entry.name)).map((room) => `src/${entry.name}/${room}`);
    });
    expect(places.filter((place) => place.startsWith('src/')).toSorted()).toEqual(inSrc.toSorted());
  });

  test('lists the support of tests below all that uses it', () => {
    expect(places.slice(0, 5)).toEqual(['test', 'trial', 'bench', 'cluster', 'test/support']);
  });
});

describe('imports', () => {
  test('point down the list of folders, those of types too', () => {
    const wrong = programs.flatMap((file) =>
      importsOf(file)
        .filter((imported) => !isBelow(imported, file))
        .map((imported) => `${file} imports ${imported}`),
    );
    expect(wrong).toEqual([]);
  });

  test('of a test beside its file lead to programs and to the support of tests', () => {
    const wrong = tests
      .filter((file) => file.startsWith('src/'))
      .flatMap((file) =>
        importsOf(file)
          .filter((imported) => !/^(src|test\/(support|fixtures))\//.test(imported))
          .map((imported) => `${file} imports ${imported}`),
      );
    expect(wrong).toEqual([]);
  });

  test('of the client stay in it, and name one package', () => {
    const inClient = programs.filter((file) => file.startsWith('client/src/'));
    expect(inClient.length).toBeGreaterThan(5);
    const named = inClient.flatMap((file) =>
      [...read(file).matchAll(/^(?:import|export)\b[^;]*?\bfrom '([^']+)'/gm)].map(
        ([, from]) => from,
      ),
    );
    const outside = named.filter((from) => !from?.startsWith('./'));
    expect(new Set(outside)).toEqual(new Set(['openapi-fetch']));
  });

  test('do not lead from trials to measurements', () => {
    const wrong = programs.filter(
      (file) =>
        file.startsWith('trial/') && importsOf(file).some((one) => one.startsWith('bench/')),
    );
    expect(wrong).toEqual([]);
  });

  test('make no circle', () => {
    const state = new Map<string, 'open' | 'done'>();
    const circles: string[] = [];
    const visit = (file: string, way: string[]) => {
      if (state.get(file) === 'done') return;
      if (state.get(file) === 'open') {
        circles.push([...way, file].join(' > '));
        return;
      }
      state.set(file, 'open');
      for (const next of importsOf(file)) visit(next, [...way, file]);
      state.set(file, 'done');
    };
    for (const file of programs) visit(file, []);
    expect(circles).toEqual([]);
  });
});

test('no two programs of src have the same name', () => {
  const names = Map.groupBy(
    programs.filter((file) => file.startsWith('src/')),
    (file) => basename(file),
  );
  expect([...names.values()].filter((files) => files.length > 1)).toEqual([]);
});

/** In the same place, or in one that is listed below. */
function isBelow(imported: string, file: string): boolean {
  const from = places.indexOf(placeOf(file));
  const to = places.indexOf(placeOf(imported));
  return from >= 0 && to >= from;
}

function placeOf(file: string): string {
  const [top = '', wing = '', room = ''] = file.split('/');
  if (top === 'src') return wings.includes(wing) ? `src/${wing}/${room}` : `src/${wing}`;
  // Fixtures are read by the support and by all above it.
  return top === 'test' && /^(support|fixtures)$/.test(wing) ? 'test/support' : top;
}

/** Reads the indented listing: what stands deeper lies within. */
function listedPlaces(text: string): string[] {
  const [, listing = ''] = /^## Folders[\s\S]*?\n\n((?: {4}.*\n)+)/m.exec(text) ?? [];
  const around: string[] = [];
  const found = [...listing.matchAll(/^ {4}( *)([\w./-]+?)\/?(?: {2,}|$)/gm)].map((match) => {
    const depth = (match[1] ?? '').length / 2;
    around.splice(depth, around.length, match[2] ?? '');
    return around.join('/');
  });
  return found.filter(
    (place) => !found.some((other) => other.startsWith(`${place}/`)) || place === 'test',
  );
}
