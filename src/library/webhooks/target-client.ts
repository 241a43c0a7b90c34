// Sends one request to a target: the name is looked up, every address checked, and exactly that address connected to.
import { connect as connectPlainly, isIP, type Socket } from 'node:net';
import { connect as connectByTls, TLSSocket } from 'node:tls';
import { AnswerProblem, AnswerReader } from './answer-reader.ts';
import { hostOf, portOf, type TargetGuard } from './target-guard.ts';
import { webhookLimits } from './webhook-limits.ts';

/** Addresses of a name; tests hand in one of their own. */
export type Resolve = (name: string) => Promise<string[]>;

export interface TargetClientOptions {
  guard: TargetGuard;
  resolve?: Resolve;
  /** Certificates that are trusted in place of those of the runtime. */
  ca?: string | undefined;
  /** Bounds of time, which a test need not wait for. */
  tryMs?: number;
  connectMs?: number;
}

export interface TargetRequest {
  url: URL;
  headers: Record<string, string>;
  body: string;
}

export interface TargetAnswer {
  status: number;
  headers: [name: string, value: string][];
  body: string;
}

/** Why there was no answer: a sentence for the log of the webhook. */
export class TargetProblem extends Error {}

/**
 * Not `fetch`: it looks names up by itself, so that a name which was checked may lead elsewhere a moment later; it
 * takes proxies from the environment, and keeps connections for whoever asks next. Here every request has its own.
 */
export class TargetClient {
  private readonly guard: TargetGuard;
  private readonly resolve: Resolve;
  private readonly ca: string | undefined;
  private readonly tryMs: number;
  private readonly connectMs: number;

  constructor(options: TargetClientOptions) {
    this.guard = options.guard;
    this.resolve = options.resolve ?? systemAddresses;
    this.ca = options.ca;
    this.tryMs = options.tryMs ?? webhookLimits.tryMs;
    this.connectMs = options.connectMs ?? webhookLimits.connectMs;
  }

  /** The whole answer, or throws a `TargetProblem`. */
  async post(request: TargetRequest, stopping?: AbortSignal): Promise<TargetAnswer> {
    const attempt = new Attempt(this.tryMs, stopping);
    try {
      return await attempt.within(this.send(request, attempt));
    } catch (error) {
      throw problemOf(error);
    } finally {
      attempt.end();
    }
  }

  private async send(request: TargetRequest, attempt: Attempt): Promise<TargetAnswer> {
    const { url } = request;
    attempt.stage = 'to look up the name';
    const addresses = await this.addressesOf(url);
    attempt.stage = 'to connect';
    const socket = await this.connect(url, addresses, attempt);
    attempt.stage = 'to answer';
    return await exchange(socket, textOf(request));
  }

  /** Every one of them may be connected to. */
  private async addressesOf(url: URL): Promise<string[]> {
    const host = hostOf(url);
    const addresses = isIP(host) === 0 ? await this.resolve(host) : [host];
    if (addresses.length === 0) throw new TargetProblem('the name has no address');
    for (const address of addresses) {
      const refused = this.guard.refusedAddress(address, portOf(url));
      if (refused !== undefined) throw new TargetProblem(`it ${refused}`);
    }
    return addresses.slice(0, webhookLimits.addressesMax);
  }

  /** The first that lets us in. */
  private async connect(url: URL, addresses: readonly string[], attempt: Attempt): Promise<Socket> {
    let problem: unknown;
    for (const address of addresses) {
      if (attempt.isOver) break;
      try {
        return await this.connectTo(url, address, attempt);
      } catch (error) {
        problem = error;
      }
    }
    throw problem;
  }

  private async connectTo(url: URL, host: string, attempt: Attempt): Promise<Socket> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const port = portOf(url);
    const name = hostOf(url).replace(/\.$/, '');
    const socket: Socket =
      url.protocol === 'https:'
        ? connectByTls({
            host,
            port,
            // An address is no name to ask for; the certificate must have it all the same.
            ...(isIP(name) === 0 && { servername: name }),
            ...(this.ca !== undefined && { ca: this.ca }),
            rejectUnauthorized: true,
            ALPNProtocols: ['http/1.1'],
          })
        : connectPlainly({ host, port });
    attempt.holds(socket);
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => resolve());
    // For good: one that comes later must not be nobody's.
    socket.on('error', reject);
    socket.once('close', () => reject(new TargetProblem('the connection was closed')));
    const timer = setTimeout(
      () => reject(new TargetProblem(`it took longer than ${this.connectMs / 1_000} s to connect`)),
      this.connectMs,
    );
    try {
      await promise;
      if (socket instanceof TLSSocket && !socket.authorized)
        throw new TargetProblem('its certificate is not good');
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** One try and its time; whatever it holds is closed when it is over. */
class Attempt {
  /** What it waits for, as a sentence goes on. */
  stage = 'to begin';

  private readonly over = Promise.withResolvers<never>();
  private readonly timer: ReturnType<typeof setTimeout>;
  private readonly stopping: AbortSignal | undefined;
  private readonly stop: () => void;
  private readonly sockets: Socket[] = [];
  private hasEnded = false;

  constructor(tryMs: number, stopping: AbortSignal | undefined) {
    this.over.promise.catch(() => {});
    this.stopping = stopping;
    this.stop = () => this.over.reject(new TargetProblem('the service was stopped'));
    this.timer = setTimeout(
      () =>
        this.over.reject(new TargetProblem(`it took longer than ${tryMs / 1_000} s ${this.stage}`)),
      tryMs,
    );
    if (stopping?.aborted) this.stop();
    stopping?.addEventListener('abort', this.stop, { once: true });
  }

  get isOver(): boolean {
    return this.hasEnded;
  }

  async within<T>(work: Promise<T>): Promise<T> {
    // It may fail after its time is over, when nobody waits for it.
    work.catch(() => {});
    return await Promise.race([work, this.over.promise]);
  }

  holds(socket: Socket): void {
    if (this.hasEnded) socket.destroy();
    else this.sockets.push(socket);
  }

  end(): void {
    this.hasEnded = true;
    clearTimeout(this.timer);
    this.stopping?.removeEventListener('abort', this.stop);
    for (const socket of this.sockets) socket.destroy();
  }
}

function exchange(socket: Socket, text: string): Promise<TargetAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<TargetAnswer>();
  const reader = new AnswerReader();
  const done = () => resolve({ status: reader.status, headers: reader.headers, body: reader.body });
  const reading = (work: () => void) => {
    try {
      work();
      if (reader.isWhole) done();
    } catch (error) {
      reject(error);
    }
  };
  socket.on('data', (bytes: Buffer) => reading(() => reader.push(bytes)));
  socket.once('end', () => reading(() => reader.close()));
  socket.once('close', () => reading(() => reader.close()));
  socket.on('error', reject);
  socket.write(text);
  return promise;
}

function textOf({ url, headers, body }: TargetRequest): string {
  const lines = Object.entries({
    host: url.host,
    connection: 'close',
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/**
 * By c-ares, which waits without a thread: `getaddrinfo` takes one of those that files and passwords need as well, for
 * as long as a name server is silent, and there are as few as cores. It reads `/etc/hosts` and `/etc/resolv.conf` too.
 */
async function systemAddresses(name: string): Promise<string[]> {
  const found = await Bun.dns.lookup(name, { backend: 'c-ares' });
  return found.map(({ address }) => address);
}

/** By the system's code: what a person can do something about. */
const knownCodes: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  EHOSTUNREACH: 'the address cannot be reached',
  ENETUNREACH: 'the address cannot be reached',
  ETIMEDOUT: 'the address does not answer',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name cannot be looked up now',
  DNS_ENOTFOUND: 'the name is not known',
  DNS_ENODATA: 'the name is not known',
  DNS_ETIMEOUT: 'the name cannot be looked up now',
  DNS_ESERVFAIL: 'the name cannot be looked up now',
  DNS_ECONNREFUSED: 'the name cannot be looked up now',
};

function problemOf(error: unknown): TargetProblem {
  if (error instanceof TargetProblem) return error;
  if (error instanceof AnswerProblem) return new TargetProblem(error.message);
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string };
  const known = knownCodes[code];
  if (known !== undefined) return new TargetProblem(known, { cause: error });
  const said = code === '' ? message : `${code}${message === '' ? '' : `: ${message}`}`;
  return new TargetProblem(`it could not be reached (${said.slice(0, 200)})`, { cause: error });
}
