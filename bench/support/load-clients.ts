// The inside of a load process: its clients, counted from when the bench says so.

/** What one client has sent or received so far. */
export interface LoadClient {
  bytes: number;
  /** How far it has come in the stream. */
  mediaMs: number;
  answers: number;
}

export interface LoadCount {
  seconds: number;
  /** Of all clients together. */
  bytes: number;
  answers: number;
  /** Media that the slowest client had a second; 1 is the full rate. */
  leastRate: number;
  /** User and system time of the load process itself. */
  cpuSeconds: number;
  /** Why a client stopped. */
  problem?: string;
}

/** Starts every client, a little after the one before, then answers the bench; `spreadMs` is from first to last. */
export async function runClients(options: {
  count: number;
  spreadMs: number;
  start(client: LoadClient, index: number): Promise<void>;
}): Promise<void> {
  const { count, spreadMs, start } = options;
  const clients = Array.from({ length: count }, () => ({ bytes: 0, mediaMs: 0, answers: 0 }));
  const counter = new Counter(clients);
  process.on('message', (word) => {
    process.send?.(word === 'begin' ? counter.begin() : counter.end());
  });
  process.on('disconnect', () => process.exit(0));
  process.on('unhandledRejection', (error) => counter.fail(error));
  const started = clients.map(async (client, index) => {
    await Bun.sleep((spreadMs * index) / count);
    await start(client, index);
  });
  await Promise.all(started).catch((error) => counter.fail(error));
  process.send?.(counter.begin());
}

class Counter {
  private readonly clients: readonly LoadClient[];

  private before: readonly LoadClient[] = [];
  private startedAt = 0;
  private usedBefore = 0;
  private problem: string | undefined;

  constructor(clients: readonly LoadClient[]) {
    this.clients = clients;
  }

  fail(error: unknown): void {
    this.problem ??= error instanceof Error ? error.message : String(error);
  }

  begin(): LoadCount {
    this.before = this.clients.map((client) => ({ ...client }));
    this.startedAt = performance.now();
    this.usedBefore = usedSeconds();
    return this.end();
  }

  end(): LoadCount {
    const seconds = (performance.now() - this.startedAt) / 1000;
    const since = (key: keyof LoadClient) =>
      this.clients.map((client, at) => client[key] - (this.before[at]?.[key] ?? 0));
    return {
      seconds,
      bytes: sum(since('bytes')),
      answers: sum(since('answers')),
      leastRate: Math.min(...since('mediaMs')) / 1000 / seconds,
      cpuSeconds: usedSeconds() - this.usedBefore,
      ...(this.problem !== undefined && { problem: this.problem }),
    };
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function usedSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
