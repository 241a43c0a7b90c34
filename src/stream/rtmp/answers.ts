// What the server answers to commands, in the words that encoders and players know.
import type { AmfValue } from '../formats/amf.ts';
import { type OutgoingMessage, sentChunkBytes } from './chunk-writer.ts';
import { messageType } from './message.ts';
import type { MessageWriter } from './message-writer.ts';
import {
  type Command,
  commandMessage,
  controlMessage,
  statusMessage,
  userControlMessage,
} from './rtmp-command.ts';

/** Bytes between two acknowledgements, as we ask it of the peer. */
const windowBytes = 2_500_000;
/** The limit type "dynamic" (section 5.4.5): the peer may judge for itself. */
const bandwidthKind = Uint8Array.of(2);
/** Clients look for a name and a version they know. */
const serverProperties = { fmsVer: 'FMS/3,5,7,7009', capabilities: 31, mode: 1 };

export class Answers {
  private readonly writer: MessageWriter;

  constructor(writer: MessageWriter) {
    this.writer = writer;
  }

  connected({ transaction, properties }: Command): void {
    this.send(controlMessage(messageType.windowSize, windowBytes));
    this.send(controlMessage(messageType.peerBandwidth, windowBytes, bandwidthKind));
    this.writer.setChunkSize(sentChunkBytes);
    const info = {
      level: 'status',
      code: 'NetConnection.Connect.Success',
      description: 'Connected',
      objectEncoding: properties['objectEncoding'] === 3 ? 3 : 0,
    };
    this.send(commandMessage(0, '_result', transaction, serverProperties, info));
  }

  /** Where the transaction is 0 nobody waits for it (GStreamer). */
  result({ transaction }: Command, ...values: AmfValue[]): void {
    if (transaction !== 0) this.send(commandMessage(0, '_result', transaction, null, ...values));
  }

  error({ transaction }: Command, code: string, description: string): void {
    const info = { level: 'error', code, description };
    if (transaction !== 0) this.send(commandMessage(0, '_error', transaction, null, info));
  }

  /** `onFCPublish` and its like: calls of ours that want no answer. */
  call(name: string, code: string): void {
    this.send(commandMessage(0, name, 0, null, { code }));
  }

  status(streamId: number, code: string, description: string): void {
    this.send(statusMessage({ streamId, level: 'status', code, description }));
  }

  userControl(event: number, streamId: number): void {
    this.send(userControlMessage(event, streamId));
  }

  private send(message: OutgoingMessage): void {
    this.writer.answer(message);
  }
}
