// The page's one WebSocket: says hello, comes back with its session when it is lost, stays away when told to.
import {
  closeCodes,
  type PageMessage,
  type Refusal,
  type Said,
  type ServiceMessage,
} from '../../../audience/protocol/messages.ts';
import { BackOff } from './back-off.ts';

/** What the service says to a page that it has let in. */
export type HeardMessage = Exclude<ServiceMessage, { type: 'refused' }>;

export interface ConnectionOptions {
  /** `ws://…/audience` */
  url: string;
  ticket: string;
  /** Random, one for each load of the page. */
  instance: string;
  /** Where the resume token outlives a reload. */
  memory: { read(): string | undefined; keep(resume: string): void };
  /** What the page has said in the session that it would go on with; a service that was killed has lost it. */
  reportsToRepeat(): Said | undefined;
  /** Whether anybody is there to be counted: nobody is in a hidden page that plays nothing. */
  isWanted(): boolean;
  /** First a welcome, after each time it was lost too. */
  onMessage(message: HeardMessage): void;
  /** Once for each time a connection was lost or not made; it is tried again. The reason, where one was given. */
  onLost(reason: Refusal | undefined): void;
  /** Its viewer has too many pages open; it is tried again when somebody uses this one. */
  onCrowdedOut(): void;
  /** Its viewer is banned; it looks again once in a while whether that is over. */
  onBanned(): void;
  /** It is over. */
  onLetIn(): void;
  /** It will not be tried again. */
  onOver(reason: Refusal | 'taken_over'): void;
  backOff?: BackOff;
  /** Other than the usual. */
  banLookMs?: number;
  /** A clock that only rises. */
  now?: () => number;
}

const waits = { waitMsMin: 500, firstMsMax: 2_000, waitMsMax: 30_000, settledMs: 10_000 };
/** Added for a service that has said it is full: nothing changes sooner. */
const laterMs = 5_000;
/** Who waits for the end of a ban, or has been forgiven, need not load the page anew to learn of it. */
const banLookMs = 60_000;
/** Sent to another node: at once, but not thousands in the same moment. */
const elsewhereMsMax = 500;
/** A service that has not welcomed the page by now will not. */
const welcomeMsMax = 15_000;
/** The service gives up a page that was silent for 30 s; one that slept for so long need not wait to be told. */
const silentMsMax = 25_000;

export class AudienceConnection {
  private readonly options: ConnectionOptions;
  private readonly backOff: BackOff;
  private readonly now: () => number;

  private socket: WebSocket | undefined;
  private isWelcome = false;
  private saidAt = 0;
  private refusal: Refusal | undefined;
  /** The next try, or the end of waiting for the welcome. */
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Nobody was there when it was time to try again. */
  private isDormant = false;
  /** Back by itself it would push out another page of its viewer, and that one the next. */
  private isCrowdedOut = false;
  private isBanned = false;
  private isOver = false;

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.backOff = options.backOff ?? new BackOff(waits);
    this.now = options.now ?? (() => performance.now());
  }

  /** Now, whatever the wait would be: somebody looks at the page again. */
  connect(): void {
    if (this.isOver || this.socket) return;
    clearTimeout(this.timer);
    this.isDormant = false;
    this.isCrowdedOut = false;
    const socket = new WebSocket(this.options.url);
    this.socket = socket;
    this.refusal = undefined;
    // Words of an earlier socket are of no interest.
    const isNow = () => this.socket === socket;
    socket.onopen = () => isNow() && this.hello(socket);
    socket.onmessage = ({ data }) => isNow() && this.heard(JSON.parse(data));
    socket.onclose = ({ code }) => isNow() && this.closed(code);
    this.timer = setTimeout(() => isNow() && this.replace(), welcomeMsMax);
  }

  /** The network is back: what was begun without it may hang, and what failed without it says nothing. */
  retry(): void {
    if (this.isWelcome || this.isCrowdedOut) return;
    this.leave();
    this.backOff.forget();
    this.connect();
  }

  /** Somebody may be there again. Waiting for its next try it goes on waiting. */
  wake(): void {
    if (this.isDormant) this.connect();
  }

  /** Somebody touches the page. */
  used(): void {
    if (this.isCrowdedOut) this.connect();
  }

  /** Whether it was sent; what cannot be is lost. */
  send(message: PageMessage): boolean {
    if (!this.isWelcome || this.socket?.readyState !== WebSocket.OPEN) return false;
    if (this.now() - this.saidAt > silentMsMax) {
      this.replace();
      return false;
    }
    this.say(this.socket, message);
    return true;
  }

  /** The page goes, perhaps to come back: the service need not wait to notice. */
  leave(): void {
    clearTimeout(this.timer);
    const { socket } = this;
    this.forget();
    socket?.close();
  }

  /** The network is gone, or the page slept: this socket may never say so. */
  replace(): void {
    if (!this.socket) return;
    this.leave();
    this.lost(0);
  }

  private hello(socket: WebSocket): void {
    const { ticket, instance, memory } = this.options;
    const resume = memory.read();
    const said = this.options.reportsToRepeat();
    this.say(socket, {
      type: 'hello',
      ticket,
      instance,
      ...(resume !== undefined && { resume }),
      ...(said && { said }),
    });
  }

  private say(socket: WebSocket, message: PageMessage): void {
    this.saidAt = this.now();
    socket.send(JSON.stringify(message));
  }

  private heard(message: ServiceMessage): void {
    if (message.type === 'refused') {
      this.refusal = message.reason;
      return;
    }
    if (message.type === 'welcome') {
      clearTimeout(this.timer);
      this.isWelcome = true;
      this.backOff.began(this.now());
      this.options.memory.keep(message.resume);
      if (this.isBanned) this.options.onLetIn();
      this.isBanned = false;
    }
    this.options.onMessage(message);
  }

  private closed(code: number): void {
    clearTimeout(this.timer);
    const { refusal, isWelcome } = this;
    this.forget();
    if (code === closeCodes.elsewhere && isWelcome) this.goElsewhere();
    else if (code === closeCodes.refused && refusal === 'banned') this.banned();
    else if (code === closeCodes.refused) this.over(refusal ?? 'gone');
    else if (code === closeCodes.takenOver) this.over('taken_over');
    else if (code === closeCodes.crowdedOut) this.crowdedOut();
    else this.lost(code === closeCodes.later ? laterMs : 0, refusal);
  }

  private over(reason: Refusal | 'taken_over'): void {
    this.isOver = true;
    this.options.onOver(reason);
  }

  private banned(): void {
    this.isBanned = true;
    this.tryIn(this.options.banLookMs ?? banLookMs);
    this.options.onBanned();
  }

  private crowdedOut(): void {
    this.isCrowdedOut = true;
    this.options.onCrowdedOut();
  }

  /** Nothing has failed, so it does not wait as after a failure; where that goes wrong, it does. */
  private goElsewhere(): void {
    this.tryIn(Math.random() * elsewhereMsMax);
    this.options.onLost(undefined);
  }

  private lost(atLeastMs: number, reason?: Refusal): void {
    this.tryIn(atLeastMs + this.backOff.failed(this.now()));
    this.options.onLost(reason);
  }

  private tryIn(waitMs: number): void {
    this.timer = setTimeout(() => {
      this.isDormant = true;
      if (this.options.isWanted()) this.connect();
    }, waitMs);
  }

  private forget(): void {
    this.socket = undefined;
    this.isWelcome = false;
  }
}
