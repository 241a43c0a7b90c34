// The client's end of a connection: handshake, calls and their answers, and why it ended.
import type { AmfValue } from '../formats/amf.ts';
import { MediaError } from '../formats/packet.ts';
import { uncounted } from '../live/push-memory.ts';
import { ChunkReader } from './chunk-reader.ts';
import type { OutgoingMessage } from './chunk-writer.ts';
import { clientHandshake, Handshake } from './handshake.ts';
import { type KeptMessage, keepMessage, type Message, messageType, WireError } from './message.ts';
import { MessageWriter } from './message-writer.ts';
import {
  type Command,
  commandMessage,
  isObject,
  pingAnswer,
  readCommand,
  textOf,
} from './rtmp-command.ts';
import { rtmpLimits } from './rtmp-limits.ts';
import { SendTurns } from './send-turns.ts';

export interface Target {
  readonly host: string;
  readonly port: number;
  readonly app: string;
  /** A secret where it is a key: it stands in no message of ours. */
  readonly name: string;
}

/** Nothing listens there. */
export const unreachable = 'the server cannot be reached';
/** A sender that never looks at what waits is stopped before it fills the memory. */
const waitingBytesMax = 67_108_864;
/** After our last word the server has so long to close. */
const closeWithinMs = 2_000;

export class ClientSession {
  private readonly target: Target;
  private readonly onMessage: (message: KeptMessage) => void;
  private readonly writer: MessageWriter;
  private readonly reader = new ChunkReader(rtmpLimits);
  private readonly handshake: Handshake;

  private socket: Bun.Socket | undefined;
  private transactions = 0;
  private readonly opened = Promise.withResolvers<void>();
  private readonly greeted = Promise.withResolvers<void>();
  private readonly waiters = new Set<(command: Command) => void>();
  private drained = Promise.withResolvers<void>();
  private reason: string | undefined;
  private readonly ended = Promise.withResolvers<string>();

  constructor(target: Target, onMessage: (message: KeptMessage) => void) {
    this.target = target;
    this.onMessage = onMessage;
    this.writer = new MessageWriter({
      socket: { write: (bytes) => this.socket?.write(bytes) ?? 0 },
      turns: new SendTurns({ turnMs: Infinity }),
      unread: uncounted,
      network: target.host,
      waitingBytesMax,
      answerBytesMax: waitingBytesMax,
      onDrained: () => this.allTaken(),
      onOverflow: () => this.cut('the server does not read what it is sent'),
    });
    this.reader.allowMedia();
    this.handshake = new Handshake((hello) => {
      this.writer.raw(hello);
      this.greeted.resolve();
    });
  }

  /** Why it ended. */
  get closed(): Promise<string> {
    return this.ended.promise;
  }

  get waitingBytes(): number {
    return this.writer.waitingBytes;
  }

  /** Opens the socket, shakes hands and connects to the application. */
  async connect(chunkSize: number): Promise<void> {
    const { host, port, app } = this.target;
    this.openSocket(host, port);
    await this.unlessClosed(this.opened.promise);
    this.writer.raw(clientHandshake());
    await this.unlessClosed(this.greeted.promise);
    this.writer.setChunkSize(chunkSize);
    const flashVer = 'FMLE/3.0 (compatible; Footlight)';
    const tcUrl = `rtmp://${host}:${port}/${app}`;
    await this.call('connect', { app, type: 'nonprivate', flashVer, tcUrl });
  }

  /** The values of the answer; an error ends the connection with the server's words. */
  async call(name: string, ...values: AmfValue[]): Promise<readonly AmfValue[]> {
    const transaction = this.tell(name, ...values);
    const isAnswer = (command: Command) =>
      command.transaction === transaction && /^_(result|error)$/.test(command.name);
    const answer = await this.expect(isAnswer);
    if (answer.name === '_error') throw this.cut(descriptionOf(answer));
    return answer.args;
  }

  /** A call whose answer nobody waits for; returns its transaction. */
  tell(name: string, ...values: AmfValue[]): number {
    this.transactions += 1;
    this.send(commandMessage(0, name, this.transactions, ...values));
    return this.transactions;
  }

  /** The next command that matches; rejects if the connection ends first. */
  expect(matches: (command: Command) => boolean): Promise<Command> {
    const { promise, resolve } = Promise.withResolvers<Command>();
    const waiter = (command: Command) => {
      if (matches(command)) resolve(command);
    };
    this.waiters.add(waiter);
    return this.unlessClosed(promise).finally(() => this.waiters.delete(waiter));
  }

  send(message: OutgoingMessage): void {
    this.writer.media(message);
  }

  /** Resolves when the socket has taken everything, or is gone. */
  async drain(): Promise<void> {
    this.writer.flush();
    if (this.waitingBytes > 0) await Promise.race([this.drained.promise, this.closed]);
  }

  /** Sends what waits, then closes; resolves when the socket is gone. */
  async end(reason: string): Promise<void> {
    this.reason ??= reason;
    const timer = setTimeout(() => this.cut(reason), closeWithinMs);
    await this.drain();
    this.socket?.shutdown();
    await this.closed;
    clearTimeout(timer);
  }

  /** Drops the connection; returns why, as an error to throw. */
  cut(reason: string): Error {
    this.closedBecause(reason);
    this.socket?.terminate();
    return new Error(this.reason);
  }

  /** Nothing is read until `resume`. */
  pause(): void {
    this.socket?.pause();
  }

  resume(): void {
    this.socket?.resume();
  }

  private openSocket(hostname: string, port: number): void {
    Bun.connect({
      hostname,
      port,
      socket: {
        open: (socket) => this.socketOpened(socket),
        data: (_, bytes) => this.receive(bytes),
        drain: () => this.writer.drain(),
        close: () => this.closedBecause('the server closed the connection'),
        error: () => void this.cut('the connection broke'),
        connectError: () => this.closedBecause(unreachable),
      },
    }).catch(() => this.closedBecause(unreachable));
  }

  private socketOpened(socket: Bun.Socket): void {
    this.socket = socket;
    if (this.reason === undefined) this.opened.resolve();
    else socket.terminate();
  }

  private receive(bytes: Uint8Array): void {
    try {
      const rest = this.handshake.isDone ? bytes : this.handshake.push(bytes);
      this.reader.feed(rest);
      for (let message = this.reader.next(); message; message = this.reader.next()) {
        this.take(message);
      }
      this.reader.keep();
    } catch (error) {
      if (!(error instanceof WireError || error instanceof MediaError)) throw error;
      this.cut(`the server's answer makes no sense: ${error.message}`);
    }
  }

  private take(message: Message): void {
    const pong = pingAnswer(message);
    if (pong) this.send(pong);
    if (message.type === messageType.command) this.takeCommand(message);
    else this.onMessage(keepMessage(message));
  }

  private takeCommand(message: Message): void {
    const command = readCommand(message);
    for (const waiter of this.waiters) waiter(command);
    const [info] = command.args;
    if (command.name === 'onStatus' && isObject(info) && info['level'] === 'error') {
      this.cut(descriptionOf(command));
    }
  }

  private allTaken(): void {
    this.drained.resolve();
    this.drained = Promise.withResolvers();
  }

  private closedBecause(reason: string): void {
    this.reason ??= reason;
    this.writer.close();
    this.ended.resolve(this.reason);
  }

  private async unlessClosed<T>(promise: Promise<T>): Promise<T> {
    const failed = this.closed.then((reason) => {
      throw new Error(reason);
    });
    return await Promise.race([promise, failed]);
  }
}

/** What a server says of its refusal, in its own words if it has any. */
function descriptionOf({ args }: Command): string {
  const info = args.find(isObject);
  return textOf(info?.['description']) || textOf(info?.['code']) || 'the server refused';
}
