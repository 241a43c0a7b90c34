// What systemd has at the other end of NOTIFY_SOCKET: takes datagrams, which Bun has no word for.
import { dlopen, ptr } from 'bun:ffi';

const local = 1;
/** Datagrams; it does not wait, and nobody inherits it. */
const datagram = 0x2 | 0x800 | 0x80000;
const lookEveryMs = 10;

export interface NotifyReceiver {
  /** Every line that has come. */
  lines(): string[];
  /** Resolves when the line has come so many times. */
  heard(line: string, times?: number): Promise<void>;
  close(): void;
}

/** Listens at a path or, behind an `@`, at an abstract name. */
export function receiveNotices(address: string): NotifyReceiver {
  const { symbols } = dlopen('libc.so.6', {
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
    recv: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i64' },
    close: { args: ['i32'], returns: 'i32' },
  });
  const name = Buffer.concat([Buffer.from([local, 0]), Buffer.from(address.replace(/^@/, '\0'))]);
  const fd = symbols.socket(local, datagram, 0);
  if (symbols.bind(fd, ptr(name), name.length) !== 0) throw new Error(`no socket at ${address}`);
  const bytes = Buffer.alloc(4_096);
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const timer = setInterval(() => {
    for (;;) {
      const length = Number(symbols.recv(fd, ptr(bytes), bytes.length, 0));
      if (length <= 0) break;
      lines.push(...bytes.toString('utf8', 0, length).split('\n'));
    }
    for (const look of waiting) look();
  }, lookEveryMs);
  return {
    lines: () => [...lines],
    heard: (line, times = 1) =>
      new Promise((resolve) => {
        const look = () => {
          if (lines.filter((one) => one === line).length < times) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
      }),
    close: () => {
      clearInterval(timer);
      symbols.close(fd);
    },
  };
}
