// The attackers, in a process of their own so that the viewers beside them have an event loop to themselves.

import { seeded } from '../../test/support/random.ts';
import { type HostileTarget, throwRequest, waitInCrowd } from './hostile-http.ts';
import { hostileSession, throwSession } from './hostile-rtmp.ts';
import { type RealMedia, realMedia } from './real-media.ts';

export interface HostileOrder {
  seed: number;
  rtmpPort: number;
  /** Publish keys; as many attackers as there are keys, each with a channel to itself. */
  keys: readonly string[];
  sessions: number;
  requests: number;
  /** Players that wait for one segment; 0 for none. */
  crowd: number;
  target: HostileTarget;
}

/** What became of it, counted; or why it failed. */
export type HostileReport = { counts: Record<string, number> } | { problem: string };

if (import.meta.main) {
  const order = JSON.parse(process.argv[2] ?? '') as HostileOrder;
  const report = await attackAll(order).catch((error: Error) => ({ problem: error.message }));
  console.log(JSON.stringify(report));
  process.exit();
}

async function attackAll(order: HostileOrder): Promise<HostileReport> {
  const { keys, seed, crowd, target } = order;
  const run = new Attack(order);
  const random = seeded(seed);
  await Promise.all([
    ...keys.map((key) => run.push(key, random.whole(0, 0xffffffff))),
    ...keys.map(() => run.ask(random.whole(0, 0xffffffff))),
    run.wait(crowd, target),
  ]);
  return { counts: run.counts };
}

class Attack {
  private readonly order: HostileOrder;
  private readonly real: RealMedia = realMedia();

  readonly counts: Record<string, number> = {};

  constructor(order: HostileOrder) {
    this.order = order;
  }

  /** One session after another. */
  async push(key: string, seed: number): Promise<void> {
    const { sessions, keys, rtmpPort } = this.order;
    const random = seeded(seed);
    for (let count = 0; count < sessions / keys.length; count++) {
      const session = hostileSession(this.real, key, random);
      const endedBy = await throwSession(session, { port: rtmpPort, random });
      this.count(`${session.kind}, ended by ${endedBy === 'server' ? 'the server' : 'us'}`);
    }
  }

  async ask(seed: number): Promise<void> {
    const { requests, keys, target } = this.order;
    const random = seeded(seed);
    for (let count = 0; count < requests / keys.length; count++)
      this.count(`requests answered ${await throwRequest(target, random)}`);
  }

  async wait(crowd: number, target: HostileTarget): Promise<void> {
    if (crowd === 0) return;
    const statuses = await waitInCrowd(target, crowd);
    const answered = statuses[200] ?? 0;
    if (answered < crowd)
      throw new Error(`of ${crowd} who waited not all got a playlist: ${JSON.stringify(statuses)}`);
    this.count('waited in a crowd', answered);
  }

  private count(what: string, times = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + times;
  }
}
