// A channel's push as its holder knows it, asked at any node.
import { jsonCodec, linkTopic } from '../../base/links/link-topic.ts';
import { type HeldChannel, type PushHolders, readChannelId } from './push-holders.ts';
import type { PushNow } from './push-now.ts';

const pushTopic = linkTopic('push', {
  question: jsonCodec(readChannelId),
  answer: jsonCodec(readPush),
});

/** The control room asks every two seconds: an answer that is older tells nothing. */
const askedWithinMs = 2_000;

/** What is known of a push, here or at the node that has it; undefined where that is no node, or does not say. */
export function joinPushes(given: {
  holders: PushHolders;
  pushHere(channel_id: number): PushNow | undefined;
}): (channel: HeldChannel) => Promise<PushNow | undefined> {
  const { holders, pushHere } = given;
  holders.links.join(pushTopic, { asked: (_, channel_id) => pushHere(channel_id) ?? null });
  return async (channel) => {
    const here = pushHere(channel.id);
    if (here) return here;
    const order = { question: channel.id, withinMs: askedWithinMs };
    const asked = await holders.ask(pushTopic, channel, order).catch(() => undefined);
    return asked ?? undefined;
  };
}

/** What JSON leaves out or makes null is undefined, or null, where it came from. */
function readPush(value: unknown): PushNow | null {
  if (value === null) return null;
  const { startedAt, isConnected, words, health } = (value ?? {}) as Record<string, unknown>;
  const areRecords = [words, health].every((one) => typeof one === 'object' && one !== null);
  if (!Number.isSafeInteger(startedAt) || typeof isConnected !== 'boolean' || !areRecords)
    throw new Error('this is no push');
  return value as PushNow;
}
