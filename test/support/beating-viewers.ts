// Many pages that watch and beat, lose their service and come back, and remember what they have said.
import type { ServiceMessage } from '../../src/audience/protocol/messages.ts';
import { presenceLimits } from '../../src/audience/protocol/page-limits.ts';
import { signTicket } from '../../src/audience/viewers/ticket.ts';
import { desktopChrome } from './page.ts';
import { ownCertificate } from './rude/http-connection.ts';
import { asking, type DatabaseSettings } from './snapshot.ts';

/** Bun's, which can ask for an echo. */
type PingingSocket = WebSocket & { ping(): void; terminate(): void };

/** As many as a page keeps (`said-reports.ts`). */
const saidMax = 60;

/** A page that plays whenever its channel is live. */
export class BeatingViewer {
  readonly viewer_id: string;
  private readonly ticket: string;
  private readonly instance = crypto.randomUUID();

  /** What it has said, and what it could not say any more because its service was gone. */
  readonly reports: { at: number; played_ms: number; isSaid: boolean }[] = [];
  /** How much later than it was said something may have been heard, over all that was said: until it is echoed. */
  echoMs = 0;
  /** From the last welcome. */
  resume: string | undefined;
  /** Called when it was in and has lost its connection, with what it was told. */
  onClosed: ((code: number) => void) | undefined;
  /** Lines of chat that it waits to see. */
  private readonly awaited = new Map<string, () => void>();
  private readonly unechoed: number[] = [];
  /** Called when all that was said has been echoed. */
  private onEchoed: (() => void) | undefined;
  /** Called when its connection is gone, whoever closed it. */
  onLost: (() => void) | undefined;
  private socket: PingingSocket | undefined;
  private playsSince: number | undefined;
  /** The first report of its present session. */
  private ofSessionFrom = 0;

  constructor(secret: string, given: { channel_id: number; viewer_id: string }) {
    const more = { nick: '', phone: '', origin: 'direct', issued_at: Date.now() };
    this.viewer_id = given.viewer_id;
    this.ticket = signTicket(secret, { ...given, ...more, language: 'en' });
  }

  /** Resolves when it is in; rejects where it is refused. */
  connect(serviceUrl: string): Promise<void> {
    const { ticket, instance, resume } = this;
    const said = () => ({
      played_ms: playedOf(this.ofSession),
      reports: this.ofSession
        .filter(({ at }) => performance.now() - at < presenceLimits.saidAgainMs)
        .slice(-saidMax)
        .map(({ at, played_ms }) => [performance.now() - at, played_ms]),
    });
    const headers = { origin: serviceUrl, 'user-agent': desktopChrome };
    const address = `${serviceUrl.replace(/^http/, 'ws')}/audience`;
    const socket = new WebSocket(address, { headers, tls: ownCertificate }) as PingingSocket;
    this.socket = socket;
    this.playsSince = undefined;
    this.unechoed.splice(0);
    this.onEchoed = undefined;
    let isIn = false;
    socket.addEventListener('pong' as never, () => this.echoed());
    return new Promise((resolve, reject) => {
      socket.onopen = () => {
        this.unechoed.push(performance.now());
        socket.send(JSON.stringify({ type: 'hello', ticket, instance, resume, said: said() }));
      };
      socket.onmessage = ({ data }) => {
        const message = JSON.parse(String(data)) as ServiceMessage;
        if (message.type === 'refused') reject(new Error(`a page was refused: ${message.reason}`));
        if (message.type === 'welcome' || message.type === 'live') this.turn(message.live);
        if (message.type === 'chat')
          for (const { text } of message.messages) this.awaited.get(text)?.();
        if (message.type !== 'welcome') return;
        const before = this.session;
        this.resume = message.resume;
        isIn = true;
        if (before !== undefined && before !== this.session)
          this.ofSessionFrom = this.reports.length;
        this.echoed();
        resolve();
      };
      socket.onclose = ({ code }) => {
        if (this.socket === socket) {
          this.report({ isSaid: false });
          this.playsSince = undefined;
          if (isIn) this.onClosed?.(code);
          this.onLost?.();
        }
        reject(new Error(`a page was closed with ${code}`));
      };
    });
  }

  beat(): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    const played_ms = this.report({ isSaid: true });
    this.unechoed.push(performance.now());
    this.socket.send(JSON.stringify({ type: 'report', played_ms }));
    this.socket.ping();
  }

  /** Says a line of chat; whether it was told to all within that time. */
  async say(text: string, withinMs: number): Promise<boolean> {
    const told = Promise.withResolvers<boolean>();
    const late = setTimeout(() => told.resolve(false), withinMs);
    this.awaited.set(text, () => told.resolve(true));
    this.socket?.send(JSON.stringify({ type: 'chat', text }));
    const isTold = await told.promise;
    clearTimeout(late);
    this.awaited.delete(text);
    return isTold;
  }

  /** The number of the session that it has; what follows in `resume` changes with the service. */
  get session(): string | undefined {
    return this.resume?.split('.', 1).join();
  }

  get playedMs(): number {
    return playedOf(this.reports);
  }

  /** For how long something that it has said was not echoed. */
  get unheardMs(): number {
    const [first] = this.unechoed;
    return first === undefined ? 0 : performance.now() - first;
  }

  /** Drops its connection, as a broken line would; it plays no more until it is in again. */
  cut(): void {
    this.socket?.terminate();
  }

  private get ofSession() {
    return this.reports.slice(this.ofSessionFrom);
  }

  /** What it said it had played, from a moment on. */
  saidMs(since = 0): number {
    const said = this.reports.filter(({ at, isSaid }) => isSaid && at >= since);
    return said.reduce((sum, { played_ms }) => sum + played_ms, 0);
  }

  /** Resolves when the service has heard everything, and that it was left. */
  async leave(): Promise<void> {
    const { socket } = this;
    if (!socket || socket.readyState === WebSocket.CLOSED) return;
    await new Promise<void>((resolve) => {
      socket.onclose = () => resolve();
      // Bun's socket tells no echo after its close.
      this.onEchoed = () => socket.close(1001);
      if (this.unechoed.length === 0) this.onEchoed();
    });
  }

  private echoed(): void {
    const saidAt = this.unechoed.shift();
    if (saidAt !== undefined) this.echoMs += performance.now() - saidAt;
    if (this.unechoed.length === 0) this.onEchoed?.();
  }

  private report({ isSaid }: { isSaid: boolean }): number {
    const at = performance.now();
    const played_ms = this.playsSince === undefined ? 0 : Math.floor(at - this.playsSince);
    if (this.playsSince !== undefined) this.playsSince += played_ms;
    this.reports.push({ at, played_ms, isSaid });
    return played_ms;
  }

  private turn(isLive: boolean): void {
    this.playsSince = isLive ? (this.playsSince ?? performance.now()) : undefined;
  }
}

function playedOf(reports: readonly { played_ms: number }[]): number {
  return reports.reduce((sum, { played_ms }) => sum + played_ms, 0);
}

export async function newViewers(
  settings: DatabaseSettings,
  { channel_id, count }: { channel_id: number; count: number },
): Promise<BeatingViewer[]> {
  const secret = await ticketSecret(settings);
  return Array.from(
    { length: count },
    (_, n) => new BeatingViewer(secret, { channel_id, viewer_id: `viewer ${n}` }),
  );
}

/** What the service signs tickets with. */
export async function ticketSecret(settings: DatabaseSettings): Promise<string> {
  const text = "SELECT value FROM secrets WHERE name = 'viewers'";
  const [row] = await asking(settings, (ask) => ask(text));
  return String(row?.['value']);
}

/** They beat in turns, so that the service hears them evenly; stops when told. */
export function startBeats(viewers: readonly BeatingViewer[], beatMs: number): () => void {
  const startedAt = performance.now();
  let done = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) / beatMs) * viewers.length);
    // A machine that was busy lets the turns go that are more than one round late.
    done = Math.max(done, due - viewers.length);
    for (; done < due; done++) viewers[done % viewers.length]?.beat();
  }, 50);
  return () => clearInterval(timer);
}

/** A rush, but one that a single client machine can make. */
export async function connectAll(
  viewers: readonly BeatingViewer[],
  serviceUrl: string,
): Promise<void> {
  for (let at = 0; at < viewers.length; at += 500)
    await Promise.all(viewers.slice(at, at + 500).map((viewer) => viewer.connect(serviceUrl)));
}
