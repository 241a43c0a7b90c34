// The text of a cue: every < begins a tag that WebVTT has, and what is opened is closed.
import { quoted } from '../../base/api/errors.ts';
import { captionsLimits } from './captions-limits.ts';
import { CaptionsProblem } from './captions-problem.ts';
import { timeMs } from './cue-time.ts';

/** Whose end may be left out: the voice of a whole cue, and the last reading of a ruby. */
const openEnded = ['v', 'rt'];
const startTag = /^(c|i|b|u|ruby|rt|v|lang)(?:\.[^\s.]+)*(?:[ \t].*)?$/;
const endTag = /^\/(c|i|b|u|ruby|rt|v|lang)$/;

interface OpenTag {
  name: string;
  /** As it is written. */
  text: string;
  line: number;
}

/** `at`: the number of its first line. Browsers would leave out what is no tag, and all that follows an open one. */
export function checkCueText(lines: readonly string[], at: number): void {
  const open: OpenTag[] = [];
  for (const [n, text] of lines.entries())
    for (const [whole, inner = '', end] of text.matchAll(/<([^<>]*)(>?)/g)) {
      const tag = { text: whole, inner, isWhole: end !== '', line: at + n };
      readTag(tag, open);
    }
  const left = open.find(({ name }) => !openEnded.includes(name));
  if (left) throw new CaptionsProblem(`Line ${left.line}: ${quoted(left.text)} is not closed`);
}

function readTag(
  tag: { text: string; inner: string; isWhole: boolean; line: number },
  open: OpenTag[],
): void {
  const { text, inner, isWhole, line } = tag;
  if (isWhole && timeMs(inner) !== undefined) return;
  const [, started] = startTag.exec(inner) ?? [];
  const [, ended] = endTag.exec(inner) ?? [];
  if (!isWhole || (started === undefined && ended === undefined))
    throw new CaptionsProblem(
      `Line ${line}: ${quoted(text)} is no tag of captions; a plain < is written as &lt;`,
    );
  if (started !== undefined) open.push({ name: started, text, line });
  else close(open, { name: ended ?? '', text, line });
  if (open.length > captionsLimits.tagDepthMax)
    throw new CaptionsProblem(
      `Line ${line}: more than ${captionsLimits.tagDepthMax} tags lie within each other`,
    );
}

function close(open: OpenTag[], { name, text, line }: OpenTag): void {
  if (name === 'ruby' && open.at(-1)?.name === 'rt') open.pop();
  if (open.pop()?.name !== name)
    throw new CaptionsProblem(`Line ${line}: ${quoted(text)} closes what is not open`);
}
