// Questions to other nodes on behalf of a caller: bounded, an account half of what the others leave.
import { unavailable } from '../api/errors.ts';
import { Share } from '../turns/share.ts';
import { LinkFailure } from './link.ts';
import type { Asked, Talking } from './links.ts';

/** Hosts' questions about streams, and those about rooms: a link answers twice as many as both, so what nodes ask by themselves finds a place. */
const asksMax = 64;

export class Asking {
  readonly links: Talking;

  private readonly places = new Share({ placesMax: asksMax });

  constructor(links: Talking) {
    this.links = links;
  }

  /** Undefined where the node cannot be asked this: there is no link, or it is of a version that does not know. */
  async node<Question, Answer>(
    topic: Asked<Question, Answer>,
    node: string,
    { question, ...order }: Order<Question>,
  ): Promise<Answer | undefined> {
    try {
      return await this.within(order, (withinMs) =>
        this.links.ask(topic, node, question, withinMs),
      );
    } catch (error) {
      if (!(error instanceof LinkFailure)) throw error;
      if (error.reason === 'down' || error.reason === 'unknown') return undefined;
      throw unavailable('The node that has it did not answer in time', error);
    }
  }

  /** By node, what those say that answer in time. */
  async all<Question, Answer>(
    topic: Asked<Question, Answer>,
    { question, ...order }: Order<Question>,
  ): Promise<Map<string, Answer>> {
    const { links } = this;
    const nodes = links.linked;
    if (nodes.length === 0) return new Map();
    const answers = new Map<string, Answer>();
    await this.within(order, (withinMs) =>
      Promise.all(
        nodes.map(async (node) => {
          const answer = await links.ask(topic, node, question, withinMs).catch(() => undefined);
          if (answer !== undefined) answers.set(node, answer);
        }),
      ),
    );
    return answers;
  }

  private async within<T>(
    { whose, withinMs }: Omit<Order<never>, 'question'>,
    ask: (withinMs: number) => Promise<T>,
  ): Promise<T> {
    if (this.places.refusal(whose))
      throw unavailable('As much is asked of other nodes as may be at once');
    this.places.take(whose);
    try {
      return await ask(withinMs);
    } finally {
      this.places.leave(whose);
    }
  }
}

interface Order<Question> {
  question: Question;
  whose: string;
  withinMs: number;
}
