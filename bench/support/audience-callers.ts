// A load process of callers: the interface's reads at a steady rate, each timed, whether or not the last was answered.
import { answerBench } from './load-answers.ts';

export interface CallersOrder {
  serviceUrl: string;
  token: string;
  channel_id: number;
}

export interface CallersCount {
  /** By operation. */
  calls: Record<Operation, CallTimes>;
  problem?: string;
}

export interface CallTimes {
  count: number;
  medianMs: number;
  p99Ms: number;
  worstMs: number;
}

const operations = {
  channel: ({ channel_id }: CallersOrder) => ({ path: `/v1/activities/${channel_id}` }),
  channels: () => ({ path: '/v1/activities' }),
  visitors: ({ channel_id }: CallersOrder) => ({
    path: `/v1/activities/${channel_id}/visitors`,
    method: 'POST',
    body: JSON.stringify({ perPage: 20, filter: '1' }),
  }),
};
export type Operation = keyof typeof operations;
const names = Object.keys(operations) as Operation[];

/** All operations together: a busy back office, not a load of its own. */
const callEveryMs = 1_000 / 60;
/** How often it is looked whether a call is due. */
const lookEveryMs = 5;

class Callers {
  private readonly order: CallersOrder;

  private tookMs = new Map<Operation, number[]>();
  private readonly underWay = new Set<Promise<void>>();
  private problem: string | undefined;

  constructor(order: CallersOrder) {
    this.order = order;
    const startedAt = performance.now();
    let made = 0;
    setInterval(() => {
      const due = Math.floor((performance.now() - startedAt) / callEveryMs);
      for (; made < due; made++) this.start(names[made % names.length] ?? 'channel');
    }, lookEveryMs);
  }

  begin(): void {
    this.tookMs = new Map();
  }

  async end(): Promise<CallersCount> {
    await Promise.all(this.underWay);
    const calls = Object.fromEntries(names.map((name) => [name, this.timesOf(name)]));
    return {
      calls: calls as Record<Operation, CallTimes>,
      ...(this.problem !== undefined && { problem: this.problem }),
    };
  }

  private start(name: Operation): void {
    const call = this.call(name)
      .catch((error: Error) => {
        this.problem ??= `${name}: ${error.message}`;
      })
      .finally(() => this.underWay.delete(call));
    this.underWay.add(call);
  }

  private async call(name: Operation): Promise<void> {
    const { serviceUrl, token } = this.order;
    const { tookMs } = this;
    const { path, ...request } = operations[name](this.order);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const startedAt = performance.now();
    const response = await fetch(serviceUrl + path, { ...request, headers });
    await response.bytes();
    const times = tookMs.get(name) ?? [];
    tookMs.set(name, times);
    times.push(performance.now() - startedAt);
    if (response.status !== 200) throw new Error(`answered ${response.status}`);
  }

  private timesOf(name: Operation): CallTimes {
    const sorted = (this.tookMs.get(name) ?? []).toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
    return { count: sorted.length, medianMs: at(0.5), p99Ms: at(0.99), worstMs: at(1) };
  }
}

await answerBench(async () => new Callers(JSON.parse(process.argv[2] ?? '') as CallersOrder));
