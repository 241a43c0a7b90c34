// Many clients that write at once, with a book of when each write was sent and answered; and what a copy has of it.
import { HttpConnection } from '../../test/support/rude/http-connection.ts';
import { asking, type DatabaseSettings } from '../../test/support/snapshot.ts';

/** A channel that is made is its write 0, each renaming the next; times by `performance.now`. */
interface Write {
  sentAt: number;
  answeredAt: number;
}

export class SnapshotWriters {
  private readonly service: { url: string; token: string };

  /** By name of the channel, which each renaming puts a number behind. */
  private readonly written = new Map<string, Write[]>();
  private isStopped = false;
  private work: Promise<void>[] = [];

  constructor(service: { url: string; token: string }) {
    this.service = service;
  }

  /** So many connections, each of which writes one after another. */
  start(count: number): void {
    this.work = Array.from({ length: count }, (_, n) => this.run(`w${n}`));
    // Told by `stop`.
    for (const one of this.work) one.catch(() => {});
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.work);
  }

  /** Answered so far. */
  get count(): number {
    let count = 0;
    for (const writes of this.written.values()) count += writes.length;
    return count;
  }

  private async run(tag: string): Promise<void> {
    const { url, token } = this.service;
    const connection = await HttpConnection.open(url);
    const ask = async (method: string, path: string, name: string): Promise<number> => {
      const headers = method === 'POST' ? { 'idempotency-key': name } : {};
      const { status, text, body } = await connection.request(method, path, {
        ...{ token, headers },
        body: { name },
      });
      if (status !== 200) throw new Error(`a write was answered ${status}: ${text}`);
      return body.id;
    };
    try {
      for (let n = 0; !this.isStopped; n++) {
        const name = `${tag}-c${n}`;
        const writes: Write[] = [];
        this.written.set(name, writes);
        const timed = async (write: () => Promise<number>) => {
          const sentAt = performance.now();
          const id = await write();
          writes.push({ sentAt, answeredAt: performance.now() });
          return id;
        };
        const id = await timed(() => ask('POST', '/v1/activities', `${name}.0`));
        for (let times = 1; times <= renamings && !this.isStopped; times++)
          await timed(() => ask('PUT', `/v1/activities/${id}`, `${name}.${times}`));
      }
    } finally {
      connection.close();
    }
  }

  /**
   * What does not hold of a copy that was begun and done at these times. All that was answered before is there, nothing
   * that was sent after. And it is of one moment: where it has a write, it has all that were answered before that was sent.
   */
  async problems(
    settings: DatabaseSettings,
    { begunAt, doneAt }: { begunAt: number; doneAt: number },
  ): Promise<{ problems: string[]; had: number; lacked: number }> {
    const { channels, renamed, made } = await asking(settings, async (ask) => ({
      channels: await ask('SELECT id, name FROM channels'),
      renamed: await ask(
        "SELECT target_id, COUNT(*) AS n FROM audit_log WHERE operation = 'renameChannel' GROUP BY target_id",
      ),
      made: await ask("SELECT target_id FROM audit_log WHERE operation = 'createChannel'"),
    }));
    const problems: string[] = [];
    const timesRenamed = new Map(
      renamed.map((row) => [Number(row['target_id']), Number(row['n'])]),
    );
    const isNoted = new Set(made.map((row) => Number(row['target_id'])));
    const found = new Map<string, number>();
    for (const { id, name } of channels) {
      const [, own, times] = /^(w\d+-c\d+)\.(\d+)$/.exec(String(name)) ?? [];
      if (own === undefined) continue;
      if (found.has(own)) problems.push(`channel ${own} is there twice`);
      found.set(own, Number(times));
      const noted = timesRenamed.get(Number(id)) ?? 0;
      if (noted !== Number(times) || !isNoted.has(Number(id)))
        problems.push(`channel ${name} was renamed ${noted} times, says the audit log`);
    }
    const copied: Write[] = [];
    const left: Write[] = [];
    for (const [name, writes] of this.written) {
      const last = found.get(name) ?? -1;
      found.delete(name);
      for (const [n, write] of writes.entries()) (n <= last ? copied : left).push(write);
    }
    for (const name of found.keys()) problems.push(`nobody made channel ${name}`);
    const lost = left.filter(({ answeredAt }) => answeredAt < begunAt).length;
    if (lost > 0) problems.push(`${lost} writes were answered before it began, and are not there`);
    const late = copied.filter(({ sentAt }) => sentAt > doneAt).length;
    if (late > 0) problems.push(`${late} writes were sent after it was done, and are there`);
    const lastSent = Math.max(...copied.map(({ sentAt }) => sentAt));
    const passed = left.filter(({ answeredAt }) => answeredAt < lastSent).length;
    if (passed > 0)
      problems.push(
        `it is of no one moment: ${passed} writes are not there that others came after`,
      );
    return { problems, had: copied.length, lacked: left.length };
  }
}

/** Of each channel. */
const renamings = 5;
