// Fault 25: the sender of webhooks killed at random moments, before a receiver that fails; none lost, none out of order.
import type { Engine } from '../test/support/engines.ts';
import { freePort } from '../test/support/free-port.ts';
import { type Random, seeded } from '../test/support/random.ts';
import { NoAnswer } from '../test/support/rude/http-connection.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { asking, type DatabaseSettings } from '../test/support/snapshot.ts';
import {
  demand,
  type Figures,
  onEachEngine,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import {
  type FailingReceiver,
  startFailingReceiver,
  type Told,
} from './support/failing-receiver.ts';

/** The longest that a service lives after the first request of a round, or after this long without one: all may rest. */
const killWithinMs = 250;
const requestWithinMs = 1_500;
const channelsCount = 4;

export const trial: Trial = {
  sentence:
    'the sender of webhooks killed at random moments: no event lost, order per channel kept, none to a private address',
  rounds: 100,
  run: (options) => onEachEngine(options, (engine) => killWebhookRounds({ ...options, engine })),
};

export async function killWebhookRounds({
  rounds,
  seed,
  say,
  engine,
}: RoundOptions & { engine: Engine }): Promise<Figures> {
  const settings = {
    ...(await engine.fresh()),
    PORT: String(await freePort()),
    WEBHOOK_PRIVATE_TARGETS: '127.0.0.1',
  };
  const receiver = startFailingReceiver('127.0.0.1', seeded(seed));
  // What it is told went to an address that is not allowed.
  const forbidden = startFailingReceiver('127.0.0.2', seeded(seed));
  const stage = await setStage(settings, [receiver, forbidden]);
  const { token, channels, webhook } = stage;
  let service = await startProcess(settings, { token });
  try {
    for (let at = 0; at < rounds; at += 1) {
      await round('kill-webhooks', seed + at, async () => {
        const random = seeded(seed + at);
        await writeUntilKilled(service, { channels, receiver, random, tag: `r${at}` });
        service = await startProcess(settings, { token });
      });
      if ((at + 1) % 20 === 0) say(`${at + 1} rounds, ${receiver.told.length} requests`);
    }
    receiver.isWell = true;
    // Nothing waits for a rest that is left then.
    await service.call('PUT', `/manage/v1/webhooks/${webhook}`, { body: { enabled: true } });
    const events = await eventsSince(settings, stage.seq);
    await receiver.accepted(events.map(({ id }) => id));
    const problems = await judged({ settings, receiver, forbidden, events });
    demand(problems);
    return {
      rounds,
      events: events.length,
      sent: receiver.told.length,
      repeated: receiver.told.length - events.length,
      to_private: forbidden.told.length,
    };
  } finally {
    await service.kill();
    await Promise.all([receiver.stop(), forbidden.stop()]);
  }
}

/** Channels, and a webhook for each receiver, made while both were allowed. */
async function setStage(
  settings: Record<string, string> & DatabaseSettings,
  receivers: readonly FailingReceiver[],
) {
  const service = await startProcess({ ...settings, WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' });
  const { token } = service;
  try {
    const channels: number[] = [];
    for (let at = 0; at < channelsCount; at += 1) {
      const made = await service.call('POST', '/v1/activities', { body: { name: `of ${at}` } });
      channels.push(made.body.id);
    }
    const webhooks: number[] = [];
    for (const { url } of receivers) {
      const body = { url, events: ['channel.updated'] };
      const made = await service.call('POST', '/manage/v1/webhooks', { body });
      demand(made.status === 200 ? [] : [`the webhook was refused: ${made.text}`]);
      webhooks.push(made.body.id);
    }
    const [last] = await asking(settings, (ask) => ask('SELECT MAX(seq) AS seq FROM events'));
    return { token, channels, webhook: webhooks[0] ?? 0, seq: Number(last?.['seq'] ?? 0) };
  } finally {
    await service.kill();
  }
}

async function writeUntilKilled(
  service: ServiceProcess,
  given: {
    channels: readonly number[];
    receiver: FailingReceiver;
    random: Random;
    tag: string;
  },
): Promise<void> {
  const { channels, receiver, random, tag } = given;
  const begun = Promise.withResolvers<void>();
  let isKilled = false;
  const writers = channels.map(async (id) => {
    for (let at = 0; ; at += 1) {
      try {
        const body = { name: `${tag} ${at}` };
        await service.call('PUT', `/v1/activities/${id}`, { body });
        begun.resolve();
      } catch (error) {
        // Also where it takes no connection any more.
        if (error instanceof NoAnswer || isKilled) return;
        throw error;
      }
      await Bun.sleep(random.whole(5, 40));
    }
  });
  await begun.promise;
  await Promise.race([receiver.next(), Bun.sleep(requestWithinMs)]);
  // The moment is the point here: no event is waited for.
  await Bun.sleep(random.whole(0, killWithinMs));
  isKilled = true;
  await service.kill();
  await Promise.all(writers);
}

interface KeptEvent {
  id: string;
  channel: number;
}

async function eventsSince(settings: DatabaseSettings, seq: number): Promise<KeptEvent[]> {
  const rows = await asking(settings, (ask) =>
    ask(`SELECT id, channel_id FROM events WHERE feed = 0 AND seq > ${seq}
      AND type = 'channel.updated' ORDER BY seq`),
  );
  return rows.map((row) => ({ id: String(row['id']), channel: Number(row['channel_id']) }));
}

async function judged(given: {
  settings: DatabaseSettings;
  receiver: FailingReceiver;
  forbidden: FailingReceiver;
  events: readonly KeptEvent[];
}): Promise<string[]> {
  const { settings, receiver, forbidden, events } = given;
  const problems = forbidden.told.map(({ id }) => `${id} went to a private address`);
  const known = new Map(events.map(({ id }, at) => [id, at]));
  for (const { id } of receiver.told) if (!known.has(id)) problems.push(`${id} was made up`);
  for (const [channel, of] of Map.groupBy(events, (event) => event.channel)) {
    const told = receiver.told.filter((one) => one.channel === channel);
    problems.push(...outOfOrder(told, of));
  }
  const refused = await asking(settings, (ask) =>
    ask('SELECT DISTINCT problem FROM webhook_deliveries WHERE webhook_id = 2 AND tries > 0'),
  );
  if (!refused.every(({ problem }) => String(problem).includes('private address')))
    problems.push(`the private one was refused otherwise: ${JSON.stringify(refused)}`);
  return problems;
}

/** Each comes when the one before was accepted, and none after the next one has come. */
function outOfOrder(told: readonly Told[], events: readonly KeptEvent[]): string[] {
  const byId = Map.groupBy(told, ({ id }) => id);
  let before = -1;
  let last = -1;
  const problems: string[] = [];
  for (const { id } of events) {
    const tries = byId.get(id) ?? [];
    const accepted = Math.min(...tries.map((one) => one.accepted ?? Number.POSITIVE_INFINITY));
    const first = Math.min(...tries.map(({ came }) => came));
    if (accepted === Number.POSITIVE_INFINITY) problems.push(`${id} was lost`);
    if (first < before || first < last) problems.push(`${id} came out of its order`);
    before = accepted;
    last = Math.max(...tries.map(({ came }) => came));
  }
  return problems;
}
