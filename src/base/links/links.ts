// All links of a node: it dials some nodes and is dialled by others, one link for each; features talk over them by topics.
import type { Log } from '../lib/log.ts';
import { SpacedLine } from '../lib/spaced-line.ts';
import { Turns } from '../turns/turns.ts';
import {
  type FedStream,
  Link,
  type LinkCounts,
  type LinkEnd,
  LinkFailure,
  type LinkSocket,
} from './link.ts';
import { type Dial, type DialledSocket, dial, redialMs } from './link-dial.ts';
import { LinkDoor } from './link-door.ts';
import { dialling, linkAddress, type Proved } from './link-handshake.ts';
import { linkLimits } from './link-limits.ts';
import type { LinkBook } from './link-refusals.ts';
import type { LinkTopic } from './link-topic.ts';
import type { KnownNode, NodeDirectory } from './node-directory.ts';

export interface LinksOptions {
  node: string;
  run: string;
  /** Where others dial this node; empty for one that has no others. */
  linkUrl: string;
  directory: NodeDirectory;
  /** Those that are good now, the newest first. */
  secrets(): readonly string[];
  ca?: string | undefined;
  refusals: LinkBook;
  log: Log;
  monotonicMs?: () => number;
  random?: () => number;
  dial?: Dial;
  /** For how long a node is dialled that the list has lost. */
  unlistedMs?: number;
}

/** What a feature does with what comes on its topic; `node` is the other node's name. */
export interface TopicHandlers<Message, Question, Answer> {
  received?(node: string, message: Message): void;
  /** A link over which the topic can be spoken: what the other node must know is sent again. */
  opened?(node: string): void;
  closed?(node: string): void;
  /** Some messages of the node were lost: what they said must be asked for, or found in the database. */
  gap?(node: string): void;
  asked?(node: string, question: Question): Promise<Answer> | Answer;
  /** Another node follows; what is answered is called when it wants no more. Undefined where there is nothing. */
  followed?(
    node: string,
    question: Question,
    stream: TopicStream<Answer>,
  ): (() => void) | undefined;
}

/** Who feeds a stream that another node follows. */
export interface TopicStream<Part> {
  /** `isStart`: a follower that was left behind can go on from here. False where it was left out. */
  send(part: Part, order?: { isStart?: boolean }): boolean;
  end(): void;
}

/** Who follows. */
export interface TopicFollower<Part> {
  /** `hasGap`: some before it were left out. */
  part(part: Part, hasGap: boolean): void;
  /** By its holder, or because the link is gone. */
  ended(): void;
}

interface Joined {
  topic: LinkTopic<unknown, unknown, unknown>;
  handlers: TopicHandlers<unknown, unknown, unknown>;
}

/** A node that has a link to this one. */
interface Peer {
  node: string;
  run: string;
  secret: string;
  link: Link;
}

/** A node that this one dials. */
interface Dialled {
  known: KnownNode;
  /** Tries since the last link that stood. */
  failed: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  socket: DialledSocket | undefined;
  /** Set while the list does not know it. */
  unlisted: ReturnType<typeof setTimeout> | undefined;
  /** One line for each change, not for each try. */
  isToldDown: boolean;
}

export class Links {
  private readonly options: LinksOptions;
  private readonly monotonicMs: () => number;
  private readonly turns = new Turns({ turnMs: linkLimits.turnMs });
  /** Undefined where nobody dials this node. */
  readonly door: LinkDoor | undefined;

  private readonly joined: Joined[] = [];
  private readonly names: string[] = [];
  private readonly peers = new Map<string, Peer>();
  private readonly dialled = new Map<string, Dialled>();
  /** By topic and sentence: what features could not take. */
  private readonly faults = new Map<string, SpacedLine>();
  private readonly counted: LinkCounts & { opened: number } = {
    sentBytes: 0,
    receivedBytes: 0,
    sentMessages: 0,
    receivedMessages: 0,
    gaps: 0,
    opened: 0,
  };
  private timer: ReturnType<typeof setInterval> | undefined;
  private isStopped = false;

  constructor(options: LinksOptions) {
    this.options = options;
    this.monotonicMs = options.monotonicMs ?? (() => performance.now());
    const { node, run, linkUrl, secrets, refusals } = options;
    if (linkUrl === '') return;
    this.door = new LinkDoor({
      node,
      run,
      secrets,
      refusals,
      address: linkAddress(linkUrl),
      monotonicMs: this.monotonicMs,
      mayBe: (other, otherRun) => this.mayBe(other, otherRun),
      onProved: (proved, socket) => this.opened(proved, socket, linkLimits.pieceBytesToDialler),
    });
  }

  /** Dials whom the directory names, now and whenever it changes. */
  start(): void {
    const { directory, linkUrl } = this.options;
    if (linkUrl === '') return;
    directory.onChanged(() => this.look());
    let lastAt = this.monotonicMs();
    this.timer = setInterval(() => {
      const at = this.monotonicMs();
      const isLate = at - lastAt > linkLimits.beatLateMs;
      lastAt = at;
      for (const { link } of [...this.peers.values()]) link.beat({ isLate });
    }, linkLimits.beatEveryMs);
    this.look();
  }

  get node(): string {
    return this.options.node;
  }

  /** Whether there can be no other nodes. */
  get isAlone(): boolean {
    return this.options.linkUrl === '';
  }

  /** The names of nodes that there is a link to. */
  get linked(): string[] {
    return [...this.peers.keys()];
  }

  isLinked(node: string): boolean {
    return this.peers.has(node);
  }

  get counts(): Readonly<LinkCounts & { opened: number }> {
    return this.counted;
  }

  /** By node: the time that a ping took there and back; undefined before the first was answered. */
  get roundTrips(): ReadonlyMap<string, number | undefined> {
    return new Map([...this.peers].map(([node, { link }]) => [node, link.roundTripMs]));
  }

  /** A topic is joined once. */
  join<Message, Question, Answer>(
    topic: LinkTopic<Message, Question, Answer>,
    handlers: TopicHandlers<Message, Question, Answer>,
  ): void {
    if (this.names.includes(topic.name)) throw new Error(`the topic ${topic.name} is joined twice`);
    if (this.names.length >= linkLimits.topicsMax)
      throw new Error(`more than ${linkLimits.topicsMax} topics`);
    this.names.push(topic.name);
    this.joined.push({ topic, handlers } as unknown as Joined);
    for (const { link } of this.peers.values()) link.tellTopics();
  }

  /** Whether there is a link that takes it; not whether it will come. */
  send<Message>(topic: Talk<Message>, node: string, message: Message): boolean {
    const number = this.numberOf(topic);
    const peer = this.peers.get(node);
    return (
      peer?.link.knows(number) === true && peer.link.send(number, topic.message.write(message))
    );
  }

  sendAll<Message>(topic: Talk<Message>, message: Message): void {
    if (this.peers.size === 0) return;
    const number = this.numberOf(topic);
    const bytes = topic.message.write(message);
    for (const { link } of this.peers.values()) link.send(number, bytes);
  }

  /** Throws a `LinkFailure` where no answer comes in time. */
  async ask<Question, Answer>(
    topic: Asked<Question, Answer>,
    node: string,
    question: Question,
    deadlineMs: number,
  ): Promise<Answer> {
    const link = this.peers.get(node)?.link;
    if (!link) throw new LinkFailure('down', `there is no link to ${node}`);
    const bytes = topic.question.write(question);
    return topic.answer.read(await link.ask(this.numberOf(topic), bytes, deadlineMs));
  }

  /** What ends it; undefined where the node cannot be followed now. */
  follow<Question, Part>(
    topic: Asked<Question, Part>,
    node: string,
    question: Question,
    follower: TopicFollower<Part>,
  ): (() => void) | undefined {
    const bytes = topic.question.write(question);
    return this.peers.get(node)?.link.follow(this.numberOf(topic), bytes, {
      part: (part, hasGap) =>
        this.guarded(node, topic.name, () => follower.part(topic.answer.read(part), hasGap)),
      ended: () => follower.ended(),
    });
  }

  /** The secrets have changed: links of one that is good no more end, and are made anew. */
  secretsChanged(): void {
    const good = this.options.secrets();
    for (const { secret, link } of [...this.peers.values()])
      if (!good.includes(secret)) link.end('secret');
  }

  stop(): void {
    this.isStopped = true;
    clearInterval(this.timer);
    this.door?.close();
    for (const node of [...this.dialled.keys()]) this.leave(node);
    for (const { link } of [...this.peers.values()]) link.end('stopped');
  }

  private numberOf({ name }: { name: string }): number {
    const number = this.names.indexOf(name);
    if (number < 0) throw new Error(`the topic ${name} was not joined`);
    return number;
  }

  /** A list that knows another run of it is newer, or soon will be: then it comes again. */
  private mayBe(node: string, run: string): boolean {
    const known = this.options.directory.list().find((one) => one.node === node);
    return known === undefined || known.run === run;
  }

  private look(): void {
    if (this.isStopped) return;
    const { node, directory } = this.options;
    // Of two nodes the one with the smaller name dials.
    const wanted = new Map(
      directory
        .list()
        .filter((one) => node < one.node && one.link_url !== '')
        .map((one) => [one.node, one]),
    );
    const { unlistedMs = linkLimits.unlistedMs } = this.options;
    for (const [name, dialled] of this.dialled) {
      if (!wanted.has(name)) dialled.unlisted ??= setTimeout(() => this.leave(name), unlistedMs);
      else {
        clearTimeout(dialled.unlisted);
        dialled.unlisted = undefined;
      }
    }
    for (const [name, known] of wanted) {
      const dialled = this.dialled.get(name);
      const isSame = dialled?.known.link_url === known.link_url && dialled.known.run === known.run;
      // Where its link stands already, the next try goes by what is known now.
      if (dialled) dialled.known = known;
      if (isSame || (dialled && this.peers.get(name)?.run === known.run)) continue;
      this.leave(name);
      const idle = { timer: undefined, socket: undefined, unlisted: undefined };
      const isNew: Dialled = { known, failed: 0, isToldDown: false, ...idle };
      this.dialled.set(name, isNew);
      this.dial(isNew);
    }
  }

  /** It is dialled no more; a link that stands stays. */
  private leave(node: string): void {
    const dialled = this.dialled.get(node);
    this.dialled.delete(node);
    clearTimeout(dialled?.timer);
    clearTimeout(dialled?.unlisted);
    if (dialled?.socket && !this.peers.has(node)) dialled.socket.terminate();
  }

  private dial(dialled: Dialled): void {
    const { node, run, secrets, ca } = this.options;
    const { known } = dialled;
    if (this.isStopped || this.dialled.get(known.node) !== dialled) return;
    const address = linkAddress(known.link_url);
    const handshake = dialling({ node, run, secrets }, { to: known.node, address });
    let link: Link | undefined;
    let openedAt = 0;
    let why = 'it cannot be reached';
    const late = setTimeout(() => socket.terminate(), linkLimits.handshakeMs);
    const socket = (this.options.dial ?? dial)(
      { url: known.link_url, ca },
      {
        opened: () => socket.sendText(handshake.first),
        text: (text) => {
          if (link) return link.end('words');
          const step = handshake.hear(text);
          if ('refused' in step) {
            why = `its answer was refused: ${step.refused}`;
            return socket.terminate();
          }
          if ('say' in step) socket.sendText(step.say);
          else if (step.proved) {
            clearTimeout(late);
            openedAt = this.monotonicMs();
            link = this.opened(step.proved, socket, linkLimits.pieceBytesToServer);
            dialled.isToldDown = false;
          }
        },
        bytes: (bytes) => {
          if (link) link.came(bytes);
          else socket.terminate();
        },
        closed: () => {
          clearTimeout(late);
          link?.end('closed');
          if (dialled.socket === socket) dialled.socket = undefined;
          const hasStood = link && this.monotonicMs() - openedAt > linkLimits.settledMs;
          dialled.failed = hasStood ? 0 : dialled.failed + 1;
          this.redial(dialled, link ? undefined : why);
        },
      },
    );
    dialled.socket = socket;
  }

  private redial(dialled: Dialled, why: string | undefined): void {
    const { node } = dialled.known;
    if (this.isStopped || this.dialled.get(node) !== dialled) return;
    if (why !== undefined && !dialled.isToldDown) {
      dialled.isToldDown = true;
      this.options.log.warn('there is no link to a node: it is dialled again and again', {
        node,
        why,
      });
    }
    const { random = Math.random } = this.options;
    dialled.timer = setTimeout(() => this.dial(dialled), redialMs(dialled.failed - 1, random));
  }

  private opened({ node, run, secret }: Proved, socket: LinkSocket, pieceBytesMax: number): Link {
    const { log } = this.options;
    // A node has one link: the newest, as the older one's other end is gone or about to learn of it.
    this.peers.get(node)?.link.end('replaced');
    const { counted, monotonicMs, turns } = this;
    const link: Link = new Link({
      socket,
      topics: this.names,
      pieceBytesMax,
      turns,
      monotonicMs,
      counts: counted,
      listener: {
        opened: (topic) => this.tell(topic, node, ({ opened }) => opened?.(node)),
        received: (topic, bytes, hasGap) =>
          this.tell(topic, node, ({ received, gap }, { message }) => {
            if (hasGap) gap?.(node);
            received?.(node, message.read(bytes));
          }),
        asked: async (topic, bytes) => await this.asked(topic, node, bytes),
        followed: (topic, bytes, stream) => this.followed(topic, node, bytes, stream),
        ended: (why) => this.ended(node, link, why),
      },
    });
    this.peers.set(node, { node, run, secret, link });
    counted.opened += 1;
    log.info('a link is open', { node, run });
    link.tellTopics();
    return link;
  }

  private ended(node: string, link: Link, why: LinkEnd): void {
    // Where another has its place, that one's opening was told after this.
    if (this.peers.get(node)?.link === link) this.peers.delete(node);
    if (why === 'stopped') this.options.log.info('a link has ended', { node, why });
    else this.options.log.warn('a link has ended', { node, why });
    for (const { handlers, topic } of this.joined)
      if (handlers.closed) this.guarded(node, topic.name, () => handlers.closed?.(node));
  }

  private tell(
    number: number,
    node: string,
    told: (handlers: Joined['handlers'], topic: Joined['topic']) => void,
  ): void {
    const joined = this.joined[number];
    if (joined) this.guarded(node, joined.topic.name, () => told(joined.handlers, joined.topic));
  }

  private async asked(number: number, node: string, bytes: Uint8Array): Promise<Uint8Array> {
    const { handlers, topic } = this.joined[number] ?? {};
    if (!handlers?.asked || !topic) throw new Error('nobody answers on the topic');
    try {
      return topic.answer.write(await handlers.asked(node, topic.question.read(bytes)));
    } catch (error) {
      this.noteFault('a question of a node was not answered', { node, topic: topic.name, error });
      throw error;
    }
  }

  private followed(
    number: number,
    node: string,
    bytes: Uint8Array,
    stream: FedStream,
  ): (() => void) | undefined {
    const { handlers, topic } = this.joined[number] ?? {};
    if (!handlers?.followed || !topic) return undefined;
    let stopped: (() => void) | undefined;
    this.guarded(node, topic.name, () => {
      stopped = handlers.followed?.(node, topic.question.read(bytes), {
        send: (part, order) => stream.send(topic.answer.write(part), order),
        end: () => stream.end(),
      });
    });
    return stopped;
  }

  /** A message that a feature cannot take must not end what all features share. */
  private guarded(node: string, topic: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.noteFault('what a node said was not taken', { node, topic, error });
    }
  }

  /** Not a line for each: a node of another version may say it again and again. */
  private noteFault(what: string, fields: { node: string; topic: string; error: unknown }): void {
    const key = `${fields.topic} ${what}`;
    const line = this.faults.get(key) ?? new SpacedLine();
    this.faults.set(key, line);
    const count = line.due(this.monotonicMs());
    if (count) this.options.log.warn(what, { ...fields, count });
  }
}

/** What a feature needs of the links to talk over them. */
export type Talking = Pick<
  Links,
  'isAlone' | 'node' | 'linked' | 'join' | 'send' | 'sendAll' | 'ask'
>;

/** Of a part that runs without other nodes. */
export const noLinks: Talking = {
  node: '',
  isAlone: true,
  linked: [],
  join: () => {},
  send: () => false,
  sendAll: () => {},
  ask: () => Promise.reject(new LinkFailure('down', 'there are no other nodes')),
};

type Talk<Message> = Pick<LinkTopic<Message>, 'name' | 'message'>;
/** A topic of which something is asked. */
export type Asked<Question, Answer> = Pick<
  LinkTopic<never, Question, Answer>,
  'name' | 'question' | 'answer'
>;
