// A watch page as the service sees it: a real WebSocket that says what a test has it say.
import type {
  PageMessage,
  Said,
  ServiceMessage,
  Welcome,
} from '../../src/audience/protocol/messages.ts';
import { signTicket, type Ticket } from '../../src/audience/viewers/ticket.ts';
import type { TestService } from './service.ts';

/** An ordinary browser: bots are not viewers. */
export const desktopChrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';

/** What the service is asked to believe of a page. */
export interface PageOptions {
  ticket: string;
  instance?: string;
  resume?: string;
  said?: Said;
  headers?: Record<string, string>;
}

type Kind = ServiceMessage['type'];
type OfKind<K extends Kind> = Extract<ServiceMessage, { type: K }>;

export class TestPage {
  readonly instance: string;
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  private readonly socket: WebSocket & { ping(): void };
  private readonly came: ServiceMessage[] = [];
  private readonly waiting = new Set<() => void>();

  /** Connects and says hello; what follows is awaited by the test. */
  constructor(serviceUrl: string, { ticket, instance, resume, said, headers }: PageOptions) {
    this.instance = instance ?? crypto.randomUUID();
    const asked = { origin: serviceUrl, 'user-agent': desktopChrome, ...headers };
    const address = `${serviceUrl.replace(/^http/, 'ws')}/audience`;
    this.socket = new WebSocket(address, { headers: asked });
    const back = { ...(resume && { resume }), ...(said && { said }) };
    const hello = { type: 'hello', ticket, instance: this.instance, ...back };
    this.socket.onopen = () => this.sendText(JSON.stringify(hello));
    this.socket.onmessage = ({ data }) => {
      this.came.push(JSON.parse(String(data)));
      for (const look of this.waiting) look();
    };
    this.closed = new Promise((resolve) => {
      this.socket.onclose = ({ code }) => resolve(code);
    });
  }

  say(message: PageMessage): void {
    this.sendText(JSON.stringify(message));
  }

  /** Also what no page would send. */
  sendText(text: string | Uint8Array<ArrayBuffer>): void {
    this.socket.send(text);
  }

  /** Resolves when the service has heard everything that was said before. */
  async heard(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.socket.addEventListener('pong' as never, () => resolve(), { once: true });
      this.socket.ping();
    });
  }

  /** The next message of the kind that is as wanted; earlier ones of the kind are passed over. */
  next<K extends Kind>(kind: K, isWanted: (message: OfKind<K>) => boolean = () => true) {
    return new Promise<OfKind<K>>((resolve, reject) => {
      const look = () => {
        const at = this.came.findIndex(
          (message) => message.type === kind && isWanted(message as OfKind<K>),
        );
        if (at < 0) return;
        const [found] = this.came.splice(at, 1);
        this.waiting.delete(look);
        resolve(found as OfKind<K>);
      };
      this.waiting.add(look);
      this.closed.then((code) => reject(new Error(`closed with ${code} before it got ${kind}`)));
      look();
    });
  }

  /** What came of the kind and was not awaited. */
  all<K extends Kind>(kind: K): OfKind<K>[] {
    return this.came.filter((message): message is OfKind<K> => message.type === kind);
  }

  welcome(): Promise<Welcome> {
    return this.next('welcome');
  }

  /** The page is left: the browser closes the connection. */
  async leave(): Promise<void> {
    this.socket.close(1001);
    await this.closed;
  }

  /** The network goes: no goodbye is sent. */
  async drop(): Promise<void> {
    this.socket.terminate();
    await this.closed;
  }
}

/** Tickets as the service signs them. */
export async function ticketsOf(service: TestService) {
  const row = await service.store.one<{ value: string }>(
    "SELECT value FROM secrets WHERE name = 'viewers'",
  );
  const secret = row?.value ?? '';
  return (channel_id: number, viewer: Partial<Ticket> = {}) =>
    signTicket(secret, {
      channel_id,
      viewer_id: `v-${crypto.randomUUID()}`,
      nick: '',
      phone: '',
      origin: 'direct',
      language: 'en',
      issued_at: service.clock.now,
      ...viewer,
    });
}
