// Questions to other nodes on behalf of a caller: bounded, an account half of what the others leave.
import { ApiError, catalogue, type ErrorName, unavailable } from '../api/errors.ts';
import { Share } from '../turns/share.ts';
import { LinkFailure } from './link.ts';
import type { LinkCodec } from './link-topic.ts';
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

/** What came of something that another node was asked to do, as its own caller would have been told. */
export type Outcome<T> = { done: T } | { refused: ApiError };

export async function outcomeOf<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { done: await work() };
  } catch (error) {
    if (error instanceof ApiError) return { refused: error };
    throw error;
  }
}

export function doneOr<T>(outcome: Outcome<T>): T {
  if ('refused' in outcome) throw outcome.refused;
  return outcome.done;
}

const refusedMark = 0;
const doneMark = 1;

/** A byte that says which, then the one or the other. */
export function outcomeCodec<T>(done: LinkCodec<T>): LinkCodec<Outcome<T>> {
  return {
    write: (outcome) => {
      if ('done' in outcome) return marked(doneMark, done.write(outcome.done));
      const { kind, message, headers } = outcome.refused;
      return marked(refusedMark, Buffer.from(JSON.stringify({ kind, message, headers })));
    },
    read: (bytes) => {
      const rest = bytes.subarray(1);
      if (bytes[0] === doneMark) return { done: done.read(rest) };
      return { refused: readRefusal(JSON.parse(Buffer.from(rest).toString())) };
    },
  };
}

function marked(mark: number, bytes: Uint8Array): Uint8Array {
  const all = new Uint8Array(1 + bytes.length);
  all[0] = mark;
  all.set(bytes, 1);
  return all;
}

/** One that only a newer node knows is a refusal for now. */
function readRefusal(value: unknown): ApiError {
  const { kind, message, headers } = (value ?? {}) as Record<string, unknown>;
  if (typeof kind !== 'string' || typeof message !== 'string') throw new Error('no refusal');
  const known = Object.hasOwn(catalogue, kind) ? (kind as ErrorName) : 'unavailable';
  // Where it was refused it is counted, or in the log.
  return new ApiError(known, {
    message,
    headers: headers as Record<string, string>,
    isCounted: true,
  });
}
