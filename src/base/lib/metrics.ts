// Counts of requests and what the process uses, as Prometheus reads them.
import { Counts } from './counts.ts';

/** Upper ends of the duration buckets, in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

interface Series {
  statuses: Counts<number>;
  /** Calls per bucket; the last is for those beyond every bucket. */
  counts: number[];
  seconds: number;
}

export interface Metrics {
  count(operation: string, status: number, ms: number): void;
  /** A value that is read when somebody asks; left out where it is not known, or takes longer than others can wait. */
  gauge(name: string, help: string, read: () => Reading | Promise<Reading>): void;
  /** A sum that only grows, kept by whoever counts and read when somebody asks. Its name ends in `_total`. */
  counter(name: string, help: string, read: () => number | readonly LabelledCount[]): void;
  text(): Promise<string>;
}

/** One value, several that labels tell apart, or none. */
export type Reading = number | readonly LabelledCount[] | undefined;

/** Who asks waits ten seconds at most, and asks for all the others, too. */
const readWithinMs = 2_000;

/** One of several counts of a name, told apart by labels: `{reason="full"} 3`. */
export interface LabelledCount {
  labels: Readonly<Record<string, string>>;
  count: number;
}

/** Counts that one label tells apart. */
export function labelled(label: string, counts: Readonly<Record<string, number>>): LabelledCount[] {
  return Object.entries(counts).map(([value, count]) => ({ labels: { [label]: value }, count }));
}

export function startMetrics(): Metrics {
  const series = new Map<string, Series>();
  const readings: (() => string[] | Promise<string[]>)[] = [];
  return {
    gauge: (name, help, read) => {
      readings.push(async () => [
        ...headLines(name, help, 'gauge'),
        ...countLines(name, await inTime(read())),
      ]);
    },
    counter: (name, help, read) => {
      readings.push(() => [...headLines(name, help, 'counter'), ...countLines(name, read())]);
    },
    count: (operation, status, ms) => {
      let one = series.get(operation);
      if (!one) {
        one = { statuses: new Counts(), counts: new Array(buckets.length + 1).fill(0), seconds: 0 };
        series.set(operation, one);
      }
      one.statuses.add(status);
      const seconds = ms / 1000;
      const at = buckets.findIndex((end) => seconds <= end);
      const bucket = at < 0 ? buckets.length : at;
      one.counts[bucket] = (one.counts[bucket] ?? 0) + 1;
      one.seconds += seconds;
    },
    text: async () => {
      const read = await Promise.all(readings.map((lines) => lines()));
      return [...requestLines(series), ...read.flat(), ...processLines(), ''].join('\n');
    },
  };
}

/** Nothing where it fails or is late: the other values matter most just then. */
async function inTime(reading: Reading | Promise<Reading>): Promise<Reading> {
  if (!(reading instanceof Promise)) return reading;
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), readWithinMs);
  try {
    return await Promise.race([reading, late.promise]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function headLines(name: string, help: string, type: 'gauge' | 'counter' | 'histogram'): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function countLines(name: string, read: Reading): string[] {
  if (read === undefined) return [];
  if (typeof read === 'number') return [`${name} ${read}`];
  return read.map(({ labels, count }) => {
    const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    return `${name}{${pairs.join(',')}} ${count}`;
  });
}

function requestLines(series: ReadonlyMap<string, Series>): string[] {
  const total = 'footlight_http_requests_total';
  const lines = headLines(total, 'Requests answered, by operation and status.', 'counter');
  for (const [operation, { statuses }] of series) {
    for (const [status, count] of statuses) {
      lines.push(`${total}{operation="${operation}",status="${status}"} ${count}`);
    }
  }
  const time = 'footlight_http_request_seconds';
  lines.push(...headLines(time, 'Time from request to answer, by operation.', 'histogram'));
  for (const [operation, { counts, seconds }] of series) {
    const name = (part: string, label = '') => `${time}_${part}{operation="${operation}"${label}}`;
    let sum = 0;
    counts.forEach((count, at) => {
      sum += count;
      lines.push(`${name('bucket', `,le="${buckets[at] ?? '+Inf'}"`)} ${sum}`);
    });
    lines.push(`${name('sum')} ${seconds}`, `${name('count')} ${sum}`);
  }
  return lines;
}

function processLines(): string[] {
  const { user, system } = process.cpuUsage();
  return [
    ...residentMemory(),
    '# TYPE process_cpu_seconds_total counter',
    `process_cpu_seconds_total ${(user + system) / 1e6}`,
    '# TYPE process_uptime_seconds gauge',
    `process_uptime_seconds ${process.uptime()}`,
  ];
}

/** Nothing while descriptors have run out: reading it opens a file, and the other values still matter then. */
function residentMemory(): string[] {
  try {
    const bytes = process.memoryUsage.rss();
    return ['# TYPE process_resident_memory_bytes gauge', `process_resident_memory_bytes ${bytes}`];
  } catch {
    return [];
  }
}
