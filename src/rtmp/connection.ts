// One connection's life: handshake, messages, deadlines, and a goodbye that the peer can read.
import { GrowingBytes } from '../lib/growing-bytes.ts';
import type { Log } from '../lib/log.ts';
import { MediaError } from '../media/packet.ts';
import { ChunkReader } from './chunk-reader.ts';
import { controlMessage, pingAnswer, Rejection, statusMessage } from './command.ts';
import { Handshake, serverHandshake } from './handshake.ts';
import type { KeyGuard } from './key-guard.ts';
import type { RtmpLimits } from './limits.ts';
import { controlNumber, isMedia, type Message, messageType, WireError } from './message.ts';
import { MessageWriter } from './message-writer.ts';
import type { ReadPace } from './read-pace.ts';
import { ReceiveWindow } from './receive-window.ts';
import { type RtmpServices, Session } from './session.ts';
import type { WritableSocket } from './socket-writer.ts';
import { startDeadline, startWatchdog, type Watch } from './watchdog.ts';

/** What a connection needs of its socket; Bun's has it. */
export interface ConnectionSocket extends WritableSocket {
  /** No more is read until `resume`. */
  pause(): void;
  resume(): void;
  /** Nothing more will be sent; the peer may go on. */
  shutdown(): void;
  /** Gone at once. */
  terminate(): void;
}

export interface ConnectionOptions {
  socket: ConnectionSocket;
  address: string;
  /** Whom the address stands for when connections and failures are counted. */
  network: string;
  services: RtmpServices;
  guard: KeyGuard;
  pace: ReadPace;
  limits: RtmpLimits;
  log: Log;
  now: () => number;
}

export class RtmpConnection {
  private readonly options: ConnectionOptions;
  private readonly writer: MessageWriter;
  private readonly session: Session;
  private readonly reader: ChunkReader;
  private readonly handshake: Handshake;
  private readonly window = new ReceiveWindow();

  private state: 'open' | 'closing' | 'closed' = 'open';
  /** A command is being answered; what comes meanwhile is kept. */
  private isWaiting = false;
  private early: GrowingBytes | undefined;
  private watched: 'handshake' | Session['activity'] = 'handshake';
  /** What it came for, told in the log. */
  private purpose: Session['activity'] = 'none';
  private watch: Watch;

  constructor(options: ConnectionOptions) {
    this.options = options;
    const { socket, limits } = options;
    this.writer = new MessageWriter({
      socket,
      waitingBytesMax: limits.waitingBytesMax,
      answerBytesMax: limits.answerBytesMax,
      onDrained: () => (this.state === 'closing' ? socket.shutdown() : this.session.drained()),
      onOverflow: () => this.close('it does not read what it is sent'),
    });
    this.session = new Session({
      ...options,
      writer: this.writer,
      close: (reason) => this.close(reason),
    });
    this.reader = new ChunkReader(limits);
    this.handshake = new Handshake((hello) => this.writer.raw(serverHandshake(hello)));
    this.watch = startDeadline(limits.handshakeWithinMs, () => this.close('no handshake in time'));
  }

  /** The bytes are lent: nothing of them is kept. */
  receive(bytes: Uint8Array): void {
    if (this.state !== 'open') return;
    this.acknowledge(this.window.received(bytes.length));
    this.guarded(() => {
      if (this.isWaiting) this.keepEarly(bytes);
      else this.read(bytes);
    });
    if (this.watched === 'publishing' && this.state === 'open')
      this.options.pace.rest(this.options.socket);
  }

  /** The socket has room again. */
  drain(): void {
    this.writer.drain();
  }

  /** Says why where the peer can be told, sends what waits, then lets it go. */
  close(reason: string | Rejection): void {
    if (this.state !== 'open') return;
    this.state = 'closing';
    this.watch.stop();
    this.options.pace.leave(this.options.socket);
    this.logClose(reason);
    this.endSession();
    if (reason instanceof Rejection) this.writer.answer(statusMessage(reason.status));
    this.writer.flush();
    const { socket, limits } = this.options;
    // Bytes left unread would make the system reset the connection, and the peer lose our last words.
    socket.resume();
    this.watch = startDeadline(limits.closeWithinMs, () => socket.terminate());
    if (this.writer.waitingBytes === 0) socket.shutdown();
  }

  /** The socket is gone, whoever closed it. */
  closed(): void {
    if (this.state === 'open') this.logClose('the peer closed it');
    this.state = 'closed';
    this.watch.stop();
    this.options.pace.leave(this.options.socket);
    this.writer.close();
    this.endSession();
  }

  /** What the service does with the end must not keep us from it. */
  private endSession(): void {
    try {
      this.session.closed();
    } catch (error) {
      this.logFailure(error);
    }
  }

  /** The border: whatever goes wrong with one peer ends here, and ends that peer alone. */
  private guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    if (error instanceof Rejection) {
      this.close(error);
    } else if (error instanceof WireError || error instanceof MediaError) {
      this.close(error.message);
    } else {
      this.logFailure(error);
      this.close('an error of our own');
    }
  }

  private read(bytes: Uint8Array): void {
    const rest = this.handshake.isDone ? bytes : this.handshake.push(bytes);
    if (!this.handshake.isDone) return;
    this.look();
    this.reader.feed(rest);
    this.work();
  }

  /** Messages in their order; one that has to wait for its answer holds up those behind it. */
  private work(): void {
    while (this.state === 'open' && !this.isWaiting) {
      const message = this.reader.next();
      if (!message) break;
      const answered = this.handle(message);
      if (answered) this.wait(answered);
      else this.look();
    }
    this.reader.keep();
  }

  private handle(message: Message): Promise<void> | undefined {
    const pong = pingAnswer(message);
    if (pong) this.writer.answer(pong);
    if (message.type === messageType.windowSize) {
      this.window.resize(controlNumber(message));
    }
    if (!isMedia(message.type)) return this.session.handle(message);
    this.session.publishing?.take(message);
    return undefined;
  }

  private wait(answered: Promise<void>): void {
    this.isWaiting = true;
    this.options.socket.pause();
    answered.then(
      () => this.goOn(),
      (error) => this.fail(error),
    );
  }

  private goOn(): void {
    if (this.state !== 'open') return;
    const early = this.early?.bytes ?? new Uint8Array();
    this.early = undefined;
    this.isWaiting = false;
    this.guarded(() => {
      this.options.socket.resume();
      this.look();
      this.reader.feed(early);
      this.work();
    });
  }

  /** The socket is paused, but what was read before may still come. */
  private keepEarly(bytes: Uint8Array): void {
    this.early ??= new GrowingBytes(this.options.limits.earlyBytesMax);
    if (!this.early.append(bytes)) throw new WireError('It did not wait for an answer');
  }

  private acknowledge(bytes: number | undefined): void {
    if (bytes === undefined) return;
    this.writer.answer(controlMessage(messageType.acknowledgement, bytes));
  }

  /** What the peer does now decides what it is watched for. */
  private look(): void {
    const { activity } = this.session;
    if (activity === this.watched || this.state !== 'open') return;
    this.watched = activity;
    this.watch.stop();
    const { pace, socket } = this.options;
    if (activity === 'publishing') pace.join(socket);
    else pace.leave(socket);
    if (activity !== 'none') this.purpose = activity;
    // Who may publish has shown a key, and may send long messages.
    if (activity === 'publishing') this.reader.allowMedia();
    this.watch = this.watchFor(activity);
  }

  private watchFor(activity: Session['activity']): Watch {
    const { limits } = this.options;
    const { session, writer } = this;
    const close = (reason: string) => () => this.close(reason);
    switch (activity) {
      case 'publishing':
        return startWatchdog({
          withinMs: limits.silenceMaxMs,
          progress: () => session.publishing?.messageCount,
          onStill: close('it sent no media for too long'),
        });
      case 'playing':
        return startWatchdog({
          withinMs: limits.stallMaxMs,
          progress: () => (writer.waitingBytes === 0 ? undefined : writer.takenBytes),
          onStill: close('it took nothing for too long'),
        });
      case 'none':
        return startDeadline(
          limits.startWithinMs,
          close('it neither published nor played in time'),
        );
    }
  }

  private logFailure(error: unknown): void {
    this.options.log.error('an RTMP connection failed', { address: this.options.address, error });
  }

  /** One line a connection. Neither the key nor what the peer wrote stands in it. */
  private logClose(reason: string | Rejection): void {
    const { log, address } = this.options;
    const text = reason instanceof Rejection ? reason.message : reason;
    const cause = reason instanceof Rejection ? reason.cause : undefined;
    const fields = { address, purpose: this.purpose, reason: text };
    // A stranger who comes and goes must not fill the log.
    if (!this.handshake.isDone) log.debug('an RTMP connection closed', fields);
    else if (cause === undefined) log.info('an RTMP connection closed', fields);
    else log.error('an RTMP connection closed', { ...fields, error: cause });
  }
}
