// What the service and a worker that is kept say to each other: two lengths, words as JSON, then as many bytes.

export interface Message<Words extends object> {
  words: Words;
  bytes: Uint8Array<ArrayBuffer>;
}

const headBytes = 8;
/** No part of a push and no key frame is larger; whoever says more makes a mistake. */
const bytesMax = 16 * 1_048_576;
const nothing: Uint8Array = new Uint8Array();

/** The words, and behind them the bytes, which are not copied. */
export function messagePieces(words: object, bytes = nothing): Uint8Array[] {
  const text = Buffer.from(JSON.stringify(words));
  const head = Buffer.alloc(headBytes + text.length);
  head.writeUInt32BE(text.length, 0);
  head.writeUInt32BE(bytes.length, 4);
  head.set(text, headBytes);
  return bytes.length > 0 ? [head, bytes] : [head];
}

/** Puts messages together from pieces of any length. */
export class MessageReader<Words extends object> {
  private kept: Uint8Array[] = [];
  private keptBytes = 0;

  /** Those that are whole now; throws where they are none of ours. */
  push(piece: Uint8Array): Message<Words>[] {
    this.kept.push(piece);
    this.keptBytes += piece.length;
    const messages = [];
    for (let one = this.take(); one; one = this.take()) messages.push(one);
    return messages;
  }

  private take(): Message<Words> | undefined {
    if (this.keptBytes < headBytes) return undefined;
    const head = this.joined(headBytes);
    const [textBytes, dataBytes] = [head.readUInt32BE(0), head.readUInt32BE(4)];
    if (textBytes > bytesMax || dataBytes > bytesMax) throw new Error('no message of a worker');
    const dataAt = headBytes + textBytes;
    const end = dataAt + dataBytes;
    if (this.keptBytes < end) return undefined;
    const all = this.joined(end);
    const words = JSON.parse(all.toString('utf8', headBytes, dataAt)) as Words;
    const bytes = new Uint8Array(all.subarray(dataAt, end));
    this.kept = [all.subarray(end)];
    this.keptBytes -= end;
    return { words, bytes };
  }

  /** All that is kept, in one piece, where its first so many bytes are not yet. */
  private joined(count: number): Buffer {
    const [first = nothing] = this.kept;
    if (first.length >= count) return Buffer.from(first.buffer, first.byteOffset, first.length);
    const all = Buffer.concat(this.kept);
    this.kept = [all];
    return all;
  }
}
