// What a peer asks for over its connection: to publish or to play, one at a time.
import type { InLine } from '../../base/turns/fair-lines.ts';
import type { FairPlaces } from '../../base/turns/fair-places.ts';
import type { Publication } from '../live/live-stream.ts';
import { Answers } from './answers.ts';
import { encoderName, encoderWords } from './encoder-words.ts';
import { isData, type Message, messageType, userEvent, WireError } from './message.ts';
import type { MessageWriter } from './message-writer.ts';
import { Playing } from './playing.ts';
import { PeerLeft, type PublicationRequest, Refused } from './publish-request.ts';
import { type Command, Rejection, readCommand, rejected, textOf } from './rtmp-command.ts';
import type { RtmpLimits } from './rtmp-limits.ts';
import type { Player, PlayRequest, PlaySource } from './rtmp-player.ts';
import type { RtmpReason } from './rtmp-refusals.ts';
import { passIn, type StreamAddress, streamAddress, streamName } from './stream-address.ts';
import type { UnreadBytes } from './unread-bytes.ts';

/** Decides who may do what: `rtmp-edge.ts` is that. */
export interface RtmpServices {
  /** Throws Refused, with the sentence the encoder shows, where the peer may not publish. */
  openPublication(asked: PublicationRequest): Promise<Publication>;
  /** Throws Refused where the peer may not play. */
  openPlay(asked: PlayRequest, player: Player): Promise<PlaySource>;
}

/** What the peer does now. */
export type Activity = 'none' | 'publishing' | 'playing';

interface SessionOptions {
  services: RtmpServices;
  address: string;
  /** Whom the address stands for when failures are counted. */
  network: string;
  writer: MessageWriter;
  lookUps: FairPlaces;
  unread: UnreadBytes;
  limits: Pick<RtmpLimits, 'wrongKeyWaitMs' | 'wordsBytesMax'>;
  /** Says goodbye and lets the connection go; `refusal` where that counts as one. */
  close(reason: string | Rejection, refusal?: RtmpReason): void;
}

export class Session implements InLine {
  private readonly options: SessionOptions;
  private readonly answers: Answers;

  private target: StreamAddress | undefined;
  /** What the peer's program says of itself as it connects; most give another's name here, and their own with the stream. */
  private program: string | undefined;
  private streams = 0;
  /** Takes media, while the peer publishes. */
  publication: Publication | undefined;
  private playing: Playing | undefined;
  private isClosed = false;
  /** Ends its wait for an answer. */
  private wake: (() => void) | undefined;

  constructor(options: SessionOptions) {
    this.options = options;
    this.answers = new Answers(options.writer);
  }

  get activity(): Activity {
    if (this.publication) return 'publishing';
    return this.playing ? 'playing' : 'none';
  }

  /** A promise where the answer has to be waited for; no other message may be handled before. */
  handle(message: Message): Promise<void> | undefined {
    const { command, amf3Command } = messageType;
    const { type, body } = message;
    if (isData(type) && body.length <= this.options.limits.wordsBytesMax) this.describe(message);
    if (type !== command && type !== amf3Command) return undefined;
    return this.command(readCommand(message), message.streamId);
  }

  drained(): void {
    this.playing?.drained();
  }

  /** Players show the encoder's words; the media itself tells what the stream is. */
  private describe(message: Message): void {
    const words = this.publication && encoderWords(message);
    if (words) this.publication?.describe({ ...words, encoder: words.encoder ?? this.program });
  }

  /** When keys are looked up. */
  get whose(): string {
    return this.options.network;
  }

  /** The connection is gone, or as good as. */
  closed(): void {
    this.isClosed = true;
    this.options.lookUps.giveUp(this);
    this.wake?.();
    this.stop('cut');
  }

  private command(command: Command, streamId: number): Promise<void> | undefined {
    if (command.name === 'connect') {
      this.connect(command);
      return undefined;
    }
    if (!this.target) throw new WireError('The first command is not connect');
    if (command.name === 'publish') return this.publish(command, streamId, this.target);
    if (command.name === 'play') return this.play(command, streamId, this.target);
    this.answer(command);
    return undefined;
  }

  /** Commands around publishing and playing, which are answered at once. */
  private answer(command: Command): void {
    const { answers } = this;
    switch (command.name) {
      case 'createStream':
        this.streams += 1;
        answers.result(command, this.streams);
        break;
      case 'FCPublish':
        answers.call('onFCPublish', 'NetStream.Publish.Start');
        answers.result(command);
        break;
      case 'FCUnpublish':
        this.stop('ended');
        answers.call('onFCUnpublish', 'NetStream.Unpublish.Success');
        answers.result(command);
        break;
      case 'deleteStream':
      case 'closeStream':
        // A connection has one stream, so the name is not read: GStreamer gives the key.
        this.stop('ended');
        break;
      case 'getStreamLength':
        // Live has none.
        answers.result(command, 0);
        break;
      case 'releaseStream':
      case '_checkbw':
        answers.result(command);
        break;
      case '_result':
      case '_error':
        break;
      default:
        answers.error(command, 'NetConnection.Call.Failed', 'This command is not known here');
    }
  }

  private connect(command: Command): void {
    if (this.target) throw new WireError('connect came twice');
    const target = streamAddress(command.properties);
    if (target.app === 'live' || target.app === 'play') {
      this.target = target;
      this.program = encoderName(command.properties['flashVer'] ?? null);
      this.answers.connected(command);
      return;
    }
    this.answers.error(command, 'NetConnection.Connect.Rejected', whereTo);
    this.options.close('neither live nor play was asked for', 'protocol');
  }

  private async publish(command: Command, streamId: number, target: StreamAddress): Promise<void> {
    this.checkIdle();
    const code = 'NetStream.Publish.BadName';
    if (target.app !== 'live') throw misdirected(streamId, code);
    const key = streamName(textOf(command.args[0]), target);
    const publication = await this.open(key, streamId).catch(async (error) => {
      if (error instanceof Refused && error.refusal === 'key') await this.dawdle();
      throw refusal(error, { streamId, code });
    });
    if (!publication) return;
    if (this.isClosed) {
      publication.end('cut');
      return;
    }
    this.publication = publication;
    this.answers.userControl(userEvent.streamBegin, streamId);
    this.answers.status(streamId, 'NetStream.Publish.Start', 'Publishing');
  }

  /** Undefined where the peer has left before its turn came. */
  private open(key: string, streamId: number): Promise<Publication | undefined> {
    const { services, address, lookUps, close } = this.options;
    const abort = (reason: string) => close(rejected(streamId, reason));
    const lookUp: PublicationRequest['lookUp'] = async (ask) => {
      const found = await lookUps.run(this, async () =>
        this.isClosed ? undefined : { answer: await ask() },
      );
      if (!found) throw new PeerLeft();
      return found.answer;
    };
    return services.openPublication({ key, address, abort, lookUp }).catch((error) => {
      if (error instanceof PeerLeft) return undefined;
      throw error;
    });
  }

  /** A peer with a wrong key hears of it late; nobody else waits. */
  private async dawdle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.options.limits.wrongKeyWaitMs);
    this.wake = resolve;
    await promise;
    clearTimeout(timer);
  }

  private async play(command: Command, streamId: number, target: StreamAddress): Promise<void> {
    this.checkIdle();
    const code = 'NetStream.Play.StreamNotFound';
    if (target.app !== 'play') throw misdirected(streamId, code);
    const { services, address, network, writer, unread, close } = this.options;
    const { answers } = this;
    const isCrowded = () => unread.isFull(network);
    const given = textOf(command.args[0]);
    const playId = streamName(given, target);
    const pass = passIn(given);
    const playing = new Playing({ writer, answers, streamId, isCrowded, close });
    this.playing = playing;
    try {
      playing.started(await services.openPlay({ playId, pass, address }, playing));
    } catch (error) {
      throw refusal(error, { streamId, code });
    }
  }

  private checkIdle(): void {
    if (this.activity !== 'none') throw new WireError('A connection publishes or plays one stream');
  }

  private stop(how: 'ended' | 'cut'): void {
    const { publication, playing } = this;
    this.publication = undefined;
    this.playing = undefined;
    publication?.end(how);
    playing?.closed();
  }
}

const whereTo = 'The address is rtmp://HOST/live/KEY to publish and rtmp://HOST/play/ID to play';

function misdirected(streamId: number, code: string): Rejection {
  return new Rejection({ streamId, code, description: whereTo, refusal: 'protocol' });
}

/** What the peer is told; anything but a refusal is our own trouble and stays with us. */
function refusal(error: unknown, { streamId, code }: { streamId: number; code: string }): unknown {
  if (error instanceof Refused) {
    const { message: description, refusal } = error;
    return new Rejection({ streamId, code, description, refusal });
  }
  const description = 'The service cannot take this now; try again';
  return new Rejection({ streamId, code, description, cause: error });
}
