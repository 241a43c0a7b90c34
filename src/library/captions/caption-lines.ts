// The lines of a caption file, and its blocks with blank lines between, each known by its number.
import type { Steps } from '../../base/turns/stepped-work.ts';
import { captionsLimits } from './captions-limits.ts';
import { CaptionsProblem } from './captions-problem.ts';

/** Lines that follow each other without a blank one. */
export interface Block {
  /** The number of its first line, counted from 1. */
  at: number;
  lines: readonly string[];
}

const { lineCharactersMax, blockLinesMax } = captionsLimits;

/** What stands for bytes that are no character. */
const damage = '\ufffd';

export class CaptionLines {
  private readonly text: string;
  private readonly isDamaged: boolean;
  /** Any of the three ends of a line that programs write. */
  private readonly ends = /\r\n?|\n/g;

  private from = 0;
  private number = 0;

  constructor(bytes: Uint8Array) {
    const text = decoded(bytes);
    this.isDamaged = text === undefined;
    this.text = text ?? new TextDecoder().decode(bytes);
  }

  /** Undefined where there is none any more. */
  *nextBlock(): Steps<Block | undefined> {
    let line = this.next();
    while (line === '') {
      yield;
      line = this.next();
    }
    if (line === undefined) return undefined;
    const at = this.number;
    const lines: string[] = [];
    for (; line; line = this.next()) {
      lines.push(line);
      if (lines.length > blockLinesMax)
        throw new CaptionsProblem(
          `Line ${at}: no blank line for ${blockLinesMax} lines, which are too many for a cue`,
        );
    }
    return { at, lines };
  }

  /** Undefined at the end. */
  private next(): string | undefined {
    const { text, from, ends } = this;
    if (from > text.length) return undefined;
    ends.lastIndex = from;
    const end = ends.exec(text);
    const line = text.slice(from, end?.index);
    this.from = end ? ends.lastIndex : text.length + 1;
    this.number += 1;
    this.check(line);
    return line;
  }

  private check(line: string): void {
    const { number, isDamaged } = this;
    if (isDamaged && line.includes(damage))
      throw new CaptionsProblem(`Line ${number}: this is not UTF-8: save the file as UTF-8`);
    checkLength(line, number);
    if (line.includes('\0'))
      throw new CaptionsProblem(`Line ${number}: a NUL is no text that can be shown`);
  }
}

export function checkLength(line: string, number: number): void {
  if (line.length > lineCharactersMax)
    throw new CaptionsProblem(
      `Line ${number}: a line may have at most ${lineCharactersMax} characters`,
    );
}

/** Without the mark at its beginning; undefined where it is not all UTF-8. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
