// How often the system tried to connect until it was let in: counted, so that no clock is asked.
import { dlopen, ptr } from 'bun:ffi';

const tcpLevel = 6;
const tcpInfoOption = 11;
/** Where in `tcp_info` it stands how many packets were sent again. */
const sentAgainAt = 100;

/** Of a TCP connection over loopback, where nothing else is lost, that has sent nothing yet. */
export async function connectTries(given: { port: number; from: string }): Promise<number> {
  const { symbols } = dlopen('libc.so.6', {
    getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
  });
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: given.port,
    ...{ localAddress: given.from },
    socket: { data() {} },
  });
  const info = new Uint32Array(sentAgainAt / 4 + 1);
  const length = Uint32Array.of(info.byteLength);
  const { fd } = socket as unknown as { fd: number };
  const told = symbols.getsockopt(fd, tcpLevel, tcpInfoOption, ptr(info), ptr(length));
  socket.terminate();
  if (told !== 0) throw new Error('the system does not tell how often it tried');
  return 1 + (info[sentAgainAt / 4] ?? 0);
}
