// How far long work is: a bar with rate and time left on a terminal, a line now and then in a log.

export interface ProgressOptions {
  /** What is being done, such as `reading clip.mov`. */
  what: string;
  unit: Unit;
  /** Undefined where nobody knows how much it will be. */
  total: number | undefined;
  isTerminal: boolean;
  columns: number;
  monotonicMs: () => number;
  /** Undefined where nothing is to be said. */
  write: ((text: string) => void) | undefined;
}

export type Unit = 'bytes' | 'rows' | 'lines';

/** On a terminal, and in a log. */
const drawEveryMs = 100;
const lineEveryMs = 10_000;
/** The rate is that of the last so many milliseconds: it follows what happens, but does not flicker. */
const rateMs = 5_000;

export class Progress {
  private readonly options: ProgressOptions;

  /** When how much was done, for the rate; the oldest is about `rateMs` ago. */
  private marks: { at: number; done: number }[];
  private saidAt: number;
  private hasDrawn = false;

  constructor(options: ProgressOptions) {
    this.options = options;
    const at = options.monotonicMs();
    this.marks = [{ at, done: 0 }];
    this.saidAt = at;
  }

  /** So much is done, counted from the beginning; `note` is said beside it. */
  update(done: number, note = ''): void {
    const { write, isTerminal, monotonicMs } = this.options;
    if (!write) return;
    const at = monotonicMs();
    const everyMs = isTerminal ? drawEveryMs : lineEveryMs;
    if (at - this.saidAt < everyMs) return;
    this.saidAt = at;
    const rate = this.rateAt(at, done);
    const { what, unit, total, columns } = this.options;
    const text = progressText({ what, unit, done, total, ratePerSecond: rate, note });
    write(isTerminal ? `\r${withBar(text, { done, total, columns })}\u001b[K` : `${text}\n`);
    this.hasDrawn = isTerminal;
  }

  /** What it began with was there already: it is no part of the rate. */
  beginAt(done: number): void {
    this.marks = [{ at: this.options.monotonicMs(), done }];
  }

  /** Takes the bar away. */
  end(): void {
    if (this.hasDrawn) this.options.write?.('\r\u001b[K');
    this.hasDrawn = false;
  }

  private rateAt(at: number, done: number): number {
    this.marks.push({ at, done });
    while (this.marks.length > 2 && at - (this.marks[1]?.at ?? at) >= rateMs) this.marks.shift();
    const [first] = this.marks;
    if (!first || at <= first.at) return 0;
    return ((done - first.done) * 1_000) / (at - first.at);
  }
}

/** `reading clip.mov: 1.2 GB of 3.4 GB (35 %), 80 MB/s, 0:27 left`. */
export function progressText(given: {
  what: string;
  unit: Unit;
  done: number;
  total: number | undefined;
  ratePerSecond: number;
  note?: string;
}): string {
  const { what, unit, done, total, ratePerSecond, note = '' } = given;
  const amount = (count: number) => (unit === 'bytes' ? sizeOf(count) : String(Math.round(count)));
  const counted = unit === 'bytes' ? '' : ` ${unit}`;
  const isKnown = total !== undefined && total > 0;
  const share = isKnown ? ` (${Math.min(100, Math.floor((100 * done) / total))} %)` : '';
  const parts = [
    `${what}: ${amount(done)}${isKnown ? ` of ${amount(total)}` : ''}${counted}${share}`,
    ...(note === '' ? [] : [note]),
    ...(ratePerSecond > 0 ? [`${amount(ratePerSecond)}${counted}/s`] : []),
    ...(isKnown && ratePerSecond > 0 && done < total
      ? [`${clockOf((total - done) / ratePerSecond)} left`]
      : []),
  ];
  return parts.join(', ');
}

const barMin = 10;
const barMax = 30;

/** In front of the text, where the terminal is wide enough for both. */
function withBar(
  text: string,
  { done, total, columns }: { done: number; total: number | undefined; columns: number },
): string {
  const room = columns - text.length - 4;
  if (total === undefined || total <= 0 || room < barMin) return text.slice(0, columns - 1);
  const width = Math.min(barMax, room);
  const filled = Math.min(width, Math.floor((width * done) / total));
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}] ${text}`;
}

/** As people write sizes. */
export function sizeOf(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let size = bytes;
  let at = 0;
  for (; size >= 1_000 && at < units.length - 1; at += 1) size /= 1_000;
  return `${at === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[at]}`;
}

function clockOf(seconds: number): string {
  const whole = Math.min(Math.ceil(seconds), 359_999);
  const two = (count: number) => String(count).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes}:${two(whole % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}
