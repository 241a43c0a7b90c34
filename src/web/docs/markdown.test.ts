import { expect, test } from 'bun:test';
import { codeBlocksOf, readGuide } from './markdown.ts';

const guide = readGuide(
  [
    '# A guide',
    '',
    'First **words** with `code` and [a link](obs.md#the-key), [a file](../LICENSE).',
    'Still the same paragraph.',
    '',
    '## What’s *it*?',
    '',
    '- one',
    '- two,',
    '  which goes on',
    '',
    '| a | b |',
    '|---|---|',
    '| `x` | <script> |',
    '| `0\\|1` | either |',
    '',
    '```sh',
    'echo "<b>"',
    '```',
    '',
    '    indented',
    '',
    '    more',
    '',
    '### Settings',
    '',
    '| variable | default | meaning |',
    '|---|---|---|',
    '| `PORT` | `8080` | Where **it** listens. |',
  ].join('\n'),
);

test('what the guides are written in becomes HTML, and every text stays text', () => {
  const { markup } = guide.body;
  expect(markup).toContain('<h1>A guide</h1>');
  expect(markup).toContain('First <b>words</b> with <code>code</code> and');
  expect(markup).toContain('<a href="/docs/guides/obs#the-key">a link</a>, a file.');
  expect(markup).toContain('<h2 id="whats-it">');
  expect(markup).toContain('<ul><li>one</li><li>two, which goes on</li></ul>');
  expect(markup).toContain(
    '<td role="cell"><code>x</code></td><td role="cell">&lt;script&gt;</td>',
  );
  expect(markup).toContain('<td role="cell"><code>0|1</code></td><td role="cell">either</td>');
  expect(markup).toContain(
    '<tr role="row" id="PORT"><td role="cell"><code>PORT</code></td><td role="cell" data-column="default">',
  );
  expect(markup).toContain('<code>echo &quot;&lt;b&gt;&quot;</code>');
  expect(markup).toContain('<code>indented\n\nmore</code>');
});

test('the search knows its parts, without marks', () => {
  expect(guide.sections).toEqual([
    {
      id: '',
      level: 1,
      title: 'A guide',
      text: 'First words with code and a link, a file. Still the same paragraph.',
    },
    {
      id: 'whats-it',
      level: 2,
      title: 'What’s *it*?',
      text: 'one two, which goes on a b x <script> 0|1 either',
    },
    {
      id: 'settings',
      level: 3,
      title: 'Settings',
      text: 'variable default meaning PORT 8080 Where it listens.',
    },
  ]);
  expect(guide.variables).toEqual([{ name: 'PORT', meaning: 'Where it listens.' }]);
});

test('a block of code that does not end is seen', () => {
  expect(() => codeBlocksOf('```sh\necho')).toThrow('does not end');
  expect(codeBlocksOf('```sh\necho\n```')).toEqual([
    { kind: 'code', language: 'sh', text: 'echo' } as never,
  ]);
});
