// Exports of a million rows: memory stays flat, every row comes once, others are served meanwhile, slow callers hold little.
import { recountBlocks } from '../src/audience/records/block-count-store.ts';
import { lockAudience, saveAudience } from '../src/audience/records/channel-audience-store.ts';
import { type AnyOperation, write } from '../src/base/db/sql.ts';
import { openCommandStore } from '../src/base/db/store.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import { until } from '../test/support/live-channel.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { openSlow } from './support/slow-sockets.ts';

const megabyte = 1_024 * 1_024;
/** What a service that has just started takes more when it is busy; it does not depend on the number of rows. */
const busyBytesMax = 128 * megabyte;
/** What the collector may leave standing at one time and not at another. */
const unevenBytesMax = 32 * megabyte;
/** As many as one account may have under way. */
const slowCallers = 8;

export const trial: Trial = {
  sentence: 'exports of a million rows: flat memory, every row once, slow callers hold little',
  rounds: 2,
  run: (options) => exportRounds(options, { rows: 1_000_000 }),
};

export async function exportRounds(
  { rounds, seed, say }: RoundOptions,
  { rows }: { rows: number },
): Promise<Figures> {
  const settings = { DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M', LOG_LEVEL: 'warn' };
  const first = await startProcess(settings);
  const channel = await newChannel(first);
  await first.stop();
  await fill(settings.DATA_DIR, channel, rows);
  const service = await startProcess(settings, { token: first.token });
  try {
    const run = new ExportRun(service, { channel, rows });
    for (let at = 0; at < rounds; at++) {
      await round('export', seed + at, () => run.round());
      say(`${at + 1} rounds: ${JSON.stringify(run.figures())}`);
    }
    return { rounds, rows, ...run.figures() };
  } finally {
    await service.kill();
  }
}

class ExportRun {
  private readonly service: ServiceProcess;
  private readonly channel: number;
  private readonly rows: number;

  private readonly most: Record<string, number> = {};

  constructor(service: ServiceProcess, given: { channel: number; rows: number }) {
    this.service = service;
    this.channel = given.channel;
    this.rows = given.rows;
  }

  figures(): Figures {
    return this.most;
  }

  async round(): Promise<void> {
    for (const format of ['csv', 'ndjson'] as const) await this.takeWhole(format);
    await this.sufferSlow();
  }

  /** One caller as fast as they can, and another who asks something small all the time. */
  private async takeWhole(format: 'csv' | 'ndjson'): Promise<void> {
    const beforeBytes = this.resident();
    const startedAt = performance.now();
    const watched = this.watch();
    const { lines, bytes } = await this.take(`sessions.${format}`);
    const { residentBytes, slowestMs } = await watched.stop();
    const middle = Math.ceil(residentBytes.length / 2);
    const firstBytes = Math.max(...residentBytes.slice(0, middle));
    const secondBytes = Math.max(...residentBytes.slice(middle));
    this.note(`${format}_mb`, bytes / megabyte);
    this.note(`${format}_s`, (performance.now() - startedAt) / 1_000);
    this.note(`${format}_resident_before_mb`, beforeBytes / megabyte);
    this.note(`${format}_resident_first_half_mb`, firstBytes / megabyte);
    this.note(`${format}_resident_second_half_mb`, secondBytes / megabyte);
    this.note('slowest_call_ms', slowestMs);
    const wanted = this.rows + (format === 'csv' ? 1 : 0);
    const problems: string[] = [];
    if (lines !== wanted) problems.push(`${format} has ${lines} lines, not ${wanted}`);
    if (secondBytes > firstBytes + unevenBytesMax)
      problems.push(`${format}: memory grew from ${firstBytes} to ${secondBytes} bytes`);
    if (firstBytes > beforeBytes + busyBytesMax)
      problems.push(`${format}: ${firstBytes - beforeBytes} bytes more than before`);
    demand(problems);
  }

  /** Callers who ask and do not read; when they have left, the next is served. */
  private async sufferSlow(): Promise<void> {
    const beforeBytes = this.resident();
    const port = Number(new URL(this.service.url).port);
    const request = `GET ${this.path('sessions.csv')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${this.service.token}\r\n\r\n`;
    const come = (count: number) => openSlow({ port, count, bytes: () => request });
    const slow = [await come(slowCallers)];
    const answers = async (status: number) => {
      const response = await this.ask('visitors.csv');
      await response.text();
      return response.status === status;
    };
    const isFull = async () => {
      if (await answers(503)) return true;
      // Who came while the export before had its place was refused.
      slow.push(await come(1));
      return false;
    };
    await until(isFull, { withinMs: 10_000, otherwise: 'the slow callers are not all served' });
    const moreBytes = this.resident() - beforeBytes;
    this.note('slow_more_mb', moreBytes / megabyte);
    for (const crowd of slow) await crowd.leave();
    await until(() => answers(200), {
      withinMs: 10_000,
      otherwise: 'those who have left are still served',
    });
    demand(
      moreBytes > unevenBytesMax
        ? [`${slowCallers} slow callers hold ${Math.round(moreBytes / megabyte)} MB`]
        : [],
    );
  }

  private async ask(file: string): Promise<Response> {
    const headers = { authorization: `Bearer ${this.service.token}` };
    return await fetch(this.service.url + this.path(file), { headers });
  }

  /** Counts what comes without keeping any of it. */
  private async take(file: string): Promise<{ lines: number; bytes: number }> {
    const { body } = await this.ask(file);
    let lines = 0;
    let bytes = 0;
    for await (const chunk of body ?? []) {
      bytes += chunk.length;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
    }
    return { lines, bytes };
  }

  private path(file: string): string {
    return `/manage/v1/channels/${this.channel}/${file}`;
  }

  /** Memory and the time of a small call, again and again until it is stopped. */
  private watch() {
    const seen = { residentBytes: [] as number[], slowestMs: 0, isStopped: false };
    const looking = (async () => {
      while (!seen.isStopped) {
        seen.residentBytes.push(this.resident());
        const askedAt = performance.now();
        await this.service.call('GET', `/v1/activities/${this.channel}`);
        seen.slowestMs = Math.max(seen.slowestMs, performance.now() - askedAt);
        // How it goes over the time is the point here: no event is waited for.
        await Bun.sleep(50);
      }
    })();
    return {
      stop: async () => {
        seen.isStopped = true;
        await looking;
        return seen;
      },
    };
  }

  private note(name: string, value: number): void {
    this.most[name] = Math.max(this.most[name] ?? 0, Math.round(value * 10) / 10);
  }

  private resident(): number {
    return this.service.memory().residentBytes;
  }
}

async function newChannel(service: ServiceProcess): Promise<number> {
  const { body } = await service.call('POST', '/v1/activities', { body: { name: 'large' } });
  return body.id;
}

/** Sessions of a tenth as many viewers, straight into the tables: an import of so many takes minutes. */
async function fill(dataDir: string, channel_id: number, rows: number): Promise<void> {
  const operation = write('trial.fill', async (sql) => {
    const audience = await lockAudience(sql, channel_id);
    await sql.run(
      `WITH RECURSIVE n (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < $2)
       INSERT INTO sessions (channel_id, seq, record_id, viewer_id, nick, addr, phone, device, browser, origin,
         ip, entered_at, last_seen_at, online_ms, watch_ms, credited_until)
       SELECT $1, seq, seq, 'v-' || (seq / 10), '观众 "' || seq || '", =1', '广东省深圳市', '', 'iPhone', 'WeChat',
         'example.com', '203.0.113.9', 1700000000000 + seq, 1700000060000 + seq, 60000, seq % 60000,
         1700000060000 + seq FROM n`,
      [channel_id, rows],
    );
    audience.next_session_seq = rows + 1;
    audience.last_entry_at = 1_700_000_000_000 + rows;
    await saveAudience(sql, channel_id, audience);
    await recountBlocks(sql, { channel_id, kind: 'session', fromSeq: 0 });
  });
  const store = await openCommandStore(
    { dataDir, databaseUrl: '', deadlineMs: 600_000, connectionsMax: 1 },
    [operation as AnyOperation],
  );
  await store.perform(operation, undefined);
  await store.close();
}
