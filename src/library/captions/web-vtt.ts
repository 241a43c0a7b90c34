// Reads WebVTT strictly, as browsers show it and not more, and writes what was read: nothing else is ever served.
// https://www.w3.org/TR/webvtt1/
import { quoted } from '../../base/api/errors.ts';
import type { Steps } from '../../base/turns/stepped-work.ts';
import { type Block, CaptionLines, checkLength } from './caption-lines.ts';
import { CaptionsProblem } from './captions-problem.ts';
import { checkCueText } from './cue-text.ts';
import { timeMs, timeText } from './cue-time.ts';

export interface Cue {
  /** Empty where it has none. */
  id: string;
  startMs: number;
  endMs: number;
  /** Where on the picture it stands, as it is written; empty where that is left to the browser. */
  settings: string;
  lines: readonly string[];
}

export interface WebVtt {
  /** Styles and regions, each with the lines that it was written in. */
  blocks: readonly (readonly string[])[];
  cues: readonly Cue[];
}

export const arrow = '-->';

/** Throws a `CaptionsProblem` that names the line. Notes, and what stands behind the first word, are left out. */
export function* readWebVtt(bytes: Uint8Array): Steps<WebVtt> {
  const lines = new CaptionLines(bytes);
  checkHead(yield* lines.nextBlock());
  const blocks: (readonly string[])[] = [];
  const cues: Cue[] = [];
  for (;;) {
    const block: Block | undefined = yield* lines.nextBlock();
    if (!block) break;
    const read = readBlock(block, { isFirst: cues.length === 0 });
    if (read === 'block') blocks.push(block.lines);
    else if (read !== 'note') cues.push(read);
    yield;
  }
  if (cues.length === 0) throw new CaptionsProblem('There is nothing to show: the file has no cue');
  return { blocks, cues };
}

export function* webVttText({ blocks, cues }: WebVtt): Steps<string> {
  const written = ['WEBVTT', ...blocks.map((lines) => lines.join('\n'))];
  for (const cue of cues) {
    written.push(cueText(cue));
    yield;
  }
  return `${written.join('\n\n')}\n`;
}

function cueText(cue: Cue): string {
  const { id, lines } = cue;
  return [...(id ? [id] : []), timesText(cue), ...lines].join('\n');
}

function timesText({ startMs, endMs, settings }: Cue): string {
  const times = `${timeText(startMs)} ${arrow} ${timeText(endMs)}`;
  return settings ? `${times} ${settings}` : times;
}

/** The word, and lines about the file as some programs write them. */
function checkHead(block: Block | undefined): void {
  const [first = '', ...more] = block?.at === 1 ? block.lines : [];
  if (!/^WEBVTT(?:[ \t]|$)/.test(first))
    throw new CaptionsProblem('Line 1: a WebVTT file begins with WEBVTT');
  const found = more.findIndex((line) => line.includes(arrow));
  if (found >= 0)
    throw new CaptionsProblem(
      `Line ${found + 2}: a blank line must stand between WEBVTT and the first cue`,
    );
}

function readBlock(block: Block, { isFirst }: { isFirst: boolean }): Cue | 'block' | 'note' {
  const [first = ''] = block.lines;
  if (/^NOTE(?:[ \t]|$)/.test(first)) {
    refuseArrow(block, 0);
    return 'note';
  }
  const check = /^STYLE[ \t]*$/.test(first)
    ? checkStyle
    : /^REGION[ \t]*$/.test(first)
      ? checkRegion
      : undefined;
  if (!check || block.lines.some((line) => line.includes(arrow))) return readCue(block);
  if (!isFirst)
    throw new CaptionsProblem(`Line ${block.at}: STYLE and REGION must stand before the first cue`);
  check(block);
  return 'block';
}

function readCue(block: Block): Cue {
  const { at, lines } = block;
  const hasId = !lines[0]?.includes(arrow);
  const timesAt = hasId ? 1 : 0;
  const times = lines[timesAt];
  if (!times?.includes(arrow))
    throw new CaptionsProblem(
      `Line ${at + (times === undefined ? 0 : timesAt)}: times as 00:01:02.500 --> 00:01:05.000 must stand here`,
    );
  refuseArrow(block, timesAt + 1);
  const arrowAt = times.indexOf(arrow);
  const [to = '', ...settings] = wordsOf(times.slice(arrowAt + arrow.length));
  const line = at + timesAt;
  const stretch = checkedTimes(times.slice(0, arrowAt).trim(), to, line);
  for (const setting of settings) checkSetting(setting, cueSettings, line);
  const text = lines.slice(timesAt + 1);
  checkCueText(text, line + 1);
  const id = hasId ? (lines[0] ?? '') : '';
  const cue = { id, ...stretch, settings: settings.join(' '), lines: text };
  // With hours, which may have been left out.
  checkLength(timesText(cue), line);
  return cue;
}

/** Where it stands browsers begin another cue. */
export function refuseArrow({ at, lines }: Block, from: number): void {
  const found = lines.findIndex((line, n) => n >= from && line.includes(arrow));
  if (found >= 0)
    throw new CaptionsProblem(`Line ${at + found}: a blank line must stand before the next cue`);
}

function wordsOf(text: string): string[] {
  return text.split(/[ \t]+/).filter((word) => word !== '');
}

/** A cue that is never shown is somebody's mistake. */
export function checkedTimes(from: string, to: string, line: number) {
  const startMs = timeAt(from, line);
  const endMs = timeAt(to, line);
  if (endMs <= startMs)
    throw new CaptionsProblem(`Line ${line}: the cue must end after it has begun`);
  return { startMs, endMs };
}

function timeAt(text: string, line: number): number {
  const ms = timeMs(text);
  if (ms === undefined)
    throw new CaptionsProblem(`Line ${line}: ${quoted(text)} is no time as 00:01:02.500`);
  return ms;
}

type Settings = Readonly<Record<string, RegExp>>;

const share = String.raw`(?:100(?:\.0{1,9})?|\d{1,2}(?:\.\d{1,9})?)%`;

const cueSettings: Settings = {
  vertical: /^(?:rl|lr)$/,
  line: new RegExp(String.raw`^(?:-?\d{1,4}|${share})(?:,(?:start|center|end))?$`),
  position: new RegExp(`^${share}(?:,(?:line-left|center|line-right))?$`),
  size: new RegExp(`^${share}$`),
  align: /^(?:start|center|end|left|right)$/,
  region: /^.+$/,
};

const regionSettings: Settings = {
  id: /^.+$/,
  width: new RegExp(`^${share}$`),
  lines: /^\d{1,4}$/,
  regionanchor: new RegExp(`^${share},${share}$`),
  viewportanchor: new RegExp(`^${share},${share}$`),
  scroll: /^up$/,
};

/** Browsers pass over one that they do not know, so whoever wrote it would wonder. */
function checkSetting(setting: string, known: Settings, line: number): void {
  const colon = setting.indexOf(':');
  const name = setting.slice(0, Math.max(0, colon));
  const value = Object.hasOwn(known, name) ? known[name] : undefined;
  if (!value?.test(setting.slice(colon + 1)))
    throw new CaptionsProblem(`Line ${line}: ${quoted(setting)} is no setting that browsers know`);
}

function checkRegion({ at, lines }: Block): void {
  for (const [n, line] of lines.entries())
    if (n > 0) for (const setting of wordsOf(line)) checkSetting(setting, regionSettings, at + n);
}

/** What a style needs to say which cues it is of, and their colours. */
const styleFunctions = ['cue', 'cue-region', 'not', 'lang', 'rgb', 'rgba', 'hsl', 'hsla'];

/** A style says how cues look: it loads nothing, whatever a browser would let it. */
function checkStyle({ at, lines }: Block): void {
  for (const [n, line] of lines.entries()) {
    const rule = /[@\\<]/.exec(line)?.[0];
    const calls = line.matchAll(/(?<![\w-])([\w-]+)[ \t]*\(/g).map(([, name = '']) => name);
    const wrong = rule ?? calls.find((name) => !styleFunctions.includes(name.toLowerCase()));
    if (wrong !== undefined)
      throw new CaptionsProblem(`Line ${at + n}: ${quoted(wrong)} may not stand in a style`);
  }
}
