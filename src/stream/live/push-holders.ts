// Asks the node that has a channel's push for what it alone knows or has: any node answers a host in its name.
import type { Sql, Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { Asking } from '../../base/links/asking.ts';
import type { Asked, Talking } from '../../base/links/links.ts';
import { type PushHolder, pushHolders } from './push-holder-store.ts';

/** A channel, and whose it is: the question takes one of the account's places. */
export interface HeldChannel {
  id: number;
  account_id: number;
}

export class PushHolders {
  private readonly store: Store;
  readonly asking: Asking;

  constructor({ store, links }: { store: Store; links: Talking }) {
    this.store = store;
    this.asking = new Asking(links);
  }

  get links(): Talking {
    return this.asking.links;
  }

  /** Undefined where no node has a push of it, as far as the rows know; this one may have it. */
  async find({ id, account_id }: HeldChannel): Promise<PushHolder | undefined> {
    if (this.links.isAlone) return undefined;
    const sql: Sql = this.store.for(ofAccount({ account_id }));
    const [found] = await pushHolders(sql, [id]);
    return found;
  }

  /** Undefined where no other node has a push of it, or that one cannot be asked. */
  async ask<Question, Answer>(
    topic: Asked<Question, Answer>,
    channel: HeldChannel,
    { question, withinMs }: { question: Question; withinMs: number },
  ): Promise<Answer | undefined> {
    const holder = await this.find(channel);
    if (!holder || holder.node === this.links.node) return undefined;
    const whose = ofAccount(channel);
    return await this.asking.node(topic, holder.node, { question, whose, withinMs });
  }

  /** Several channels of an account: each node is asked once, of those that it has. */
  async askEach<Answer>(
    topic: Asked<number[], Answer>,
    { account_id, channel_ids }: { account_id: number; channel_ids: readonly number[] },
    withinMs: number,
  ): Promise<Answer[]> {
    if (this.links.isAlone || channel_ids.length === 0) return [];
    const whose = ofAccount({ account_id });
    const holders = await pushHolders(this.store.for(whose), channel_ids);
    const byNode = Map.groupBy(holders, ({ node }) => node);
    byNode.delete(this.links.node);
    const answers = [...byNode].map(async ([node, held]) => {
      const question = held.map(({ channel_id }) => channel_id);
      return await this.asking
        .node(topic, node, { question, whose, withinMs })
        .catch(() => undefined);
    });
    return (await Promise.all(answers)).filter((one) => one !== undefined);
  }
}

/** A channel by its number, as a question has it. */
export function readChannelId(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new Error('this is no channel');
  return value as number;
}
