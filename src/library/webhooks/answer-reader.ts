// Reads what a target answers, HTTP/1.1: bounded, strict, and never more than is kept.
import { webhookLimits } from './webhook-limits.ts';

/** What came is no answer: a sentence for the log of the webhook. */
export class AnswerProblem extends Error {}

/** A line of a chunked body, `1f40;name=value`. */
const chunkLineMax = 1_024;

type Part = 'head' | 'length' | 'until_closed' | 'chunk_size' | 'chunk' | 'chunk_end' | 'whole';

/** Fed with what comes from the socket; throws an `AnswerProblem` where that is no answer. */
export class AnswerReader {
  status = 0;
  headers: [name: string, value: string][] = [];

  private part: Part = 'head';
  private readonly head = Buffer.alloc(webhookLimits.headBytesMax);
  private headBytes = 0;
  private interimHeads = 0;
  private readonly pieces: Buffer[] = [];
  private bodyBytes = 0;
  /** Of the body, or of the chunk that is being read. */
  private left = 0;
  private chunks = 0;
  private line = '';

  /** Nothing more need be read. */
  get isWhole(): boolean {
    return this.part === 'whole';
  }

  /** As text, without what a database cannot keep. */
  get body(): string {
    return Buffer.concat(this.pieces).toString('utf8').replaceAll('\0', '\ufffd');
  }

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && !this.isWhole; ) at += this.take(bytes.subarray(at));
  }

  /** The target has closed the connection. */
  close(): void {
    if (this.part === 'until_closed') this.part = 'whole';
    if (this.isWhole) return;
    throw new AnswerProblem(
      this.part === 'head' && this.headBytes === 0
        ? 'the connection was closed without an answer'
        : 'the connection was closed before the answer was whole',
    );
  }

  /** How many of them were used; at least one. */
  private take(bytes: Buffer): number {
    switch (this.part) {
      case 'head':
        return this.takeHead(bytes);
      case 'chunk_size':
        return this.takeLine(bytes, (line) => this.beginChunk(line));
      case 'chunk_end':
        return this.takeLine(bytes, (line) => {
          if (line !== '') throw new AnswerProblem('a chunk of the answer does not end');
          this.part = 'chunk_size';
        });
      default:
        return this.takeBody(bytes);
    }
  }

  private takeHead(bytes: Buffer): number {
    const room = this.head.length - this.headBytes;
    const taken = bytes.copy(this.head, this.headBytes, 0, Math.min(bytes.length, room));
    const before = this.headBytes;
    this.headBytes += taken;
    const end = this.head.subarray(0, this.headBytes).indexOf('\r\n\r\n', Math.max(0, before - 3));
    if (end === -1) {
      if (this.headBytes === this.head.length)
        throw new AnswerProblem(
          `the headers of the answer take more than ${this.head.length} bytes`,
        );
      return taken;
    }
    const text = this.head.subarray(0, end).toString('latin1');
    const used = end + 4 - before;
    this.headBytes = 0;
    this.readHead(text);
    return used;
  }

  private readHead(text: string): void {
    const [first = '', ...lines] = text.split('\r\n');
    const [, status] = /^HTTP\/1\.[01] ([1-5]\d\d)(?: [^\r\n]*)?$/.exec(first) ?? [];
    if (status === undefined) throw new AnswerProblem('what came is no answer of HTTP/1.1');
    if (lines.length > webhookLimits.headersMax)
      throw new AnswerProblem(`the answer has more than ${webhookLimits.headersMax} headers`);
    if (status === '101') throw new AnswerProblem('the answer is a change of protocol');
    // 100 and its like come before the answer itself.
    if (status.startsWith('1')) {
      this.interimHeads += 1;
      if (this.interimHeads > webhookLimits.interimHeadsMax)
        throw new AnswerProblem(`the answer says ${status} over and over`);
      return;
    }
    this.status = Number(status);
    this.headers = lines.map(readHeader);
    this.beginBody();
  }

  private beginBody(): void {
    const values = (wanted: string) =>
      this.headers.filter(([name]) => name === wanted).map(([, value]) => value);
    const encodings = values('transfer-encoding');
    const lengths = new Set(values('content-length'));
    if (this.status === 204 || this.status === 304) this.part = 'whole';
    else if (encodings.length > 0) {
      if (encodings.join().toLowerCase() !== 'chunked')
        throw new AnswerProblem('the answer has a transfer encoding that is not known');
      this.part = 'chunk_size';
    } else if (lengths.size > 0) {
      const [length = ''] = lengths;
      if (lengths.size > 1 || !/^\d{1,15}$/.test(length))
        throw new AnswerProblem('the answer has a wrong Content-Length');
      this.left = Number(length);
      this.part = this.left === 0 ? 'whole' : 'length';
    } else this.part = 'until_closed';
  }

  private takeLine(bytes: Buffer, read: (line: string) => void): number {
    const end = bytes.indexOf('\n');
    const taken = end === -1 ? bytes.length : end + 1;
    this.line += bytes.subarray(0, taken).toString('latin1');
    if (this.line.length > chunkLineMax)
      throw new AnswerProblem('a chunk of the answer has no size');
    if (end === -1) return taken;
    const line = this.line;
    this.line = '';
    if (!line.endsWith('\r\n')) throw new AnswerProblem('a chunk of the answer has no size');
    read(line.slice(0, -2));
    return taken;
  }

  private beginChunk(line: string): void {
    const [, size] = /^([0-9a-f]{1,12})(?:[ \t]*;.*)?$/i.exec(line) ?? [];
    if (size === undefined) throw new AnswerProblem('a chunk of the answer has no size');
    this.left = Number.parseInt(size, 16);
    this.chunks += 1;
    const isEnough = this.chunks > webhookLimits.chunksMax;
    // What follows the last one, if anything, is not needed.
    this.part = this.left === 0 || isEnough ? 'whole' : 'chunk';
  }

  private takeBody(bytes: Buffer): number {
    const wanted = this.part === 'until_closed' ? bytes.length : Math.min(bytes.length, this.left);
    const kept = bytes.subarray(0, Math.min(wanted, webhookLimits.answerBytesMax - this.bodyBytes));
    this.pieces.push(Buffer.from(kept));
    this.bodyBytes += kept.length;
    this.left -= wanted;
    if (this.bodyBytes >= webhookLimits.answerBytesMax) this.part = 'whole';
    else if (this.left === 0 && this.part === 'length') this.part = 'whole';
    else if (this.left === 0 && this.part === 'chunk') this.part = 'chunk_end';
    return wanted;
  }
}

const headerShape = /^([!#$%&'*+.^_`|~0-9a-z-]+):[ \t]*(.*?)[ \t]*$/i;

function readHeader(line: string): [string, string] {
  const [, name, value] = headerShape.exec(line) ?? [];
  if (name === undefined || value === undefined)
    throw new AnswerProblem('a header of the answer cannot be read');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  return [name.toLowerCase(), value.replace(/[\x00-\x08\x0a-\x1f\x7f]/g, '?')];
}
