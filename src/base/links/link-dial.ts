// The socket of the side that dials: a WebSocket to another node's address, with its certificate checked.
import type { LinkSocket } from './link.ts';
import { linkLimits } from './link-limits.ts';

/** Where nodes are dialled, below the address that each gives. */
export const linkPath = '/link';

export interface DialHandlers {
  opened(): void;
  text(text: string): void;
  bytes(bytes: Uint8Array): void;
  /** Once, also where it never opened. */
  closed(): void;
}

export interface DialledSocket extends LinkSocket {
  sendText(text: string): void;
}

export interface DialOrder {
  url: string;
  /** Certificates of who may sign a node's (PEM); undefined for those that the system trusts. */
  ca: string | undefined;
}

export type Dial = (order: DialOrder, handlers: DialHandlers) => DialledSocket;

/** What Bun's client has beyond a browser's. */
interface BunClientSocket {
  binaryType: string;
  onopen: () => void;
  onmessage: (event: { data: string | Uint8Array }) => void;
  onerror: () => void;
  onclose: () => void;
  send(data: string | Uint8Array): void;
  terminate(): void;
}

const ClientSocket = WebSocket as unknown as new (url: string, options: object) => BunClientSocket;

export const dial: Dial = ({ url, ca }, handlers) => {
  const socket = new ClientSocket(webSocketUrl(url), {
    perMessageDeflate: false,
    ...(ca !== undefined && { tls: { ca } }),
  });
  socket.binaryType = 'nodebuffer';
  let isClosed = false;
  const closed = () => {
    if (isClosed) return;
    isClosed = true;
    handlers.closed();
  };
  socket.onopen = () => handlers.opened();
  socket.onmessage = ({ data }) => {
    if (isClosed) return;
    if (typeof data === 'string') handlers.text(data);
    else handlers.bytes(data);
  };
  socket.onerror = () => {};
  socket.onclose = closed;
  return {
    // Bun's client keeps what its socket does not take, and says nothing when it does. What is sent and not
    // worked on is bounded by the link, so this has the same bound.
    send: (bytes) => {
      socket.send(bytes);
      return true;
    },
    sendText: (text) => socket.send(text),
    terminate: () => {
      socket.terminate();
      // Bun says so later, or never where it was about to connect.
      queueMicrotask(closed);
    },
  };
};

function webSocketUrl(link_url: string): string {
  return `${link_url.replace(/^http/, 'ws')}${linkPath}`;
}

/** How long until the next try, of so many that failed; half of it by chance, so that nodes do not come together. */
export function redialMs(failed: number, random: () => number): number {
  const { firstMs, lastMs } = linkLimits.redial;
  const ms = Math.min(lastMs, firstMs * 2 ** Math.min(failed, 16));
  return ms / 2 + (ms / 2) * random();
}
