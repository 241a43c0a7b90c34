// A player's end of a connection: what a play source sends becomes messages of its stream.
import { writeAmf } from '../formats/amf.ts';
import type { Answers } from './answers.ts';
import { messageType, userEvent } from './message.ts';
import type { MessageWriter } from './message-writer.ts';
import type { PlayerBatch } from './player-batch.ts';
import type { Player, PlaySource } from './rtmp-player.ts';

interface PlayingOptions {
  writer: MessageWriter;
  answers: Answers;
  streamId: number;
  /** Whether its network leaves too much unread. */
  isCrowded(): boolean;
  /** Lets the connection go once everything is sent. */
  close(reason: string): void;
}

export class Playing implements Player {
  private readonly options: PlayingOptions;

  private source: PlaySource | undefined;
  private hasStarted = false;
  private isClosed = false;

  constructor(options: PlayingOptions) {
    this.options = options;
  }

  get waitingBytes(): number {
    return this.options.writer.waitingBytes;
  }

  get isCrowded(): boolean {
    return this.options.isCrowded();
  }

  get takenBytes(): number {
    return this.options.writer.takenBytes;
  }

  /** The source may have sent already; it is told at once if the player has left meanwhile. */
  started(source: PlaySource): void {
    if (this.isClosed) {
      source.close();
      return;
    }
    this.source = source;
    this.start();
  }

  send(batch: PlayerBatch): void {
    if (this.isClosed) return;
    this.start();
    const { writer, streamId } = this.options;
    writer.raw(batch.wire(streamId));
  }

  end(): void {
    if (this.isClosed) return;
    const { answers, streamId, close } = this.options;
    answers.userControl(userEvent.streamEof, streamId);
    answers.status(streamId, 'NetStream.Play.UnpublishNotify', 'The stream is over');
    answers.status(streamId, 'NetStream.Play.Stop', 'The stream is over');
    close('the stream is over');
  }

  drained(): void {
    this.source?.drained();
  }

  /** The player is gone. */
  closed(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.source?.close();
  }

  /** Players want to hear that it begins before the first of it. */
  private start(): void {
    if (this.hasStarted) return;
    this.hasStarted = true;
    const { writer, answers, streamId } = this.options;
    answers.userControl(userEvent.streamBegin, streamId);
    answers.status(streamId, 'NetStream.Play.Reset', 'Playing from the beginning');
    answers.status(streamId, 'NetStream.Play.Start', 'Playing');
    const body = [writeAmf('|RtmpSampleAccess', true, true)];
    writer.media({ type: messageType.data, streamId, timestamp: 0, body });
  }
}
