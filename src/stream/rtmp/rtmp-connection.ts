// One connection's life: handshake, messages, media into its publication, deadlines, and a goodbye that the peer can read.
import type { Lent } from '../../base/bytes/memory.ts';
import type { Log } from '../../base/lib/log.ts';
import type { TurnSlice } from '../../base/turns/turn-slice.ts';
import type { Late, Turns } from '../../base/turns/turns.ts';
import { FlvReader, type Media } from '../formats/flv.ts';
import { MediaError } from '../formats/packet.ts';
import type { Publication } from '../live/live-stream.ts';
import { Backlog } from './backlog.ts';
import { ChunkReader } from './chunk-reader.ts';
import { ConnectionLog } from './connection-log.ts';
import { Handshake, serverHandshake } from './handshake.ts';
import { Intake } from './intake.ts';
import {
  controlNumber,
  isMedia,
  type Message,
  mayBeAnswered,
  messageType,
  WireError,
} from './message.ts';
import { MessageWriter } from './message-writer.ts';
import { ReceiveWindow } from './receive-window.ts';
import { controlMessage, pingAnswer, Rejection, rejected, statusMessage } from './rtmp-command.ts';
import type { RtmpReason } from './rtmp-refusals.ts';
import { type Activity, type RtmpServices, Session } from './rtmp-session.ts';
import type { Shared } from './shared.ts';
import type { WritableSocket } from './socket-writer.ts';
import type { Stranger } from './strangers.ts';
import { startDeadline, type Watch, watchPeer } from './watchdog.ts';

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

export interface ConnectionOptions extends Shared {
  socket: ConnectionSocket;
  address: string;
  /** Whom the address stands for when connections and failures are counted. */
  network: string;
  services: RtmpServices;
  log: Log;
  /** Time that only passes. */
  monotonicMs: () => number;
}

/** A long message is as many steps as it has of these: values of commands cost more than pictures. */
const mediaStepBytesShift = 12;
const valueStepBytesShift = 10;

/** Who takes what comes over a socket. */
interface Receiver {
  receive(bytes: Lent): void;
  drain(): void;
}

/** What Bun calls of a socket that has its connection. */
export const connectionEvents = {
  data(socket: { data: Receiver | undefined }, bytes: Uint8Array): void {
    socket.data?.receive(bytes);
    // They were lent. Now the next read has their memory; the collector would find out seconds later that nobody needs it.
    (bytes.buffer as ArrayBuffer).transfer(0);
  },
  drain(socket: { data: Receiver | undefined }): void {
    socket.data?.drain();
  },
};

export class RtmpConnection implements Late, Stranger {
  private readonly options: ConnectionOptions;
  private readonly log: ConnectionLog;
  private readonly writer: MessageWriter;
  private readonly session: Session;
  private readonly reader: ChunkReader;
  private readonly handshake: Handshake;
  private readonly intake: Intake;
  private readonly window = new ReceiveWindow();

  private state: 'open' | 'closing' | 'closed' = 'open';
  /** A command is being answered; what comes meanwhile is kept. */
  private isWaiting = false;
  /** It has more to do in a later turn; what comes meanwhile is kept. */
  private isLate = false;
  private readonly backlog: Backlog;
  /** The socket is gone, and there is still something to do of what came. */
  private isGone = false;
  private watched: 'handshake' | Activity = 'handshake';
  /** While it publishes. */
  private publishing: Publishing | undefined;
  /** What it came for, told in the log. */
  private purpose: Activity = 'none';
  private watch: Watch;

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.log = new ConnectionLog(options);
    const { socket, limits, keptInAll, network } = options;
    this.writer = new MessageWriter({
      socket,
      network,
      turns: options.sendTurns,
      unread: options.unread.holder(network),
      waitingBytesMax: limits.waitingBytesMax,
      answerBytesMax: limits.answerBytesMax,
      onDrained: () => (this.state === 'closing' ? socket.shutdown() : this.session.drained()),
      onOverflow: () => this.close('it does not read what it is sent', 'unread'),
    });
    this.session = new Session({
      ...options,
      writer: this.writer,
      close: (reason, refusal) => this.close(reason, refusal),
    });
    this.reader = new ChunkReader(limits);
    this.handshake = new Handshake((hello) => this.writer.raw(serverHandshake(hello)));
    this.intake = new Intake(options);
    this.backlog = new Backlog({ bytesMax: limits.earlyBytesMax, inAll: keptInAll });
    this.watch = startDeadline(limits.handshakeWithinMs, () =>
      this.close('no handshake in time', 'handshake'),
    );
    options.strangers.enter(this);
  }

  get network(): string {
    return this.options.network;
  }

  receive(bytes: Lent): void {
    if (this.state !== 'open') return;
    this.acknowledge(this.window.received(bytes.length));
    const { turns } = this;
    if (this.isWaiting || this.isLate) this.keepEarly(bytes);
    else if (turns.hasTime) turns.work((slice) => this.read(bytes, slice));
    else {
      this.keepEarly(bytes);
      this.beLate();
    }
    this.countKept();
    const mayRest = this.watched === 'publishing' && this.state === 'open' && !this.isLate;
    if (mayRest) this.options.pace.rest(this.options.socket);
  }

  /** Its turn has come. */
  goOn(slice: TurnSlice): void {
    this.isLate = false;
    this.read(this.backlog.take(), slice);
    this.countKept();
    if (this.isLate || this.isWaiting || this.state !== 'open') return;
    if (this.isGone) this.closed();
    else this.options.socket.resume();
  }

  /** The socket has room again. */
  drain(): void {
    this.writer.drain();
  }

  /** Says why where the peer can be told, sends what waits, then lets it go. */
  close(reason: string | Rejection, refusal?: RtmpReason): void {
    if (this.state !== 'open') return;
    const { socket, limits, strangers, lingering, refusals, network } = this.options;
    this.log.closed(reason, this.purpose);
    if (refusal) refusals.note(refusal, network);
    if (this.isGone) {
      this.finish();
      return;
    }
    this.state = 'closing';
    this.letGo();
    if (reason instanceof Rejection) this.writer.answer(statusMessage(reason.status));
    this.writer.flush();
    // Bytes left unread would make the system reset the connection, and the peer lose our last words.
    socket.resume();
    this.watch = startDeadline(limits.closeWithinMs, () => socket.terminate());
    // Whatever it was: who comes needs no place of those who go.
    strangers.leave(this);
    lingering.enter(this);
    if (this.writer.waitingBytes === 0) socket.shutdown();
  }

  /** Gone at once, for one that came later. */
  makeRoom(): void {
    if (this.state === 'open') {
      this.log.closed('it made room for a newer one', this.purpose);
      this.options.refusals.note('crowded', this.network);
    }
    this.finish();
    this.options.socket.terminate();
  }

  /** The socket is gone, whoever closed it. What came before is worked on to its end. */
  closed(): void {
    if (this.state === 'closed') return;
    this.isGone = true;
    if (this.state === 'open' && this.isLate) return;
    if (this.state === 'open') this.log.closed('the peer closed it', this.purpose);
    this.finish();
  }

  private finish(): void {
    this.state = 'closed';
    this.writer.close();
    this.letGo();
    const { strangers, lingering } = this.options;
    strangers.leave(this);
    lingering.leave(this);
  }

  /** Nothing of what it holds is needed any more. */
  private letGo(): void {
    const { pace, socket, publisherTurns, strangerTurns } = this.options;
    this.watch.stop();
    pace.leave(socket);
    publisherTurns.leave(this);
    strangerTurns.leave(this);
    this.backlog.clear();
    this.endSession();
  }

  /** The connection ends even where the service fails to take note of it. */
  private endSession(): void {
    try {
      this.session.closed();
    } catch (error) {
      this.log.failed(error);
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
      this.close(error, error.refusal);
    } else if (error instanceof WireError || error instanceof MediaError) {
      this.close(error.message, 'protocol');
    } else {
      this.log.failed(error);
      this.close('an error of our own');
    }
  }

  private read(bytes: Lent, slice: TurnSlice): void {
    this.guarded(() => {
      const rest = this.handshake.isDone ? bytes : this.handshake.push(bytes);
      if (!this.handshake.isDone) return;
      this.followActivity();
      this.reader.feed(rest);
      this.work(slice);
    });
  }

  /** Messages in their order; one that has to wait for its answer holds up those behind it. */
  private work(slice: TurnSlice): void {
    let steps = 1;
    while (this.state === 'open' && !this.isWaiting) {
      if (slice.isOver(steps)) {
        this.beLate();
        break;
      }
      const message = this.reader.next();
      this.checkIntake(message);
      if (!message) break;
      const answered = this.handle(message);
      if (answered) this.wait(answered);
      else this.followActivity();
      steps = stepsOf(message);
    }
    this.reader.keep();
  }

  private checkIntake(message: Message | undefined): void {
    const { intake, watched, reader } = this;
    const isMany = message !== undefined && !intake.take(weightOf(message), isMedia(message.type));
    const isLong = watched === 'none' && intake.isTooLong(reader.readBytes);
    if (isMany || isLong) throw intake.rejection(message?.streamId ?? 0);
  }

  /** A promise where the answer has to be waited for. */
  private handle(message: Message): Promise<void> | undefined {
    if (isMedia(message.type)) {
      this.publishing?.take(message);
      return undefined;
    }
    const pong = pingAnswer(message);
    if (pong) this.writer.answer(pong);
    if (message.type === messageType.windowSize) this.window.resize(controlNumber(message));
    return this.session.handle(message);
  }

  private wait(answered: Promise<void>): void {
    this.isWaiting = true;
    this.options.socket.pause();
    answered.then(
      () => this.answered(),
      (error) => this.fail(error),
    );
  }

  private answered(): void {
    if (this.state !== 'open') return;
    this.isWaiting = false;
    this.followActivity();
    const { turns } = this;
    if (turns.hasTime) turns.work((slice) => this.goOn(slice));
    else this.beLate();
  }

  /** The rest of what came is for a later turn; until then nothing is read. */
  private beLate(): void {
    this.isLate = true;
    const { pace, socket } = this.options;
    pace.hold(socket);
    socket.pause();
    this.turns.later(this);
  }

  private get turns(): Turns {
    const { publisherTurns, strangerTurns } = this.options;
    return this.watched === 'publishing' ? publisherTurns : strangerTurns;
  }

  /** The socket is paused, but what was read before may still come. */
  private keepEarly(bytes: Lent): void {
    if (!this.backlog.append(bytes)) this.close('It did not wait for its turn', 'backlog');
  }

  private countKept(): void {
    if (this.state !== 'open' || this.backlog.count(this.reader.unreadBytes)) return;
    this.close('There is no room to keep what it sent', 'backlog');
  }

  private acknowledge(bytes: number | undefined): void {
    if (bytes === undefined) return;
    this.writer.answer(controlMessage(messageType.acknowledgement, bytes));
  }

  /** Watches the peer for what it does now, and lets it send as much as that takes. */
  private followActivity(): void {
    const { activity, publication } = this.session;
    if (activity === this.watched || this.state !== 'open') return;
    this.watched = activity;
    this.publishing = publication && new Publishing(publication);
    this.watch.stop();
    this.intake.begin(activity, this.reader.readBytes);
    const { pace, socket, strangers } = this.options;
    if (activity === 'none') strangers.enter(this);
    else strangers.leave(this);
    if (activity !== 'none') this.purpose = activity;
    if (activity === 'publishing') pace.join(socket);
    else pace.leave(socket);
    // A publisher has shown a key, and may send long messages.
    if (activity === 'publishing') this.reader.allowMedia();
    this.watch = watchPeer(activity, {
      limits: this.options.limits,
      writer: this.writer,
      mediaCount: () => (this.isLate ? undefined : this.publishing?.messageCount),
      close: (reason, refusal) => this.close(reason, refusal),
    });
  }
}

/** A publisher's media on its way into its publication: FLV off, pictures cleaned, tracks told once. */
export class Publishing {
  private readonly publication: Publication;

  private readonly flv = new FlvReader();
  private messages = 0;

  constructor(publication: Publication) {
    this.publication = publication;
  }

  /** Media that has come so far, whatever was in it. */
  get messageCount(): number {
    return this.messages;
  }

  /** Throws a Rejection with a sentence for the encoder. */
  take({ type, streamId, timestamp, body }: Message): void {
    this.messages += 1;
    try {
      this.publication.arrived(body.length);
      if (type === messageType.video) this.publish(this.flv.video(body), timestamp);
      if (type === messageType.audio) this.publish(this.flv.audio(body), timestamp);
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      this.publication.refused(error);
      throw rejected(streamId, error.message);
    }
  }

  private publish(media: Media | undefined, timestamp: number): void {
    if (media?.what === 'track') this.publication.track(media.track);
    if (media?.what === 'sound') this.publication.sound({ timestamp, bytes: media.bytes });
    if (media?.what !== 'picture') return;
    const { track, isKey, compositionMs, bytes } = media;
    if (track) this.publication.track(track);
    this.publication.picture({ timestamp, compositionMs, isKey, bytes });
  }
}

function stepsOf({ type, body }: Message): number {
  return 1 + (body.length >> (isMedia(type) ? mediaStepBytesShift : valueStepBytesShift));
}

/** A long message weighs more: values of commands cost us more than pictures do. */
const mediaWeightBytesShift = 16;
const valueWeightBytesShift = 8;
/** A message that may want an answer weighs as many: answers cost most, and encoders ask for few. */
const answeredWeight = 16;

function weightOf({ type, body }: Message): number {
  if (isMedia(type)) return 1 + (body.length >> mediaWeightBytesShift);
  return (mayBeAnswered(type) ? answeredWeight : 1) + (body.length >> valueWeightBytesShift);
}
