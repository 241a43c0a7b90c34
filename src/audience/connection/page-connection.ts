// One page's connection: how far it has come, when it was last heard, and whether it says more than a page does.
import type { PresentSession, SessionConnection } from '../counting/present.ts';
import { closeCodes, type Refusal, type ServiceMessage } from '../protocol/messages.ts';
import { type PageBounds, presenceLimits } from '../protocol/page-limits.ts';
import type { PageReason } from '../protocol/page-refusals.ts';

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
  /** The network of the address; connections are counted by it. */
  network: string;
  device: string;
  browser: string;
  /** Why it is refused; it is connected only to be told so. */
  refusal: 'origin' | 'full' | 'network' | undefined;
}

/** One thing that a page has said, or that it has gone. */
export interface Words {
  /** The memory that they take while they wait. */
  bytes: number;
  hear(): void;
}

/** Whether one more connection of the network may be told why it is closed. */
export interface Farewell {
  mayTell(network: string): boolean;
}

/** The bytes around a message, TLS included. */
const frameBytesMax = 64;
/** RFC 6455 5.5: and with it 125 bytes at most. */
const controlFrameBytesMax = 125 + frameBytesMax;

/** `new` until its ticket was read, `entering` while its session is written. It may be closed at any time. */
type State = 'new' | 'entering' | 'entered' | 'closed';

/**
 * There are thousands of these: few fields, and nothing that is not needed again. Its own state is changed by what
 * happens to it (`opened`, `entering`, `entered`, `closed`); in another order that is our mistake, and throws.
 */
export class Connection implements SessionConnection {
  readonly network: string;
  pass: string | undefined;
  private readonly farewell: Farewell | undefined;

  private state: State = 'new';
  private socket: PageSocket | undefined;
  private seenUpgrade: Upgrade | undefined;
  private heldSession: PresentSession | undefined;
  private lastHeardAt: number;
  private refusal: PageReason | undefined;
  private bytesTold = 0;
  private countedFrom: number;
  private counted = 0;
  private controlFrames = 0;
  /** What it has said and waits for its turn, the oldest first. */
  private unheard: Words[] | undefined;
  private bytesUnheard = 0;

  /** Without a `farewell` all are told. */
  constructor(upgrade: Upgrade, at: number, farewell?: Farewell) {
    this.network = upgrade.network;
    this.farewell = farewell;
    this.seenUpgrade = upgrade;
    this.lastHeardAt = at;
    this.countedFrom = at;
  }

  /** What its request showed; undefined once it has entered. */
  get upgrade(): Upgrade | undefined {
    return this.seenUpgrade;
  }

  /** Undefined until it has entered. */
  get session(): PresentSession | undefined {
    return this.heldSession;
  }

  /** It has not said yet whose page it is. */
  get isStranger(): boolean {
    return this.state === 'new';
  }

  get hasEntered(): boolean {
    return this.state === 'entered';
  }

  get isClosed(): boolean {
    return this.state === 'closed';
  }

  /** Its last message, or its beginning. */
  get heardAt(): number {
    return this.lastHeardAt;
  }

  /** Why it was sent away; undefined where it was not. */
  get refusedFor(): PageReason | undefined {
    return this.refusal;
  }

  /** All that it has sent as far as we were told, frames and all; rather too much than too little. */
  get toldBytes(): number {
    return this.bytesTold;
  }

  /** Bytes of what it has said and waits for its turn. */
  get unheardBytes(): number {
    return this.bytesUnheard;
  }

  /** From here on it can be told something. */
  opened(socket: PageSocket): void {
    if (this.state !== 'new' || this.socket) throw new Error('a connection was opened twice');
    this.socket = socket;
  }

  /** Its ticket was good, and its session is looked for in the database. */
  entering(): void {
    if (this.state !== 'new') throw new Error(`a connection that is ${this.state} cannot enter`);
    this.state = 'entering';
  }

  /** It has a session, and what is told to the room is told to it. Where it has closed meanwhile it stays closed. */
  entered(session: PresentSession, topic: string): void {
    if (this.heldSession) throw new Error('a connection entered twice');
    this.heldSession = session;
    this.seenUpgrade = undefined;
    if (this.state === 'closed') return;
    this.state = 'entered';
    this.socket?.subscribe(topic);
  }

  /** Its socket is gone. `why`: where the server itself has cut it. */
  closed(why?: PageReason): void {
    if (this.state === 'closed') throw new Error('a connection was closed twice');
    this.state = 'closed';
    this.socket = undefined;
    this.refusal ??= why;
  }

  /** A message of so many bytes. False where it says too much. */
  heard(at: number, bytes: number, { framesPerPage }: Pick<PageBounds, 'framesPerPage'>): boolean {
    this.lastHeardAt = at;
    this.bytesTold += bytes + frameBytesMax;
    this.countFrom(at);
    this.counted += 1;
    return this.counted <= framesPerPage;
  }

  /** A ping or a pong: it says nothing of the page. False where there are too many. */
  touched(at: number, { pingsPerPage }: Pick<PageBounds, 'pingsPerPage'>): boolean {
    this.countFrom(at);
    this.bytesTold += controlFrameBytesMax;
    this.controlFrames += 1;
    return this.controlFrames <= pingsPerPage;
  }

  /** It is there without having said anything: a player without a page asks for media, or takes it. */
  stillThere(at: number): void {
    this.lastHeardAt = at;
  }

  get isHeard(): boolean {
    return this.unheard === undefined;
  }

  hearLater(words: Words): void {
    this.unheard ??= [];
    this.unheard.push(words);
    this.bytesUnheard += words.bytes;
  }

  /** The oldest of what waits; nothing where it was settled meanwhile. */
  hearNext(): void {
    const words = this.unheard?.shift();
    if (!words) return;
    if (this.unheard?.length === 0) this.unheard = undefined;
    this.bytesUnheard -= words.bytes;
    words.hear();
  }

  settle(): void {
    while (!this.isHeard) this.hearNext();
  }

  send(message: ServiceMessage): void {
    this.sendText(JSON.stringify(message));
  }

  sendText(text: string): void {
    this.socket?.send(text);
  }

  /** `why`: what is counted, where it is more than the page is told. */
  refuse(reason: Refusal, why: PageReason = reason): void {
    this.refusal = why;
    this.send({ type: 'refused', reason });
    const isPassing = reason === 'full' || reason === 'unavailable';
    this.close(isPassing ? closeCodes.later : closeCodes.refused, reason);
  }

  close(code: number, reason: string): void {
    if (this.isClosed) return;
    const isAll = code === closeCodes.restart || code === closeCodes.elsewhere;
    const mayTell = isAll || (this.farewell?.mayTell(this.network) ?? true);
    if (mayTell) this.socket?.close(code, reason);
    else this.socket?.terminate();
  }

  /** Ends it without a goodbye, which it would not read. */
  cut(reason: 'flood' | 'hello'): void {
    this.refusal = reason;
    this.terminate();
  }

  terminate(): void {
    this.socket?.terminate();
  }

  private countFrom(at: number): void {
    if (at - this.countedFrom < presenceLimits.countedMs) return;
    this.countedFrom = at;
    this.counted = 0;
    this.controlFrames = 0;
  }
}
