// One page's connection: what the upgrade showed, and whether it says more than a page does.
import type { PresentSession, SessionConnection } from '../counting/present.ts';
import { type PageBounds, presenceLimits } from '../protocol/page-limits.ts';
import type { PageReason } from '../protocol/page-refusals.ts';
import { closeCodes, type Refusal, type ServiceMessage } from '../protocol/wire.ts';

/** What a connection needs of its socket; Bun's has it. */
export interface PageSocket {
  send(text: string): unknown;
  close(code: number, reason?: string): void;
  /** Gone at once: the other side would not read a goodbye. */
  terminate(): void;
  subscribe(topic: string): unknown;
}

/** What the upgrade request showed of a page. */
export interface Upgrade {
  ip: string;
  /** Whom the address stands for when connections are counted. */
  network: string;
  device: string;
  browser: string;
  /** It is taken only to be told so. */
  refusal: 'origin' | 'full' | 'network' | undefined;
}

/** One thing that a page has said, or that it has gone. */
export interface Words {
  /** What they take while they wait. */
  bytes: number;
  hear(): void;
}

/** Whether one more connection of the network may be told why it is closed. */
export interface Farewell {
  mayTell(network: string): boolean;
}

/** What a message has around it, TLS included. */
const frameBytesMax = 64;
/** RFC 6455 5.5: and with it 125 bytes at most. */
const controlFrameBytesMax = 125 + frameBytesMax;

/** There are thousands of these: few fields, and nothing that is not needed again. */
export class Connection implements SessionConnection {
  readonly network: string;
  private readonly farewell: Farewell | undefined;

  /** Until it has entered. */
  upgrade: Upgrade | undefined;
  socket: PageSocket | undefined;
  session: PresentSession | undefined;
  state: 'new' | 'entering' | 'entered' | 'closed' = 'new';
  /** Its last message, or its beginning. */
  heardAt: number;
  /** Why it was sent away. */
  refusedFor: PageReason | undefined;
  /** All that it has sent as far as we were told, frames and all; rather too much than too little. */
  toldBytes = 0;
  private countedFrom: number;
  private counted = 0;
  private controlFrames = 0;
  /** What it has said and waits for its turn, the oldest first. */
  private unheard: Words[] | undefined;
  unheardBytes = 0;

  /** Without a `farewell` all are told. */
  constructor(upgrade: Upgrade, at: number, farewell?: Farewell) {
    this.network = upgrade.network;
    this.farewell = farewell;
    this.upgrade = upgrade;
    this.heardAt = at;
    this.countedFrom = at;
  }

  /** A message of so many bytes. False where it says too much. */
  heard(at: number, bytes: number, { framesPerPage }: Pick<PageBounds, 'framesPerPage'>): boolean {
    this.heardAt = at;
    this.toldBytes += bytes + frameBytesMax;
    this.countFrom(at);
    this.counted += 1;
    return this.counted <= framesPerPage;
  }

  /** A ping or a pong: it says nothing of the page. False where there are too many. */
  touched(at: number, { pingsPerPage }: Pick<PageBounds, 'pingsPerPage'>): boolean {
    this.countFrom(at);
    this.toldBytes += controlFrameBytesMax;
    this.controlFrames += 1;
    return this.controlFrames <= pingsPerPage;
  }

  get isHeard(): boolean {
    return this.unheard === undefined;
  }

  hearLater(words: Words): void {
    this.unheard ??= [];
    this.unheard.push(words);
    this.unheardBytes += words.bytes;
  }

  /** The oldest of what waits; nothing where it was settled meanwhile. */
  hearNext(): void {
    const words = this.unheard?.shift();
    if (!words) return;
    if (this.unheard?.length === 0) this.unheard = undefined;
    this.unheardBytes -= words.bytes;
    words.hear();
  }

  settle(): void {
    while (!this.isHeard) this.hearNext();
  }

  /** It is in; what is told to the room is told to it. */
  enter(session: PresentSession, topic: string): void {
    this.session = session;
    this.upgrade = undefined;
    if (this.state === 'closed') return;
    this.state = 'entered';
    this.socket?.subscribe(topic);
  }

  send(message: ServiceMessage): void {
    this.sendText(JSON.stringify(message));
  }

  sendText(text: string): void {
    if (this.state !== 'closed') this.socket?.send(text);
  }

  /** `why`: what is counted, where it is more than the page is told. */
  refuse(reason: Refusal, why: PageReason = reason): void {
    this.refusedFor = why;
    this.send({ type: 'refused', reason });
    const isPassing = reason === 'full' || reason === 'unavailable';
    this.close(isPassing ? closeCodes.later : closeCodes.refused, reason);
  }

  close(code: number, reason: string): void {
    if (this.state === 'closed') return;
    const mayTell = code === closeCodes.restart || (this.farewell?.mayTell(this.network) ?? true);
    if (mayTell) this.socket?.close(code, reason);
    else this.socket?.terminate();
  }

  /** It would not read a goodbye. */
  cut(reason: 'flood' | 'hello'): void {
    this.refusedFor = reason;
    this.terminate();
  }

  terminate(): void {
    if (this.state !== 'closed') this.socket?.terminate();
  }

  private countFrom(at: number): void {
    if (at - this.countedFrom < presenceLimits.countedMs) return;
    this.countedFrom = at;
    this.counted = 0;
    this.controlFrames = 0;
  }
}
