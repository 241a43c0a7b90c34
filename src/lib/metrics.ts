// Counts of requests and what the process uses, as Prometheus reads them.

/** Upper ends of the duration buckets, in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

interface Series {
  statuses: Map<number, number>;
  /** Calls per bucket; the last is for those beyond every bucket. */
  counts: number[];
  seconds: number;
}

export interface Metrics {
  count(operation: string, status: number, ms: number): void;
  /** A value that is read when somebody asks. */
  gauge(name: string, help: string, read: () => number): void;
  text(): string;
}

export function startMetrics(): Metrics {
  const series = new Map<string, Series>();
  const gauges: (() => string[])[] = [];
  return {
    gauge: (name, help, read) => {
      gauges.push(() => [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${read()}`]);
    },
    count: (operation, status, ms) => {
      let one = series.get(operation);
      if (!one) {
        one = { statuses: new Map(), counts: new Array(buckets.length + 1).fill(0), seconds: 0 };
        series.set(operation, one);
      }
      one.statuses.set(status, (one.statuses.get(status) ?? 0) + 1);
      const seconds = ms / 1000;
      const at = buckets.findIndex((end) => seconds <= end);
      const bucket = at < 0 ? buckets.length : at;
      one.counts[bucket] = (one.counts[bucket] ?? 0) + 1;
      one.seconds += seconds;
    },
    text: () =>
      [...requestLines(series), ...gauges.flatMap((lines) => lines()), ...processLines(), ''].join(
        '\n',
      ),
  };
}

function requestLines(series: ReadonlyMap<string, Series>): string[] {
  const lines = [
    '# HELP footlight_http_requests_total Requests answered, by operation and status.',
    '# TYPE footlight_http_requests_total counter',
  ];
  for (const [operation, { statuses }] of series) {
    for (const [status, count] of statuses) {
      lines.push(
        `footlight_http_requests_total{operation="${operation}",status="${status}"} ${count}`,
      );
    }
  }
  lines.push(
    '# HELP footlight_http_request_seconds Time from request to answer, by operation.',
    '# TYPE footlight_http_request_seconds histogram',
  );
  for (const [operation, { counts, seconds }] of series) {
    const name = (part: string, label = '') =>
      `footlight_http_request_seconds_${part}{operation="${operation}"${label}}`;
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
