// Sends messages through a socket's writer, and bounds the answers that a peer does not read.
import { chunksOf, type OutgoingMessage } from './chunk-writer.ts';
import { messageType } from './message.ts';
import { controlMessage } from './rtmp-command.ts';
import { SocketWriter, type SocketWriterOptions } from './socket-writer.ts';

interface MessageWriterOptions extends Omit<SocketWriterOptions, 'bytesMax'> {
  /** Of everything. */
  waitingBytesMax: number;
  /** Of answers alone, since the socket last had room for all. */
  answerBytesMax: number;
}

const firstChunkBytes = 128;

export class MessageWriter {
  private readonly options: MessageWriterOptions;
  private readonly out: SocketWriter;

  private chunkBytes = firstChunkBytes;
  private answerBytes = 0;

  constructor(options: MessageWriterOptions) {
    this.options = options;
    this.out = new SocketWriter({ ...options, bytesMax: options.waitingBytesMax });
  }

  get waitingBytes(): number {
    return this.out.waitingBytes;
  }

  get takenBytes(): number {
    return this.out.takenBytes;
  }

  /** Bytes that are cut into chunks already, or come before there are any: the handshake. */
  raw(bytes: Uint8Array): void {
    this.out.write([bytes]);
  }

  media(message: OutgoingMessage): void {
    this.out.write(chunksOf(message, this.chunkBytes));
  }

  answer(message: OutgoingMessage): void {
    const chunks = chunksOf(message, this.chunkBytes);
    if (this.out.waitingBytes === 0) this.answerBytes = 0;
    for (const chunk of chunks) this.answerBytes += chunk.length;
    this.out.write(chunks);
    if (this.answerBytes <= this.options.answerBytesMax) return;
    this.out.close();
    this.options.onOverflow();
  }

  setChunkSize(bytes: number): void {
    this.answer(controlMessage(messageType.setChunkSize, bytes));
    this.chunkBytes = bytes;
  }

  drain(): void {
    this.out.drain();
  }

  flush(): void {
    this.out.flush();
  }

  close(): void {
    this.out.close();
  }
}
