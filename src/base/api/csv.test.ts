// CSV lines, read back by a reader written from the RFC's grammar alone.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { csvLine, csvMark } from './csv.ts';

test('a line ends with CRLF, and only what needs quotes has them', () => {
  expect(csvLine([7, 'plain', '小明', ''])).toBe('7,plain,小明,\r\n');
  expect(csvLine(['a,b', 'say "hi"', 'two\nlines', 'old\rMac'])).toBe(
    '"a,b","say ""hi""","two\nlines","old\rMac"\r\n',
  );
});

test('the mark is the three bytes that make Excel read UTF-8', () => {
  expect([...new TextEncoder().encode(csvMark)]).toEqual([0xef, 0xbb, 0xbf]);
});

test.each(['=1+1', '+86 138 0000 0000', '-2', '@SUM(A1)', ' =cmd()', '＝1', '\u3000@x'])(
  '%j becomes text',
  (text) => {
    expect(cellsOf(csvLine([text]))).toEqual([`'${text}`]);
  },
);

test.each([
  ['\t=1', "\t'=1"],
  ['\r\n=1', "\r\n'=1"],
  ['a;=cmd()', "a;'=cmd()"],
  ['a; -b;c', "a;' -b;c"],
  ['a\n+1', "a\n'+1"],
])('%j does not become one where lines are split at other places', (text, written) => {
  expect(cellsOf(csvLine([text]))).toEqual([written]);
});

test.each(['a=1', "'=1", '1-2', 'me@example.com', '\ttab', '5'])('%j stays as it is', (text) => {
  expect(cellsOf(csvLine([text]))).toEqual([text]);
});

test('numbers are written as they are, also negative ones', () => {
  expect(csvLine([-5, 0, 1_000_000])).toBe('-5,0,1000000\r\n');
});

test('whatever the cells hold, they are read back, and none begins as a formula', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('"', ',', ';', '\r', '\n', '=', ' ', '\t', 'a') }),
  );
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (cells) => {
      const line = csvLine(cells);
      const read = cellsOf(line);
      const plain = (all: string[]) => all.map((cell) => cell.replaceAll("'", ''));
      expect(plain(read)).toEqual(plain(cells));
      for (const cell of [...read, ...line.split(/[;\t\r\n]/)])
        expect(cell).not.toMatch(/^[\s\u3000]*[=+\-@＝＋－＠]/);
    }),
  );
});

/** The cells of one line, by the grammar of RFC 4180 2. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    const quoted = /"((?:[^"]|"")*)"/y;
    const plain = /[^",\r\n]*/y;
    quoted.lastIndex = plain.lastIndex = at;
    const match = quoted.exec(line) ?? plain.exec(line);
    if (!match) throw new Error(`no cell at ${at} of ${JSON.stringify(line)}`);
    cells.push(match[1]?.replaceAll('""', '"') ?? match[0]);
    at += match[0].length;
    if (line.slice(at) === '\r\n') return cells;
    if (line[at] !== ',') throw new Error(`no comma at ${at} of ${JSON.stringify(line)}`);
    at += 1;
  }
}
