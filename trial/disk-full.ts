// Fault 3: the disk fills while writes run; they answer 503, reads go on, and all recovers when there is room.

import { Ledger } from '../test/support/ledger.ts';
import { late } from '../test/support/machine-pace.ts';
import { type Random, seeded } from '../test/support/random.ts';
import { HttpConnection } from '../test/support/rude/http-connection.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { mountSmallDisk, type SmallDisk } from '../test/support/small-disk.ts';
import { type DatabaseSettings, snapshot } from '../test/support/snapshot.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { startReaders } from './support/readers.ts';
import { untilReady } from './support/readiness.ts';
import { createShared, startWriters } from './support/writers.ts';

/** Twice what /readyz wants to be free, so that an emptied disk is ready. */
const diskBytes = 64 * 1_048_576;
/** From room on the disk to a service that is ready and takes writes. */
const recoversWithinMs = 3_000;
/** How long the disk stays full. */
const fullMs = 300;
/** The most that is left free: writes may go on until it is used up. */
const leftBytesMax = 100_000;

export const trial: Trial = {
  sentence: 'the disk fills under writes (root): 503, reads go on, all recovers, nothing is lost',
  rounds: 40,
  run: diskFullRounds,
};

export async function diskFullRounds({ rounds, seed, say }: RoundOptions): Promise<Figures> {
  const disk = mountSmallDisk(diskBytes);
  const settings = { DATA_DIR: disk.folder, DATABASE_URL: '', LOG_LEVEL: 'silent' };
  const run = new DiskFullRun(disk, settings);
  try {
    await run.start();
    for (let at = 0; at < rounds; at++) {
      await round('disk-full', seed + at, () => run.round(`r${at}`, seeded(seed + at)));
      if ((at + 1) % 10 === 0) say(`${at + 1} rounds, ${run.figures().acknowledged} acknowledged`);
    }
    await run.checkAfterKill();
    return { rounds, ...run.figures() };
  } finally {
    await run.end();
    disk.unmount();
  }
}

class DiskFullRun {
  private readonly disk: SmallDisk;
  private readonly settings: DatabaseSettings & Record<string, string>;

  private readonly ledger = new Ledger();
  private service: ServiceProcess | undefined;
  private reads = 0;
  private restarts = 0;
  private slowestRecoveryMs = 0;

  constructor(disk: SmallDisk, settings: DatabaseSettings & Record<string, string>) {
    this.disk = disk;
    this.settings = settings;
  }

  async start(): Promise<void> {
    this.service = await startProcess(this.settings);
  }

  async end(): Promise<void> {
    await this.service?.kill();
  }

  figures() {
    return {
      ...this.ledger.counts,
      lost: 0,
      reads_while_full: this.reads,
      restarts_while_full: this.restarts,
      slowest_recovery_ms: Math.round(this.slowestRecoveryMs),
    };
  }

  /** Fills the disk under writes, holds it full, in some rounds kills the service there, and makes room. */
  async round(tag: string, random: Random): Promise<void> {
    const { ledger, disk } = this;
    const { url, token } = this.running();
    const connection = await HttpConnection.open(url);
    const sharedId = await createShared(connection, { token, ledger, tag });
    const writers = startWriters({ url, token, ledger, random, tag, sharedId });
    await writers.next('acknowledged');
    disk.fill(random.whole(0, leftBytesMax));
    await writers.next('refused');
    await untilReady(url, { ready: false, withinMs: 1_000 });
    const paths = ['/v1/activities', `/v1/activities/${sharedId}`, '/v1/videos', '/livez'];
    const readers = await startReaders({ url, token, paths });
    // The length of the fault is the point here: no event is waited for.
    await Bun.sleep(fullMs);
    const { reads, problems } = await readers.stop();
    demand(problems);
    this.reads += reads;
    if (random.whole(1, 3) === 1) {
      await this.restartWhileFull();
      await writers.ended;
      await this.recover(async () => {
        const again = await HttpConnection.open(this.running().url);
        await createShared(again, { token, ledger, tag: `${tag}-again` });
        again.close();
      });
    } else {
      await this.recover(() => writers.next('acknowledged'));
      await writers.stop();
    }
    connection.close();
    await this.checkNothingLost();
  }

  /** What was answered 200 is there after a kill -9 too. */
  async checkAfterKill(): Promise<void> {
    const { token } = this.running();
    await this.running().kill();
    this.service = await startProcess(this.settings, { token });
    await this.checkNothingLost();
  }

  private async restartWhileFull(): Promise<void> {
    const { token } = this.running();
    await this.running().kill();
    this.service = await startProcess(this.settings, { token });
    const { status, text } = await this.service.call('GET', '/v1/activities');
    if (status !== 200) throw new Error(`after a start on a full disk a read was answered ${text}`);
    this.restarts += 1;
  }

  /** Makes room and waits until the service is itself again. */
  private async recover(written: () => Promise<void>): Promise<void> {
    const startedAt = performance.now();
    this.disk.empty();
    await written();
    await untilReady(this.running().url, { ready: true, withinMs: recoversWithinMs });
    const tookMs = performance.now() - startedAt;
    demand(late('recovery', tookMs, recoversWithinMs));
    this.slowestRecoveryMs = Math.max(this.slowestRecoveryMs, tookMs);
  }

  private async checkNothingLost(): Promise<void> {
    const found = await snapshot(this.settings);
    demand(Object.values(this.ledger.compare(found)).flat());
    this.ledger.settle(found);
  }

  private running(): ServiceProcess {
    if (!this.service) throw new Error('the service was not started');
    return this.service;
  }
}
