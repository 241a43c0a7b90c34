// How Bun calls what answers a path, in our words.
import type { SocketData } from './server-sockets.ts';

export type BunServer = Bun.Server<SocketData>;

/** Undefined: the connection is a WebSocket from here on. */
export type BunHandler = (
  request: Bun.BunRequest,
  server: BunServer,
) => Promise<Response | undefined> | Response | undefined;

/** By path, as Bun writes one: `/watch/:id`. */
export type BunHandlers = Record<string, BunHandler>;
