// The WebSockets of one server: pages' and links', told apart by what each carries.
import type { Connection } from '../../audience/connection/page-connection.ts';
import { LinkGuest } from '../../base/links/link-door.ts';

export type SocketData = Connection | LinkGuest;

type Socket<Data> = Bun.ServerWebSocket<Data>;

/** Bun has one handler for all of a server, with the bounds of pages: a link keeps to those. */
export function serverSockets(given: {
  pages: Bun.WebSocketHandler<Connection>;
  onClosed(data: SocketData): void;
}): Bun.WebSocketHandler<SocketData> {
  const { pages, onClosed } = given;
  return {
    ...pages,
    open: (socket) => (isLink(socket) ? socket.data.opened(socket) : pages.open?.(page(socket))),
    message: (socket, data) =>
      isLink(socket) ? socket.data.heard(data) : pages.message?.(page(socket), data),
    drain: (socket) => (isLink(socket) ? socket.data.drained() : pages.drain?.(page(socket))),
    ping: (socket, data) =>
      isLink(socket) ? socket.data.touched() : pages.ping?.(page(socket), data),
    pong: (socket, data) =>
      isLink(socket) ? socket.data.touched() : pages.pong?.(page(socket), data),
    close: (socket, code, reason) => {
      onClosed(socket.data);
      return isLink(socket) ? socket.data.closed() : pages.close?.(page(socket), code, reason);
    },
  };
}

function isLink(socket: Socket<SocketData>): socket is Socket<LinkGuest> {
  return socket.data instanceof LinkGuest;
}

function page(socket: Socket<SocketData>): Socket<Connection> {
  return socket as Socket<Connection>;
}
