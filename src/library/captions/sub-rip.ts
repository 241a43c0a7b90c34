// Reads SubRip, which nobody ever wrote down, as programs write it, and makes WebVTT of it.
import type { Steps } from '../../base/turns/stepped-work.ts';
import { type Block, CaptionLines, checkLength } from './caption-lines.ts';
import { CaptionsProblem } from './captions-problem.ts';
import { checkCueText } from './cue-text.ts';
import { arrow, type Cue, checkedTimes, refuseArrow, type WebVtt } from './web-vtt.ts';

/** Throws a `CaptionsProblem` that names the line. */
export function* readSubRip(bytes: Uint8Array): Steps<WebVtt> {
  const lines = new CaptionLines(bytes);
  const cues: Cue[] = [];
  for (;;) {
    const block: Block | undefined = yield* lines.nextBlock();
    if (!block) break;
    cues.push(readCue(block));
    yield;
  }
  if (cues.length === 0) throw new CaptionsProblem('There is nothing to show: the file has no cue');
  return { blocks: [], cues };
}

/** Hours, minutes, seconds and thousandths, which most programs write behind a comma. */
const times =
  /^[ \t]*(\d{1,3}:\d\d:\d\d)[,.](\d{3})[ \t]*-->[ \t]*(\d{1,3}:\d\d:\d\d)[,.](\d{3})(?:[ \t]|$)/;

function readCue(block: Block): Cue {
  const { at, lines } = block;
  const timesAt = /^[ \t]*\d+[ \t]*$/.test(lines[0] ?? '') && lines.length > 1 ? 1 : 0;
  const line = at + timesAt;
  const [, from = '', fromMs, to = '', toMs] = times.exec(lines[timesAt] ?? '') ?? [];
  if (fromMs === undefined)
    throw new CaptionsProblem(
      `Line ${line}: times as 00:01:02,500 --> 00:01:05,000 must stand here`,
    );
  refuseArrow(block, timesAt + 1);
  const stretch = checkedTimes(`${padded(from)}.${fromMs}`, `${padded(to)}.${toMs}`, line);
  const text = lines.slice(timesAt + 1).map(asWebVtt);
  // What is written otherwise may be longer.
  for (const [n, written] of text.entries()) checkLength(written, line + 1 + n);
  checkCueText(text, line + 1);
  // One that said only how it looks is blank now, and would be the end of the cue.
  return { id: '', ...stretch, settings: '', lines: text.filter((written) => written !== '') };
}

function padded(time: string): string {
  return time.padStart('00:00:00'.length, '0');
}

/** Bold, italic and underlined stay; colours, fonts and places go, and every other < and & is one. */
function asWebVtt(line: string): string {
  return (
    line
      .replace(/\{\\[^{}]*\}|<\/?font(?:[ \t][^<>]*)?>/gi, '')
      .replace(/<\/?[biu]>/gi, (tag) => tag.toLowerCase())
      .replace(/&/g, '&amp;')
      .replace(/<(?!\/?[biu]>)/g, '&lt;')
      // Around what has gone it may stand by now, and browsers would begin another cue.
      .replaceAll(arrow, '--&gt;')
  );
}
