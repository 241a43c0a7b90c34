// Clips asked for at any node: cut by the one on whose disk the recording lies, in the turn of its account there.
import { ofAccount } from '../../base/db/whose.ts';
import type { Log } from '../../base/lib/log.ts';
import { jsonCodec, linkTopic } from '../../base/links/link-topic.ts';
import { doneOr, outcomeCodec, outcomeOf } from '../../base/links/outcome.ts';
import type { PushHolders } from '../live/push-holders.ts';
import type { ClipOrder, MadeClip } from './clip.ts';
import { clipLimits } from './clip-limits.ts';
import { LiesElsewhere } from './clip-sources.ts';
import type { Clips } from './clips.ts';

const clipTopic = linkTopic('clip', {
  question: jsonCodec(readOrder),
  answer: outcomeCodec(jsonCodec(readMade)),
});

/** Whoever is asked by a node asks no other. */
export function sharedClips(given: { clips: Clips; holders: PushHolders; log: Log }): Clips {
  const { clips, holders, log } = given;
  const { asking } = holders;
  asking.links.join(clipTopic, {
    asked: async (node, order) => {
      const outcome = await outcomeOf(() => clips.make(order));
      const cause = 'refused' in outcome ? outcome.refused.cause : undefined;
      if (cause) log.error('a clip that a node has asked for was not made', { node, error: cause });
      return outcome;
    },
  });
  return {
    make: async (order) => {
      try {
        return await clips.make(order);
      } catch (error) {
        if (!(error instanceof LiesElsewhere)) throw error;
        // The channel's row has more than the other node needs, its key too.
        const { id, account_id, name } = order.channel;
        const question = { ...order, channel: { id, account_id, name } };
        const asked = {
          question,
          whose: ofAccount({ account_id }),
          withinMs: clipLimits.askedWithinMs,
        };
        const outcome = await asking.node(clipTopic, error.node, asked);
        if (!outcome) throw error;
        return doneOr(outcome);
      }
    },
  };
}

function readOrder(value: unknown): ClipOrder {
  const { channel, of, name } = (value ?? {}) as ClipOrder;
  const isChannel = isNumber(channel?.id) && isNumber(channel.account_id) && isText(channel.name);
  const isOf = typeof of === 'object' && of !== null && Object.values(of).every(isNumber);
  if (!isChannel || !isOf || !(name === undefined || isText(name)))
    throw new Error('this is no order of a clip');
  return { channel, of, name };
}

function readMade(value: unknown): MadeClip {
  const { video_id, fromMs, toMs } = (value ?? {}) as MadeClip;
  if (![video_id, fromMs, toMs].every(isNumber)) throw new Error('this is no clip');
  return { video_id, fromMs, toMs };
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
