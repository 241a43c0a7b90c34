// Presence with a channel on air, and pages without a network that call it as Bun does.
import type { Connection } from '../../src/audience/connection/page-connection.ts';
import { type Presence, startPresence } from '../../src/audience/presence/presence.ts';
import type { Hello, PageMessage, ServiceMessage } from '../../src/audience/protocol/messages.ts';
import { signTicket } from '../../src/audience/viewers/ticket.ts';
import { startLog } from '../../src/base/lib/log.ts';
import { Refusals } from '../../src/base/peers/refusals.ts';
import { audienceBounds } from './audience-bounds.ts';
import { engines } from './engines.ts';
import { desktopChrome } from './page.ts';
import { endlessShow } from './some-show.ts';
import { newChannel, openTestStore } from './store.ts';

const secret = 'secret';
const address = '192.0.2.1';
const slowAddress = '192.0.2.99';
/** Longer than pages have of a turn. */
const slowMs = 20;

export async function openHall() {
  const [sqlite] = engines;
  if (!sqlite) throw new Error('no engine');
  const store = await openTestStore(sqlite);
  const channel_id = await newChannel(store);
  const clock = { now: Date.UTC(2026, 4, 4, 12), isSlow: false };
  const log = startLog('silent');
  const refusals = new Refusals({ now: () => 0, log });
  const presence = startPresence({
    ...audienceBounds(),
    connectionsMax: 1_000,
    peers: { refusals, isAllowed: () => false },
    store,
    secret,
    publicUrl: '',
    countDirectPlayers: false,
    places: { of: () => '' },
    now: () => {
      if (clock.isSlow) busy(slowMs);
      return clock.now;
    },
    log,
  });
  presence.live(channel_id, endlessShow(clock.now));
  const hello = (viewer_id: string, back: Back): PageMessage => {
    const texts = { nick: '', phone: '', origin: '', language: 'en' } as const;
    const ticket = signTicket(secret, { channel_id, viewer_id, ...texts, issued_at: clock.now });
    return { type: 'hello', ticket, instance: crypto.randomUUID(), ...back };
  };
  return {
    presence,
    clock,
    /** Resolves when it was let in. */
    enter: async (viewer_id: string, back: Back = {}) => {
      const page = new HallPage(presence, address);
      page.say(hello(viewer_id, back));
      await page.welcomed;
      return page;
    },
    /** A page of another network says what it takes long to hear. */
    fillTurn: () => {
      const page = new HallPage(presence, slowAddress);
      // Asked for while it is heard.
      clock.isSlow = true;
      page.say(hello('slow', {}));
      clock.isSlow = false;
    },
    records: (viewer_id: string) =>
      store.all('SELECT online_ms, watch_ms FROM sessions WHERE viewer_id = $1 ORDER BY seq', [
        viewer_id,
      ]),
    refused: () =>
      Object.fromEntries(
        Object.entries(refusals.counts.get('page') ?? {}).filter(([, count]) => count > 0),
      ),
  };
}

/** What a page shows that comes back: loaded anew with its `resume`, else with its `instance` too. */
type Back = Pick<Partial<Hello>, 'instance' | 'resume'>;

export class HallPage {
  private readonly handler: Bun.WebSocketHandler<Connection>;
  private readonly socket: Bun.ServerWebSocket<Connection>;

  readonly welcomed: Promise<void>;
  /** What its welcome gave for coming back. */
  resume: string | undefined;
  isOpen = true;
  /** What it was told when it was closed. */
  closeCode: number | undefined;

  constructor(presence: Presence, from: string) {
    this.handler = presence.socket;
    const asked = { origin: 'http://a', host: 'a', address: from, userAgent: desktopChrome };
    const welcomed = Promise.withResolvers<void>();
    this.welcomed = welcomed.promise;
    const send = (text: string) => {
      const message: ServiceMessage = JSON.parse(text);
      if (message.type !== 'welcome') return;
      this.resume = message.resume;
      welcomed.resolve();
    };
    const close = (code?: number) => {
      this.closeCode = code;
      this.close();
    };
    const data = presence.admit(asked);
    const socket = { data, send, subscribe: () => {}, close, terminate: () => close() };
    this.socket = socket as unknown as Bun.ServerWebSocket<Connection>;
    this.handler.open?.(this.socket);
  }

  say(message: PageMessage): void {
    this.write(JSON.stringify(message));
  }

  write(text: string): void {
    this.handler.message?.(this.socket, text);
  }

  /** Bun tells of an end once, whoever closes. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.handler.close?.(this.socket, 1001, '');
  }
}

/** Works for so long. */
export function busy(ms: number): void {
  for (const from = performance.now(); performance.now() - from < ms; );
}
