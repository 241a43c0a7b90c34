// What a node says, as lines for people: its name in front, and never more than can be read.

/** Of a node; what is more is counted. */
const linesPerSecond = 20;
const lineChars = 400;

export interface NodeLog {
  /** Takes what was written, whole lines or not. */
  write(text: string): void;
}

export function nodeLog(
  name: string,
  { say, monotonicMs }: { say(line: string): void; monotonicMs(): number },
): NodeLog {
  let rest = '';
  let second = Number.NEGATIVE_INFINITY;
  let said = 0;
  let leftOut = 0;
  const line = (text: string) => {
    const at = Math.floor(monotonicMs() / 1_000);
    if (at !== second) {
      if (leftOut > 0) say(`${name}  … and ${leftOut} more lines`);
      [second, said, leftOut] = [at, 0, 0];
    }
    if (said >= linesPerSecond) {
      leftOut += 1;
      return;
    }
    said += 1;
    const shown = shownLine(text);
    say(`${name}  ${shown.length > lineChars ? `${shown.slice(0, lineChars)}…` : shown}`);
  };
  return {
    write: (text) => {
      const lines = (rest + text).split('\n');
      // One without an end is cut.
      rest = (lines.pop() ?? '').slice(0, lineChars * 4);
      for (const one of lines) if (!isRequest(one)) line(one);
    },
  };
}

/** The balancer alone makes one each second. */
function isRequest(text: string): boolean {
  return text.includes('"level":"info","message":"request"');
}

/** Of a line of JSON what it says and its fields; the time is now. */
function shownLine(text: string): string {
  try {
    const { time, level, message, ...fields } = JSON.parse(text);
    const words = Object.entries(fields).map(([key, value]) => `${key}=${shownValue(value)}`);
    return [level, message, ...words].join('  ');
  } catch {
    return text;
  }
}

function shownValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
