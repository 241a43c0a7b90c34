// Instants and the interface's time strings; the only place that makes or reads them.

/** How a local time that a clock change skips or repeats is taken. */
export type Side = 'earlier' | 'later';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const yearZeroAt = Date.parse('0000-01-01T00:00:00Z');
const bucketMs = 15 * 60_000;
const bucketsMax = 4_096;
// Before 1900 zones kept local mean time to the second; one offset for all of it keeps strings readable both ways.
const firstRuledAt = Date.UTC(1900, 0, 1);

/** One time zone: offsets are found once a quarter of an hour, because Intl is 50 times the price. */
export class Zone {
  readonly name: string;
  /** Undefined for UTC, which has no rules to ask for: Intl takes every start 15 ms to load. */
  private readonly format: Intl.DateTimeFormat | undefined;
  private readonly offsets = new Map<number, number>();
  private day = { number: -1, text: '' };

  /** Throws RangeError where the name is no IANA time zone. */
  constructor(name: string) {
    this.name = name;
    if (name === 'UTC') return;
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** `2024-05-01 10:20:30` */
  dateTime(at: number): string {
    const second = Math.floor(this.wall(at) / 1000) % 60;
    return `${this.dateMinute(at)}:${twoDigits(second)}`;
  }

  /** `2024-05-01 10:20` */
  dateMinute(at: number): string {
    const wall = this.wall(at);
    const minute = Math.floor(wall / 60_000) % 1_440;
    return `${this.dayText(wall)} ${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}`;
  }

  /** `2024-05-01` */
  date(at: number): string {
    return this.dayText(this.wall(at));
  }

  /** The first instant of the next local day: 00:00, or the first time that exists where midnight is skipped. */
  nextDay(at: number): number {
    const today = this.date(at);
    let low = at;
    let high = at + 26 * hourMs;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.date(middle) === today) low = middle;
      else high = middle;
    }
    return high;
  }

  /** Reads `YYYY-MM-DD HH:MM:SS`; undefined where there is no such local time. */
  instant(text: string, side: Side = 'earlier'): number | undefined {
    const wall = wallTime(text);
    if (wall === undefined) return undefined;
    const found = [wall - this.offset(wall - 24 * hourMs), wall - this.offset(wall + 24 * hourMs)]
      .filter((at) => this.dateTime(at) === text)
      .sort((a, b) => a - b);
    return side === 'earlier' ? found[0] : found.at(-1);
  }

  /** Local time as if it were UTC, counted from the year 0 so that it is never negative. */
  private wall(at: number): number {
    return at + this.offset(at) - yearZeroAt;
  }

  /** Times come in runs of one day, so its text is made once. */
  private dayText(wall: number): string {
    const day = Math.floor(wall / dayMs);
    if (day !== this.day.number) {
      const text = new Date(day * dayMs + yearZeroAt).toISOString().slice(0, 10);
      this.day = { number: day, text };
    }
    return this.day.text;
  }

  private offset(at: number): number {
    if (!this.format) return 0;
    const ruled = Math.max(at, firstRuledAt);
    const bucket = Math.floor(ruled / bucketMs);
    const known = this.offsets.get(bucket);
    if (known !== undefined) return known;
    const start = offsetBySystem(this.format, bucket * bucketMs);
    if (start !== offsetBySystem(this.format, (bucket + 1) * bucketMs - 1))
      return offsetBySystem(this.format, ruled);
    if (this.offsets.size >= bucketsMax) this.offsets.clear();
    this.offsets.set(bucket, start);
    return start;
  }
}

function offsetBySystem(format: Intl.DateTimeFormat, at: number): number {
  const part: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(at)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

/** `2024-05-01T10:20:30.450Z`: an instant that reads the same in every zone. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** `HH:MM:SS` of whole seconds; hours may pass 24. */
export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}`;
}

/** Reads `HH:MM:SS` into milliseconds; undefined where it is no such text. */
export function durationMs(text: string): number | undefined {
  const match = /^(\d{2,6}):([0-5]\d):([0-5]\d)$/.exec(text);
  if (!match) return undefined;
  return (Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3])) * 1000;
}

/** Milliseconds of a clock that only goes forward; each thread has its own, as Bun counts from the thread's start. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + Math.floor(nanoseconds / 1e6);
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

/** The text as if it were UTC; undefined where the calendar has no such day or the clock no such time. */
function wallTime(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text)) return undefined;
  const iso = `${text.slice(0, 10)}T${text.slice(11)}`;
  const at = Date.parse(`${iso}Z`);
  if (Number.isNaN(at) || text < '0001') return undefined;
  return new Date(at).toISOString().slice(0, 19) === iso ? at : undefined;
}
