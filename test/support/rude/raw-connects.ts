// Connects by the system's own calls: as many a second as it takes, and gone at once when they are let go.
import { dlopen, type Pointer, ptr } from 'bun:ffi';

export interface RawConnects {
  /** Begins to connect; its descriptor, or undefined where none is free. */
  begin(from: string): number | undefined;
  /** What the socket takes of it now; nothing where it is not connected. */
  send(fd: number, bytes: Uint8Array): void;
  /** Reset, whether or not it was connected. */
  cut(fd: number): void;
}

// As Linux numbers them.
const internet = 2;
const streamThatNeverBlocks = 1 | 0o4000;
const socketLevel = 1;
const lingerOption = 13;
const receiveBufferOption = 8;
const ipLevel = 0;
const portLaterOption = 24;
const noSignal = 0x4000;

/** To a port of this machine, over IPv4. Nobody reads what comes: `unreadBytes` is what the system keeps of it. */
export function openRawConnects(port: number, given: { unreadBytes?: number } = {}): RawConnects {
  const { symbols } = dlopen('libc.so.6', {
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
    connect: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
    setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
    send: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i64' },
    close: { args: ['i32'], returns: 'i32' },
  });
  const to = nameOf('127.0.0.1', port);
  const on = new Uint8Array(Int32Array.of(1).buffer);
  const atOnce = new Uint8Array(Int32Array.of(1, 0).buffer);
  const { unreadBytes } = given;
  const kept = unreadBytes && new Uint8Array(Int32Array.of(unreadBytes).buffer);
  return {
    begin: (from) => {
      const fd = symbols.socket(internet, streamThatNeverBlocks, 0);
      if (fd < 0) return undefined;
      const own = nameOf(from, 0);
      // A port is chosen when it connects: so they do not run out.
      symbols.setsockopt(fd, ipLevel, portLaterOption, at(on), on.length);
      symbols.setsockopt(fd, socketLevel, lingerOption, at(atOnce), atOnce.length);
      if (kept) symbols.setsockopt(fd, socketLevel, receiveBufferOption, at(kept), kept.length);
      symbols.bind(fd, at(own), own.length);
      symbols.connect(fd, at(to), to.length);
      return fd;
    },
    send: (fd, bytes) => void symbols.send(fd, at(bytes), bytes.length, noSignal),
    cut: (fd) => void symbols.close(fd),
  };
}

/** `sockaddr_in`. */
function nameOf(address: string, port: number): Uint8Array {
  return Uint8Array.of(
    ...[internet, 0, port >> 8, port & 255],
    ...address.split('.').map(Number),
    ...new Uint8Array(8),
  );
}

function at(bytes: Uint8Array): Pointer {
  return ptr(bytes);
}
