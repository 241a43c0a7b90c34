// A page that a rude client makes by hand: its tickets, and a WebSocket from an address of the client's choosing.
import { connect, type Socket } from 'node:net';
import type { PageMessage, ServiceMessage } from '../../../src/audience/protocol/messages.ts';
import { desktopChrome } from '../page.ts';
import { parseAnswer } from './http-connection.ts';

/** Where the service is, and from which loopback address it is asked. */
export interface Way {
  port: number;
  from: string;
  /** Of the site that it asks for; the usual is its address. */
  host?: string;
  /** What it says beside. */
  headers?: string;
  /** Ends its connections, also one that is still being opened. */
  signal?: AbortSignal;
}

/** Of a page that a browser without a cookie is shown: a ticket of a new viewer. */
export async function newTicket(way: Way, channel_id: number): Promise<string> {
  const socket = await opened(way);
  const headers = `Host: ${hostOf(way)}\r\nUser-Agent: ${desktopChrome}\r\n${way.headers ?? ''}Connection: close`;
  socket.write(`GET /watch/${channel_id} HTTP/1.1\r\n${headers}\r\n\r\n`);
  const pieces: Buffer[] = [];
  socket.on('data', (bytes: Buffer) => pieces.push(bytes));
  await new Promise((resolve) => socket.once('close', resolve));
  const text = parseAnswer(Buffer.concat(pieces))?.answer.text ?? '';
  const data = /id="page">(.*?)<\/script>/s.exec(text)?.[1];
  if (data === undefined) throw new Error(`no page came: ${text.slice(0, 40)}`);
  return JSON.parse(data).ticket;
}

function hostOf({ host, port }: Way): string {
  return host ?? `127.0.0.1:${port}`;
}

export class RudePage {
  private readonly socket: Socket;

  readonly came: ServiceMessage[] = [];
  /** Resolves with the code, 1006 where none was said. */
  readonly closed: Promise<number>;
  isOpen = true;
  private closeCode = 1006;
  private pongs = 0;
  private rest = Buffer.alloc(0);
  private readonly waiting = new Set<() => void>();

  /** Rejects where it is not upgraded. */
  static async open(way: Way): Promise<RudePage> {
    const socket = await opened(way);
    const first = new Promise<Buffer>((resolve, reject) => {
      socket.once('data', resolve);
      socket.once('close', () => reject(new Error('not upgraded')));
    });
    const host = hostOf(way);
    socket.write(
      `GET /audience HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nUser-Agent: ${desktopChrome}\r\n${way.headers ?? ''}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    );
    const answer = await first;
    if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) {
      socket.destroy();
      throw new Error(`not upgraded: ${answer.toString('latin1').slice(0, 30)}`);
    }
    return new RudePage(socket, answer.subarray(answer.indexOf('\r\n\r\n') + 4));
  }

  private constructor(socket: Socket, rest: Buffer) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.isOpen = false;
        for (const look of this.waiting) look();
        resolve(this.closeCode);
      });
    });
    socket.on('data', (bytes: Buffer) => this.take(bytes));
    this.take(rest);
  }

  say(message: PageMessage): void {
    this.write(frame(1, Buffer.from(JSON.stringify(message))));
  }

  hello(ticket: string): void {
    this.say({ type: 'hello', ticket, instance: crypto.randomUUID() });
  }

  /** Any bytes. Resolves when they are on their way, or the connection is gone. */
  async write(bytes: Uint8Array): Promise<void> {
    if (!this.isOpen) return;
    await Promise.race([
      new Promise<void>((resolve) => this.socket.write(bytes, () => resolve())),
      this.closed,
    ]);
  }

  /** The same again and again, until it is cut or the signal comes. */
  async flood(bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    while (this.isOpen && !signal?.aborted) {
      await this.write(bytes);
      // That it was cut is only seen in another turn.
      await new Promise(setImmediate);
    }
  }

  /** The first message of the kind; undefined where the connection ends before it. */
  async first<K extends ServiceMessage['type']>(
    kind: K,
  ): Promise<Extract<ServiceMessage, { type: K }> | undefined> {
    type Wanted = Extract<ServiceMessage, { type: K }>;
    return await new Promise((resolve) => {
      const look = () => {
        const found = this.came.find((one): one is Wanted => one.type === kind);
        if (!found && this.isOpen) return;
        this.waiting.delete(look);
        resolve(found);
      };
      this.waiting.add(look);
      look();
    });
  }

  /** Resolves when the service has read all that was said before, or is gone. */
  async heard(): Promise<void> {
    const { pongs } = this;
    await this.write(frame(9, new Uint8Array(0)));
    await new Promise<void>((resolve) => {
      const look = () => {
        if (this.isOpen && this.pongs === pongs) return;
        this.waiting.delete(look);
        resolve();
      };
      this.waiting.add(look);
      look();
    });
  }

  end(): void {
    this.socket.destroy();
  }

  private take(bytes: Buffer): void {
    this.rest = Buffer.concat([this.rest, bytes]);
    for (let read = readFrame(this.rest); read; read = readFrame(this.rest)) {
      this.rest = this.rest.subarray(read.length);
      if (read.opcode === 1) this.came.push(JSON.parse(read.payload.toString()));
      if (read.opcode === 10) this.pongs += 1;
      if (read.opcode === 8 && read.payload.length >= 2)
        this.closeCode = read.payload.readUInt16BE(0);
    }
    for (const look of this.waiting) look();
  }
}

/** A frame as a client sends it, masked with nothing (RFC 6455 5.2); shorter than 64 KB. */
export function frame(opcode: number, payload: Uint8Array, isLast = true): Buffer {
  const first = (isLast ? 0x80 : 0) | opcode;
  const { length } = payload;
  const head = length < 126 ? [first, 0x80 | length] : [first, 0xfe, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), payload]);
}

function readFrame(bytes: Buffer) {
  const short = (bytes[1] ?? 0) & 0x7f;
  const headBytes = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (bytes.length < headBytes) return undefined;
  const lengths = { 126: () => bytes.readUInt16BE(2), 127: () => Number(bytes.readBigUInt64BE(2)) };
  const length = headBytes + (lengths[short as 126 | 127]?.() ?? short);
  if (bytes.length < length) return undefined;
  return { opcode: (bytes[0] ?? 0) & 0x0f, payload: bytes.subarray(headBytes, length), length };
}

async function opened({ port, from, signal }: Way): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  const end = () => socket.destroy();
  signal?.addEventListener('abort', end);
  socket.once('close', () => signal?.removeEventListener('abort', end));
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('not connected')));
  });
  socket.on('error', () => {});
  return socket;
}

/** New viewers of one address, each with a page that was let in; those that were not are in it too. */
export async function enterCrowd(order: {
  port: number;
  from: string;
  channel_id: number;
  count: number;
  opensAtOnce: number;
  signal: AbortSignal;
}): Promise<RudePage[]> {
  const { port, from, channel_id, count, opensAtOnce, signal } = order;
  const pages: RudePage[] = [];
  let left = count;
  const enter = async () => {
    while (left-- > 0 && !signal.aborted) {
      const ticket = await newTicket({ port, from, signal }, channel_id);
      const page = await RudePage.open({ port, from, signal });
      pages.push(page);
      page.hello(ticket);
      await page.first('welcome');
    }
  };
  await Promise.allSettled(Array.from({ length: opensAtOnce }, enter));
  return pages;
}
