// One HTTP/1.1 connection by hand: it never repeats a request by itself, so what was answered is known exactly.
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { patience } from '../machine-pace.ts';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
  body: any;
}

export interface Asked {
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** For clients of a service whose certificate is of our own making. */
export const ownCertificate = { rejectUnauthorized: false };

/** The connection ended before a whole answer came: whether the request was carried out is not known. */
export class NoAnswer extends Error {}

export class HttpConnection {
  private readonly socket: Socket;

  private received: Buffer = Buffer.alloc(0);
  private waiting: PromiseWithResolvers<Answer>[] = [];
  /** Resolves when the connection has ended, for whatever reason. */
  readonly closed: Promise<void>;
  isClosed = false;

  /** Rejects where the connection is refused, or not taken within `withinMs`. */
  static async open(url: string, withinMs = 5_000): Promise<HttpConnection> {
    const { protocol, hostname, port } = new URL(url);
    const isSecure = protocol === 'https:';
    const address = { host: hostname, port: Number(port), noDelay: true };
    const socket = isSecure ? connectTls({ ...address, ...ownCertificate }) : connect(address);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.once(isSecure ? 'secureConnect' : 'connect', resolve);
    socket.once('error', reject);
    const late = setTimeout(
      () => reject(new Error('the connection was not taken')),
      patience(withinMs),
    );
    try {
      await promise;
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(late);
    }
    return new HttpConnection(socket);
  }

  private constructor(socket: Socket) {
    this.socket = socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    socket.on('data', (bytes: Buffer) => this.take(bytes));
    socket.on('error', () => {});
    socket.on('close', () => {
      this.isClosed = true;
      for (const { reject } of this.waiting.splice(0)) reject(new NoAnswer('the connection ended'));
      resolve();
    });
  }

  request(method: string, path: string, asked: Asked = {}): Promise<Answer> {
    return this.send(requestText(method, path, asked));
  }

  /** Sends bytes that end one request; its answer. */
  send(bytes: string | Uint8Array): Promise<Answer> {
    if (this.isClosed) return Promise.reject(new NoAnswer('the connection had ended'));
    const answer = Promise.withResolvers<Answer>();
    this.waiting.push(answer);
    this.socket.write(bytes);
    return answer.promise;
  }

  /** Sends bytes that end no request yet. */
  sendPart(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** Stops reading: what the server answers fills the buffers between. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  close(): void {
    this.socket.destroy();
  }

  private take(bytes: Buffer): void {
    this.received = this.received.length === 0 ? bytes : Buffer.concat([this.received, bytes]);
    for (;;) {
      const parsed = parseAnswer(this.received);
      if (!parsed) return;
      this.received = this.received.subarray(parsed.length);
      this.waiting.shift()?.resolve(parsed.answer);
    }
  }
}

export function requestText(method: string, path: string, asked: Asked = {}): string {
  const { token, body, headers } = asked;
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = Object.entries({
    host: 'localhost',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(method !== 'GET' && { 'content-length': String(Buffer.byteLength(text)) }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
}

/** The first whole answer in the bytes, or undefined where more must come. */
export function parseAnswer(bytes: Buffer): { answer: Answer; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
  const status = Number(statusLine.split(' ')[1]);
  const isBodiless = status === 304 || status === 204;
  const rest = bytes.subarray(headEnd + 4);
  const isChunked = headers['transfer-encoding'] === 'chunked';
  const bodyBytes = isBodiless ? 0 : Number(headers['content-length'] ?? Number.NaN);
  if (!isChunked && Number.isNaN(bodyBytes))
    throw new Error(`an answer without a length: ${statusLine}`);
  const body = isChunked ? chunkedBody(rest) : wholeBody(rest, bodyBytes);
  if (!body) return undefined;
  const text = body.bytes.toString();
  const length = headEnd + 4 + body.length;
  return { answer: { status, headers, text, body: parsedJson(text) }, length };
}

/** The bytes of a body, and how long it is as it was sent; undefined where more must come. */
type SentBody = { bytes: Buffer; length: number } | undefined;

function wholeBody(rest: Buffer, length: number): SentBody {
  return rest.length < length ? undefined : { bytes: rest.subarray(0, length), length };
}

function chunkedBody(rest: Buffer): SentBody {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(rest.toString('latin1', at, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error('an answer with a broken chunk');
    const from = lineEnd + 2;
    at = from + size + 2;
    if (rest.length < at) return undefined;
    if (size === 0) return { bytes: Buffer.concat(chunks), length: at };
    chunks.push(rest.subarray(from, from + size));
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
