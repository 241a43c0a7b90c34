// A receiver of webhooks that fails by chance and keeps in which order it was told what.
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
  /** Resolves when it has accepted all of these. */
  accepted(ids: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** The longest that an answer is held back: a kill then finds requests under way. */
const holdMs = 120;

export function startFailingReceiver(hostname: string, random: Random): FailingReceiver {
  const done = new Set<string>();
  const waiting = new Set<() => void>();
  let steps = 0;
  const server = Bun.serve({
    port: 0,
    hostname,
    fetch: async (request) => {
      const id = request.headers.get('webhook-id') ?? '';
      const { data } = (await request.json()) as { data: { channel_id: number } };
      const one: Told = { id, channel: data.channel_id, came: steps++, accepted: undefined };
      receiver.told.push(one);
      if (!receiver.isWell) {
        const chance = random.next();
        if (chance < 0.1) return new Response('', { status: 500 });
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
    accepted: async (ids) => {
      while (!ids.every((id) => done.has(id)))
        await new Promise<void>((resolve) => waiting.add(resolve));
    },
    stop: () => server.stop(true),
  };
  return receiver;
}
