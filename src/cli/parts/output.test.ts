// What is printed: JSON lines for programs, tables for people, and nothing that a name may do to a terminal.
import { expect, test } from 'bun:test';
import { Output } from './output.ts';

function printed({ terminal = true, json = false, quiet = false } = {}) {
  const text = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({
    isTerminal: terminal,
    columns: 80,
    write: async (piece: string | Uint8Array) => {
      text[name] += piece;
    },
  });
  const streams = { out: stream('out'), err: stream('err') };
  return { text, out: new Output({ ...streams, json, quiet, monotonicMs: () => 0 }) };
}

const rows = [
  { id: 1, name: '小明的频道', page: { theme: 'tech' }, tags: ['a', 'b'] },
  { id: 22, name: 'x', page: { theme: 'default' }, tags: [] },
];

test('a list is an aligned table on a terminal, Chinese too', async () => {
  const { out, text } = printed();
  await out.all(rows, ['id', 'name', ['look', ({ page }) => page.theme], 'tags']);
  expect(text.out).toBe(
    [
      'id  name        look     tags',
      '1   小明的频道  tech     a b',
      '22  x           default',
      '',
    ].join('\n'),
  );
});

test.each([[{ terminal: false }], [{ json: true }]])(
  'a list is whole JSON lines with %j',
  async (how) => {
    const { out, text } = printed(how);
    await out.all(rows, ['id']);
    expect(text.out).toBe(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  },
);

test('rows behind those that set the widths follow them, and all are there', async () => {
  const { out, text } = printed();
  const listing = out.list<{ n: number }>(['n']);
  for (let at = 0; at < 10; at += 1)
    await listing.add(Array.from({ length: 50 }, (_, row) => ({ n: at * 50 + row })));
  await listing.end();
  expect(text.out.trim().split('\n').slice(1)).toEqual(
    Array.from({ length: 500 }, (_, row) => String(row)),
  );
});

test('a list that is printed at once holds nothing back, and its columns grow', async () => {
  const { out, text } = printed();
  const listing = out.list<{ id: number; name: string }>(['id', 'name'], { isAtOnce: true });
  await listing.add([{ id: 1, name: 'x' }]);
  expect(text.out).toBe('id  name\n1   x\n');
  await listing.add([{ id: 1_000, name: 'y' }]);
  await listing.add([{ id: 2, name: 'z' }]);
  expect(text.out).toBe('id  name\n1   x\n1000  y\n2     z\n');
});

test('a name cannot move the cursor or colour what follows', async () => {
  const { out, text } = printed();
  const name = '\u001b[2J\u202Eevil\n';
  await out.all([{ name }], ['name']);
  await out.thing({ name, within: { name } });
  for (const moving of ['\u001b', '\u202E']) expect(text.out).not.toContain(moving);
  expect(text.out).toContain('within.name');
  const asJson = printed({ terminal: false });
  await asJson.out.line({ name });
  expect(JSON.parse(asJson.text.out)).toEqual({ name });
});

test('a long cell is cut, and an empty list says so beside', async () => {
  const { out, text } = printed();
  await out.all([{ name: 'y'.repeat(200) }], ['name']);
  expect(text.out).toContain(`${'y'.repeat(47)}…\n`);
  const none = printed();
  await none.out.all([] as { name: string }[], ['name']);
  expect(none.text).toEqual({ out: '', err: 'there are none\n' });
});

test('remarks are for people alone', async () => {
  for (const how of [{ json: true }, { quiet: true }]) {
    const { out, text } = printed(how);
    await out.remark('good once');
    expect(text.err).toBe('');
  }
  const { out, text } = printed({ json: true });
  await out.warning({ line: 2, message: 'line 2: bad' });
  expect(JSON.parse(text.err)).toEqual({ line: 2, message: 'line 2: bad' });
});
