// The links between the nodes of `bench million`: every message is written and read as a link does, and its bytes are counted.
import type { LinkTopic } from '../../src/base/links/link-topic.ts';
import { noLinks, type Talking, type TopicHandlers } from '../../src/base/links/links.ts';

interface Joined {
  topic: LinkTopic<unknown>;
  handlers: TopicHandlers<unknown, never, never>;
}

/** Who talks over them. */
interface Talker {
  readonly flush: { readonly flushedUntil: number };
}

interface Place {
  node: Talker;
  name: string;
  topics: Map<string, Joined>;
}

/** A word that is on its way. */
type Word = () => void;

export class ModelledLinks {
  private readonly places: Place[] = [];
  private readonly underWay: Word[] = [];
  bytes = 0;
  messages = 0;
  /** Of one message. */
  longest = 0;

  /** What a node talks over. */
  of(node: Talker, name: string): Talking {
    const place: Place = { node, name, topics: new Map() };
    this.places.push(place);
    return {
      ...noLinks,
      node: name,
      isAlone: false,
      join: (topic, handlers) => {
        place.topics.set(topic.name, { topic, handlers } as unknown as Joined);
      },
      send: (topic, to, message) => {
        const written = topic.message.write(message);
        this.messages += 1;
        this.bytes += written.length;
        this.longest = Math.max(this.longest, written.length);
        const other = this.places.find((one) => one.name === to);
        const joined = other?.topics.get(topic.name);
        if (!joined) return false;
        const { message: codec } = joined.topic;
        this.underWay.push(() => joined.handlers.received?.(name, codec.read(written)));
        return true;
      },
    };
  }

  /** All of them have met. */
  connect(): void {
    for (const { name, topics } of this.places)
      for (const other of this.places) {
        if (other.name === name) continue;
        for (const { handlers } of topics.values()) handlers.opened?.(other.name);
      }
  }

  /** All that was said is heard, with what it leads to. */
  deliver(): void {
    for (let word = this.underWay.shift(); word; word = this.underWay.shift()) word();
  }

  flushedUntil(except: Talker): number {
    const others = this.places.filter(({ node }) => node !== except);
    return Math.min(...others.map(({ node }) => node.flush.flushedUntil));
  }
}
