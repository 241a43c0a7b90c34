// One link to another node, from its last proof to its end: frames in and out, questions, streams, the beat.
import { dearStep, type TurnSlice } from '../turns/turn-slice.ts';
import type { Late, Turns } from '../turns/turns.ts';
import { type Frame, headBytes, idsMax, readFrame, writeFrame } from './link-frame.ts';
import { LinkLane, LinkLanes, type Waiting } from './link-lanes.ts';
import { linkLimits } from './link-limits.ts';
import { LinkPieces } from './link-pieces.ts';

/** What a link needs of its socket, whichever side has dialled. */
export interface LinkSocket {
  /** False where it takes no more until `drained` is called. */
  send(bytes: Uint8Array): boolean;
  /** Gone at once. */
  terminate(): void;
}

/** Why a link has ended: said in the log. */
export type LinkEnd = 'closed' | 'silent' | 'flood' | 'words' | 'replaced' | 'secret' | 'stopped';

/** Why something could not be asked or followed. */
export class LinkFailure extends Error {
  readonly reason: 'down' | 'late' | 'busy' | 'refused' | 'unknown';

  constructor(reason: LinkFailure['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Who feeds a stream that another node follows. */
export interface FedStream {
  /** `isStart`: a follower that was left behind can go on from here. False where it was left out. */
  send(bytes: Uint8Array, order?: { isStart?: boolean }): boolean;
  end(): void;
}

/** Who follows a stream of another node. */
export interface FollowedStream {
  /** `hasGap`: some before it were left out. */
  part(bytes: Uint8Array, hasGap: boolean): void;
  /** By its holder, or because the link is gone. */
  ended(): void;
}

/** What comes over a link, by the topic's place in our own list. */
export interface LinkListener {
  opened(topic: number): void;
  received(topic: number, bytes: Uint8Array, hasGap: boolean): void;
  asked(topic: number, bytes: Uint8Array): Promise<Uint8Array>;
  /** What is to be done when its follower wants no more; undefined where there is no such stream. */
  followed(topic: number, bytes: Uint8Array, stream: FedStream): (() => void) | undefined;
  ended(why: LinkEnd): void;
}

export interface LinkOptions {
  socket: LinkSocket;
  /** The names of our topics, in the order of their numbers; it may grow. */
  topics: readonly string[];
  pieceBytesMax: number;
  turns: Turns;
  monotonicMs: () => number;
  listener: LinkListener;
  counts: LinkCounts;
}

/** Of all links since the start. */
export interface LinkCounts {
  sentBytes: number;
  receivedBytes: number;
  sentMessages: number;
  receivedMessages: number;
  /** Messages that were left out on one of our topics, or parts of a stream. */
  gaps: number;
}

interface Question {
  resolve(bytes: Uint8Array): void;
  reject(error: LinkFailure): void;
  timer: ReturnType<typeof setTimeout>;
}

interface Fed {
  lane: LinkLane;
  stopped: (() => void) | undefined;
}

export class Link implements Late {
  private readonly options: LinkOptions;
  private readonly pieces = new LinkPieces();
  private readonly lanes = new LinkLanes();

  private isOpen = true;
  /** By our number of a topic. */
  private readonly topicLanes = new Map<number, { lane: LinkLane; sent: number; last: number }>();
  /** From the other side's number of a topic to ours; those that we do not know are left out. */
  private theirs = new Map<number, number>();
  /** Our numbers of topics that the other side knows, too. */
  private readonly shared = new Set<number>();
  private readonly asks = new LinkLane();
  private readonly answers = new LinkLane();
  /** Of streams that cannot be followed here. */
  private readonly refusedStreams = new LinkLane();
  private readonly control = new LinkLane();

  private nextId = 0;
  private readonly questions = new Map<number, Question>();
  private answering = 0;
  private readonly followed = new Map<number, FollowedStream>();
  private readonly fed = new Map<number, Fed>();
  /** Of all that are fed. */
  private readonly streamsWaiting: Waiting = { bytes: 0 };

  /** What came and waits for its turn. */
  private incoming: Frame[] = [];
  private incomingAt = 0;
  private incomingBytes = 0;
  /** Worked on, and not yet told. */
  private workedBytes = 0;
  /** Sent, and not yet worked on by the other side. */
  private untoldBytes = 0;
  private isFull = false;
  private heardAtMs: number;
  /** Since the last beat. */
  private pings = 0;
  /** Of the last ping that was answered; undefined before. */
  roundTripMs: number | undefined;

  constructor(options: LinkOptions) {
    this.options = options;
    this.heardAtMs = options.monotonicMs();
  }

  /** Tells which topics we know; at its beginning, and again where we know another. */
  tellTopics(): void {
    const names = new TextEncoder().encode(JSON.stringify(this.options.topics));
    this.push(this.control, { kind: 'topics', bytes: names });
  }

  knows(topic: number): boolean {
    return this.isOpen && this.shared.has(topic);
  }

  /** False where the other side does not know the topic. What does not fit pushes out the oldest. */
  send(topic: number, bytes: Uint8Array): boolean {
    if (!this.knows(topic)) return false;
    checkSize(bytes);
    const known = this.topicLanes.get(topic) ?? { lane: new LinkLane(), sent: 0, last: -1 };
    this.topicLanes.set(topic, known);
    const { lane } = known;
    const { messagesMax, bytesMax } = linkLimits.topic;
    while (lane.count >= messagesMax || (lane.count > 0 && lane.bytes + bytes.length > bytesMax)) {
      if (lane.dropOldest() === 0) break;
      this.options.counts.gaps += 1;
    }
    const id = known.sent;
    known.sent = (id + 1) % idsMax;
    this.push(lane, { kind: 'message', topic, id, bytes });
    return true;
  }

  ask(topic: number, bytes: Uint8Array, deadlineMs: number): Promise<Uint8Array> {
    if (!this.knows(topic)) return failed('unknown', 'the other node does not know the topic');
    if (this.questions.size >= linkLimits.asksMax)
      return failed('busy', 'too many questions to that node are not answered');
    checkSize(bytes);
    const id = this.takeId();
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const timer = setTimeout(() => {
      this.questions.delete(id);
      reject(new LinkFailure('late', 'the other node did not answer in time'));
    }, deadlineMs);
    this.questions.set(id, { resolve, reject, timer });
    this.push(this.asks, { kind: 'ask', topic, id, bytes });
    return promise;
  }

  /** What ends it; undefined where it cannot be followed now. */
  follow(topic: number, bytes: Uint8Array, stream: FollowedStream): (() => void) | undefined {
    if (!this.knows(topic) || this.followed.size >= linkLimits.streamsMax) return undefined;
    checkSize(bytes);
    const id = this.takeId();
    this.followed.set(id, stream);
    this.push(this.asks, { kind: 'follow', topic, id, bytes });
    return () => {
      if (this.followed.delete(id)) this.push(this.asks, { kind: 'stop', id, bytes: nothing });
    };
  }

  /** The socket takes more. */
  drained(): void {
    this.isFull = false;
    this.pump();
  }

  /** Bytes came; they are ours. */
  came(bytes: Uint8Array): void {
    const { counts, turns, monotonicMs } = this.options;
    if (!this.isOpen) return;
    counts.receivedBytes += bytes.length;
    this.heardAtMs = monotonicMs();
    const frame = readFrame(bytes);
    if (!frame) this.end('words');
    if (!frame || this.heardAtOnce(frame)) return;
    this.incomingBytes += bytes.length;
    // The other side waits for us to tell; who does not is no node of ours.
    if (this.incomingBytes > 2 * linkLimits.untoldBytesMax) this.end('flood');
    if (!this.isOpen) return;
    this.incoming.push(frame);
    if (this.incoming.length - this.incomingAt > 1 || !turns.hasTime) turns.later(this);
    else turns.work((slice) => this.goOn(slice));
  }

  goOn(slice: TurnSlice): void {
    while (this.isOpen && this.incomingAt < this.incoming.length) {
      const frame = this.incoming[this.incomingAt];
      this.incomingAt += 1;
      if (frame) this.work(frame);
      // What a message costs is its feature's affair.
      if (!slice.isOver(dearStep) || this.incomingAt >= this.incoming.length) continue;
      // Who is always a little behind would keep all that it ever worked on.
      if (this.incomingAt >= linkLimits.workedFramesMax) {
        this.incoming = this.incoming.slice(this.incomingAt);
        this.incomingAt = 0;
      }
      this.options.turns.later(this);
      return;
    }
    this.incoming = [];
    this.incomingAt = 0;
  }

  /** Once a second; ends the link where the other side was silent for too long. */
  beat({ isLate }: { isLate: boolean }): void {
    const at = this.options.monotonicMs();
    this.pings = 0;
    if (!isLate && at - this.heardAtMs > linkLimits.silenceMs) this.end('silent');
    const sentAt = new Uint8Array(8);
    new DataView(sentAt.buffer).setFloat64(0, at);
    this.sendNow(writeFrame({ kind: 'ping' }, sentAt));
    this.tellWorked();
  }

  /** Whoever asks or follows learns of it; nothing that waited is sent. */
  end(why: LinkEnd): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const { socket, turns, listener } = this.options;
    turns.leave(this);
    socket.terminate();
    for (const { timer, reject } of this.questions.values()) {
      clearTimeout(timer);
      reject(new LinkFailure('down', 'the link to the other node has ended'));
    }
    this.questions.clear();
    const streams = [...this.followed.values()];
    this.followed.clear();
    const fed = [...this.fed.values()];
    this.fed.clear();
    listener.ended(why);
    for (const stream of streams) stream.ended();
    for (const { stopped } of fed) stopped?.();
  }

  /** What neither waits nor is counted: it must not stand behind what waits. */
  private heardAtOnce({ kind, id, piece }: Frame): boolean {
    if (kind === 'worked') {
      this.untoldBytes = Math.max(0, this.untoldBytes - id);
      this.pump();
    } else if (kind === 'ping') this.heardPing(piece);
    else if (kind === 'pong' && piece.length === 8) {
      const sentAt = new DataView(piece.buffer, piece.byteOffset, 8).getFloat64(0);
      this.roundTripMs = Math.max(0, this.options.monotonicMs() - sentAt);
    } else return kind === 'pong';
    return true;
  }

  /** Answers go past what waits, so only their number bounds them. */
  private heardPing(piece: Uint8Array): void {
    this.pings += 1;
    if (this.pings > linkLimits.pingsMax) this.end('flood');
    else this.sendNow(writeFrame({ kind: 'pong' }, piece.slice(0, 8)));
  }

  private work(frame: Frame): void {
    const bytes = headBytes + frame.piece.length;
    const whole = this.pieces.add(frame);
    if (whole === 'flood') this.end('flood');
    else if (whole) this.heard(frame, whole);
    this.incomingBytes -= bytes;
    this.workedBytes += bytes;
    if (this.workedBytes >= linkLimits.tellBytes) this.tellWorked();
  }

  private tellWorked(): void {
    if (this.workedBytes === 0) return;
    this.sendNow(writeFrame({ kind: 'worked', id: this.workedBytes }));
    this.workedBytes = 0;
  }

  private heard(frame: Frame, bytes: Uint8Array): void {
    const { kind, id } = frame;
    this.options.counts.receivedMessages += 1;
    const topic = this.theirs.get(frame.topic);
    if (kind === 'topics') this.heardTopics(bytes);
    else if (kind === 'answer' || kind === 'refusal') this.heardAnswer(frame, bytes);
    else if (kind === 'part') this.followed.get(id)?.part(bytes, frame.gap);
    else if (kind === 'end') this.heardEnd(id);
    else if (kind === 'stop') this.heardStop(id);
    else if (kind === 'message' && topic !== undefined) this.heardMessage(topic, id, bytes);
    else if (kind === 'ask') this.heardAsk(topic, id, bytes);
    else if (kind === 'follow') this.heardFollow(topic, id, bytes);
  }

  private heardTopics(bytes: Uint8Array): void {
    const names = readNames(bytes);
    if (!names) this.end('words');
    const { topics, listener } = this.options;
    this.theirs = new Map();
    for (const [theirs, name] of (names ?? []).entries()) {
      const ours = topics.indexOf(name);
      if (ours >= 0) this.theirs.set(theirs, ours);
    }
    for (const ours of this.theirs.values()) {
      if (this.shared.has(ours)) continue;
      this.shared.add(ours);
      listener.opened(ours);
    }
  }

  private heardMessage(topic: number, id: number, bytes: Uint8Array): void {
    const known = this.topicLanes.get(topic) ?? { lane: new LinkLane(), sent: 0, last: -1 };
    this.topicLanes.set(topic, known);
    const hasGap = id !== (known.last + 1) % idsMax;
    known.last = id;
    this.options.listener.received(topic, bytes, hasGap);
  }

  private heardAnswer({ kind, id }: Frame, bytes: Uint8Array): void {
    const question = this.questions.get(id);
    if (!question) return;
    this.questions.delete(id);
    clearTimeout(question.timer);
    if (kind === 'answer') question.resolve(bytes);
    else question.reject(new LinkFailure('refused', new TextDecoder().decode(bytes)));
  }

  private heardAsk(topic: number | undefined, id: number, bytes: Uint8Array): void {
    const refuse = (why: string) =>
      this.push(this.answers, { kind: 'refusal', id, bytes: new TextEncoder().encode(why) });
    const isBusy = this.answering + this.answers.count >= linkLimits.asksMax;
    // Who asks on while it reads no answers is no node of ours: refusals would wait without end.
    if (this.answers.count >= 2 * linkLimits.asksMax) this.end('flood');
    else if (topic === undefined) refuse('the node does not know the topic');
    else if (isBusy) refuse('the node is busy');
    else this.answer(topic, id, bytes).catch(() => refuse('the node could not answer'));
  }

  private async answer(topic: number, id: number, asked: Uint8Array): Promise<void> {
    this.answering += 1;
    try {
      const bytes = await this.options.listener.asked(topic, asked);
      checkSize(bytes);
      this.push(this.answers, { kind: 'answer', id, bytes });
    } finally {
      this.answering -= 1;
    }
  }

  private heardFollow(topic: number | undefined, id: number, bytes: Uint8Array): void {
    const { streamsMax, streamsBytesMax } = linkLimits;
    const fed: Fed = { lane: new LinkLane(this.streamsWaiting), stopped: undefined };
    const hasRoom = this.fed.size < streamsMax && this.streamsWaiting.bytes < streamsBytesMax;
    const mayFollow = hasRoom && !this.fed.has(id);
    if (mayFollow) this.fed.set(id, fed);
    const stopped =
      topic === undefined || !mayFollow
        ? undefined
        : this.options.listener.followed(topic, bytes, this.feeding(id, fed));
    const isOn = this.fed.get(id) === fed;
    if (stopped && isOn) fed.stopped = stopped;
    // It ended while it began.
    else if (stopped) stopped();
    else {
      if (isOn) this.fed.delete(id);
      // Nobody follows more streams than there can be: whoever reads no answers would have them wait without end.
      if (this.refusedStreams.count >= linkLimits.streamsMax) this.end('flood');
      this.push(this.refusedStreams, { kind: 'end', id, bytes: nothing });
    }
  }

  private feeding(id: number, fed: Fed): FedStream {
    const { lane } = fed;
    const isOn = () => this.fed.get(id) === fed;
    const { streamBytesMax, streamsBytesMax } = linkLimits;
    const hasRoom = ({ length }: Uint8Array) =>
      lane.bytes + length <= streamBytesMax &&
      this.streamsWaiting.bytes + length <= streamsBytesMax;
    let isBehind = false;
    return {
      send: (bytes, { isStart = false } = {}) => {
        if (!isOn()) return false;
        checkSize(bytes);
        if (!isBehind && !hasRoom(bytes) && lane.count > 0) {
          // All that waits goes: half a segment is of use to nobody.
          this.options.counts.gaps += 1 + lane.dropAll();
          isBehind = true;
        }
        if (isBehind && !(isStart && hasRoom(bytes))) return false;
        this.push(lane, { kind: 'part', id, gap: isBehind, bytes });
        isBehind = false;
        return true;
      },
      end: () => {
        if (!isOn()) return;
        this.fed.delete(id);
        // Behind what waits of it.
        this.push(lane, { kind: 'end', id, bytes: nothing });
      },
    };
  }

  private heardEnd(id: number): void {
    const stream = this.followed.get(id);
    this.followed.delete(id);
    stream?.ended();
  }

  private heardStop(id: number): void {
    const fed = this.fed.get(id);
    if (!fed) return;
    this.fed.delete(id);
    fed.lane.dropAll();
    fed.stopped?.();
  }

  private takeId(): number {
    this.nextId = (this.nextId + 1) % idsMax;
    return this.nextId;
  }

  private push(lane: LinkLane, message: Parameters<LinkLane['push']>[0]): void {
    if (!this.isOpen) return;
    this.options.counts.sentMessages += 1;
    this.lanes.push(lane, message);
    this.pump();
  }

  private pump(): void {
    const { pieceBytesMax } = this.options;
    while (this.isOpen && !this.isFull && this.untoldBytes < linkLimits.untoldBytesMax) {
      const frame = this.lanes.next(pieceBytesMax);
      if (!frame) return;
      this.untoldBytes += frame.length;
      this.sendNow(frame);
    }
  }

  private sendNow(frame: Uint8Array): void {
    if (!this.isOpen) return;
    this.options.counts.sentBytes += frame.length;
    if (!this.options.socket.send(frame)) this.isFull = true;
  }
}

const nothing = new Uint8Array(0);

function failed(reason: LinkFailure['reason'], message: string): Promise<never> {
  return Promise.reject(new LinkFailure(reason, message));
}

function checkSize(bytes: Uint8Array): void {
  const { messageBytesMax } = linkLimits;
  if (bytes.length > messageBytesMax)
    throw new Error(`a message of ${bytes.length} bytes: a link takes ${messageBytesMax}`);
}

/** Undefined where it is no list of names. */
function readNames(bytes: Uint8Array): string[] | undefined {
  try {
    const names: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const isList = Array.isArray(names) && names.length <= linkLimits.topicsMax;
    return isList && names.every((name) => typeof name === 'string') ? names : undefined;
  } catch {
    return undefined;
  }
}
