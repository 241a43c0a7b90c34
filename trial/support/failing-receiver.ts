// A receiver of webhooks that fails by chance and keeps in which order it was told what.
import { webhookLimits } from '../../src/library/webhooks/webhook-limits.ts';
import type { Random } from '../../test/support/random.ts';

export interface Told {
  id: string;
  channel: number;
  /** When it came and when it was accepted, by a count of both. */
  came: number;
  accepted: number | undefined;
}

export interface FailingReceiver {
  url: string;
  /** In the order in which they came. */
  told: Told[];
  /** Whether it has stopped to fail. */
  isWell: boolean;
  /** Resolves with the next request. */
  next(): Promise<void>;
  /** Resolves when it has accepted all of these, or nothing new for longer than any rest. */
  accepted(ids: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** The longest that an answer is held back: a kill then finds requests under way. */
const holdMs = 120;

/** What is to come has come before, or never does. */
const silentMs = webhookLimits.backOffMaxMs + webhookLimits.leaseMs;

export function startFailingReceiver(hostname: string, random: Random): FailingReceiver {
  const done = new Set<string>();
  const waiting = new Set<() => void>();
  const coming = new Set<() => void>();
  let steps = 0;
  const server = Bun.serve({
    port: 0,
    hostname,
    fetch: async (request) => {
      const id = request.headers.get('webhook-id') ?? '';
      const { data } = (await request.json()) as { data: { channel_id: number } };
      const one: Told = { id, channel: data.channel_id, came: steps++, accepted: undefined };
      receiver.told.push(one);
      for (const wake of coming) wake();
      coming.clear();
      if (!receiver.isWell) {
        const chance = random.next();
        if (chance < 0.04) return new Response('', { status: 500 });
        if (chance < 0.5) await Bun.sleep(random.whole(0, holdMs));
      }
      one.accepted = steps++;
      done.add(id);
      for (const wake of waiting) wake();
      return new Response(null, { status: 204 });
    },
  });
  const receiver: FailingReceiver = {
    url: `http://${hostname}:${server.port}/`,
    told: [],
    isWell: false,
    next: () => new Promise<void>((resolve) => coming.add(resolve)),
    accepted: async (ids) => {
      let isSilent = false;
      while (!ids.every((id) => done.has(id)) && !isSilent) {
        const { promise, resolve } = Promise.withResolvers<boolean>();
        const wake = () => resolve(false);
        const patience = setTimeout(() => resolve(true), silentMs);
        waiting.add(wake);
        isSilent = await promise;
        waiting.delete(wake);
        clearTimeout(patience);
      }
    },
    stop: () => server.stop(true),
  };
  return receiver;
}
