// The part of Markdown that the guides are written in, as HTML: headings, paragraphs, lists, tables, code, links, bold.
import { type Html, html } from '../pages/html.ts';
import { codeBox } from './code-box.ts';

export interface Guide {
  title: string;
  /** In its order; the first has the title, and the words before the first heading below it. */
  sections: readonly GuideSection[];
  /** Rows of tables that tell of variables; each has its name as its anchor. */
  variables: readonly { name: string; meaning: string }[];
  body: Html;
}

export interface GuideSection {
  /** Its anchor; empty for the beginning. */
  id: string;
  level: number;
  title: string;
  /** Its words without marks, for the search. */
  text: string;
}

/** A block of code, with the language behind its fence. */
export interface CodeBlock {
  language: string;
  text: string;
}

export function readGuide(markdown: string): Guide {
  const blocks = blocksOf(markdown);
  const [first] = blocks;
  if (first?.kind !== 'heading' || first.level !== 1)
    throw new Error('A guide begins with # Title');
  const sections: (Omit<GuideSection, 'text'> & { words: string[] })[] = [
    { id: '', level: 1, title: plain(first.text), words: [] },
  ];
  for (const block of blocks.slice(1)) {
    if (block.kind === 'heading') {
      const { level, text } = block;
      sections.push({ id: anchorOf(text), level, title: plain(text), words: [] });
    } else if (block.kind !== 'code') sections.at(-1)?.words.push(plain(block.text));
  }
  return {
    title: plain(first.text),
    sections: sections.map(({ words, ...section }) => ({ ...section, text: words.join(' ') })),
    variables: blocks.flatMap(variablesIn),
    body: html`${blocks.map(shownBlock)}`,
  };
}

export function codeBlocksOf(markdown: string): CodeBlock[] {
  return blocksOf(markdown).filter((block) => block.kind === 'code');
}

type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code'; language: string; text: string }
  /** The text has every line, as the other kinds have. */
  | { kind: 'list'; isNumbered: boolean; items: string[]; text: string }
  | { kind: 'table'; rows: string[][]; text: string }
  | { kind: 'paragraph'; text: string };

function blocksOf(markdown: string): Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  while (lines.length > 0) {
    const line = lines[0] ?? '';
    if (line.trim() === '') lines.shift();
    else blocks.push(nextBlock(lines));
  }
  return blocks;
}

/** Takes its lines away. */
function nextBlock(lines: string[]): Block {
  const line = lines[0] ?? '';
  if (line.startsWith('```')) return codeBlock(lines);
  if (line.startsWith(indent)) return indentedBlock(lines);
  const heading = /^(#{1,3}) (.+)$/.exec(line);
  if (heading) {
    lines.shift();
    return { kind: 'heading', level: heading[1]?.length ?? 1, text: heading[2] ?? '' };
  }
  const text: string[] = [];
  while (lines.length > 0 && lines[0]?.trim() !== '' && !lines[0]?.startsWith('```'))
    text.push(lines.shift() ?? '');
  if (line.startsWith('|')) return table(text);
  if (itemMark.test(line)) return list(text);
  return { kind: 'paragraph', text: text.join(' ') };
}

function codeBlock(lines: string[]): Block {
  const language = (lines.shift() ?? '').slice('```'.length).trim();
  const text: string[] = [];
  while (lines.length > 0 && !lines[0]?.startsWith('```')) text.push(lines.shift() ?? '');
  if (lines.shift() === undefined) throw new Error(`A block of code does not end: ${text[0]}`);
  return { kind: 'code', language, text: text.join('\n') };
}

const indent = '    ';

/** Ends before the first line that is not indented; empty ones between are of it. */
function indentedBlock(lines: string[]): Block {
  const text: string[] = [];
  while (lines.length > 0 && (lines[0]?.startsWith(indent) || lines[0]?.trim() === ''))
    text.push((lines.shift() ?? '').slice(indent.length));
  return { kind: 'code', language: '', text: text.join('\n').trimEnd() };
}

const itemMark = /^(?:-|\d+\.) /;

/** A line without a mark goes on with the item above it. */
function list(lines: readonly string[]): Block {
  const items: string[] = [];
  for (const line of lines) {
    if (itemMark.test(line)) items.push(line.replace(itemMark, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  const isNumbered = /^\d/.test(lines[0] ?? '');
  return { kind: 'list', isNumbered, items, text: items.join(' ') };
}

function table(lines: readonly string[]): Block {
  const rows = lines
    .filter((line) => !/^\|[\s|:-]+\|$/.test(line))
    .map((line) =>
      line
        .trim()
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll('\\|', '|')),
    );
  return { kind: 'table', rows, text: rows.flat().join(' ') };
}

function variablesIn(block: Block): Guide['variables'] {
  if (block.kind !== 'table' || !tellsOfVariables(block.rows)) return [];
  return block.rows
    .slice(1)
    .map((row) => ({ name: plain(row[0] ?? ''), meaning: plain(row.at(-1) ?? '') }));
}

function tellsOfVariables([head = []]: readonly (readonly string[])[]): boolean {
  return head[0] === 'variable';
}

function shownBlock(block: Block): Html {
  switch (block.kind) {
    case 'heading': {
      if (block.level === 1) return html`<h1>${inline(block.text)}</h1>`;
      const id = anchorOf(block.text);
      const link = html`<a href="#${id}">${inline(block.text)}</a>`;
      return block.level === 2
        ? html`<h2 id="${id}">${link}</h2>`
        : html`<h3 id="${id}">${link}</h3>`;
    }
    case 'code':
      return codeBox(block.text, {
        label: `${block.language || 'text'}: ${firstWords(block.text)}`,
      });
    case 'list': {
      const items = block.items.map((item) => html`<li>${inline(item)}</li>`);
      return block.isNumbered ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`;
    }
    case 'table':
      return shownTable(block.rows);
    case 'paragraph':
      return html`<p>${inline(block.text)}</p>`;
  }
}

/** On a phone the cells of a row stand one below the other: roles and names of columns are said again for it. */
function shownTable(all: readonly (readonly string[])[]): Html {
  const [head = [], ...rows] = all;
  const anchor = (row: readonly string[]) =>
    tellsOfVariables(all) ? html` id="${plain(row[0] ?? '')}"` : '';
  const named = (at: number) => {
    const isPlain = at === 0 || head.length < 3 || head[at] === 'meaning';
    return isPlain ? '' : html` data-column="${plain(head[at] ?? '')}"`;
  };
  const shownRow = (row: readonly string[]) =>
    html`<tr role="row"${anchor(row)}>${row.map((cell, at) => html`<td role="cell"${named(at)}>${inline(cell)}</td>`)}</tr>`;
  return html`<div class="table" tabindex="0" role="group" aria-label="Table: ${plain(head.join(', '))}"><table role="table"><thead role="rowgroup"><tr role="row">${head.map((cell) => html`<th scope="col" role="columnheader">${inline(cell)}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(shownRow)}</tbody></table></div>`;
}

const inlineMarks = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g;

/** A sentence with its code, links and what is bold. */
export function inline(text: string): Html[] {
  const parts: Html[] = [];
  let from = 0;
  for (const mark of text.matchAll(inlineMarks)) {
    const [whole, code, bold, words, address] = mark;
    parts.push(html`${text.slice(from, mark.index)}`);
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (bold !== undefined) parts.push(html`<b>${inline(bold)}</b>`);
    else parts.push(shownLink(words ?? '', address ?? ''));
    from = mark.index + whole.length;
  }
  return [...parts, html`${text.slice(from)}`];
}

/** A guide names another by its file. What else lies in the source is not among the pages: its name alone is shown. */
function shownLink(words: string, address: string): Html {
  const page = address.replace(/^([a-z-]+)\.md(?=#|$)/, '/docs/guides/$1');
  if (page.startsWith('..')) return html`${inline(words)}`;
  return html`<a href="${page}">${inline(words)}</a>`;
}

function plain(text: string): string {
  return text.replace(inlineMarks, (_, code, bold, words) => code ?? bold ?? words);
}

/** As GitHub makes it, so that a link works in both places. */
export function anchorOf(heading: string): string {
  return plain(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}

function firstWords(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}
